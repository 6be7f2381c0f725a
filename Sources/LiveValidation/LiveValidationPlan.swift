import Decoding
import Parties

/// What `urlfilter validate --live` does: which loads, how long, against which stack.
package struct LiveValidationPlan: Sendable {
    /// Load at which what the model does not know is measured; see ``StackCalibration``.
    package var calibrationLoad = 0.1
    /// Loads that the model has to predict, as shares of the most that one core of the PIR server can answer.
    package var loads = [0.3, 0.5, 0.7, 0.8, 0.9, 1.1]
    /// Measured seconds of each load.
    package var seconds = 30.0
    /// Seconds before that, in which connections are made.
    package var warmUp = 2.0
    package var devices = 40
    /// After the calibration: lookups that come all at once, to see what answering them together saves.
    package var bursts = 12
    package var rlweParameters = PIRDatabase.defaultParameters
    /// Shards of the database, a power of two. One makes the PIR answer dominate the cost of a lookup.
    package var shards = 1
    package var seed: UInt64 = 1
    /// Simulations of each load: same trace, other service times.
    package var replications = 20
    package var margins = LiveMargins()

    package init() {}

    /// Where the longest of all lists of loads ends: past saturation the line only grows.
    package static let largestLoad = 2.0

    /// Seconds that the loads take, without what is prepared between them.
    package var loadSeconds: Double { Double(loads.count + 1) * (warmUp + seconds) }
}

/// Relative errors of the model that pass.
package struct LiveMargins: Sendable {
    /// Of a latency quantile while the PIR core is busy for less than 80 % of the time: the goal of the project.
    package var quiet = 0.10
    /// Of a latency quantile up to ``busiest``: the goal of the project at 90 %.
    package var busy = 0.20
    /// Of the throughput. Assumption.
    package var throughput = 0.05

    /// From here on the line grows as long as the load lasts, and a latency says how long that was.
    package static let busiest = 0.95

    package init() {}

    /// - Parameter utilization: Share of the time for which the live PIR core worked.
    /// - Returns: Nil where latency quantiles are not judged.
    package func latency(at utilization: Double) -> Double? {
        switch utilization {
        case ..<0.8: quiet
        case ..<Self.busiest: busy
        default: nil
        }
    }
}

/// Why the live stack cannot be compared with the model.
package enum LiveValidationError: InputFault, Equatable, CustomStringConvertible {
    case tooFewURLs(Int, needed: Int)
    case tooManyTokens(Int, limit: Int)
    case nothingCalibrated(lookups: Int)
    case wrongModel(String)

    package var isOfInput: Bool {
        if case .wrongModel = self { return false }
        return true
    }

    package var description: String {
        switch self {
        case .tooFewURLs(let found, let needed):
            "the list gives \(found) URLs that are exactly one lookup; a device makes up to \(needed) different "
                + "ones, so name a longer list, more --devices or fewer --seconds"
        case .tooManyTokens(let needed, let limit):
            "a device would need \(needed) tokens for one load, and the model keeps \(limit) at most; "
                + "give more --devices or fewer --seconds"
        case .nothingCalibrated(let lookups):
            "the calibration saw \(lookups) lookups, of which too few went alone; give more --seconds"
        case .wrongModel(let law):
            "the simulation broke a law that always holds: \(law); this is a bug"
        }
    }
}
