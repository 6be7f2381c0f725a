import Decoding
import RandomStreams

/// Plan of `urlfilter validate --live`, fixed before it starts.
package struct LiveValidationPlan: Codable, Hashable, Sendable {
    package enum Test: String, CaseIterable, Codable, Sendable {
        /// The PIR server answers as fast as it can; how fast it will be is forecast.
        case speed
        /// Every answer waits for a time that is known beforehand, so that only queues and protocol are left to
        /// predict.
        case queue
    }

    /// So many runs of one load.
    package struct Wish: Codable, Hashable, Sendable {
        package var test: Test
        /// Share of the most that one core of the PIR server can answer.
        package var load: Double
        package var runs: Int

        package init(_ test: Test, load: Double, runs: Int) {
            self.test = test
            self.load = load
            self.runs = runs
        }
    }

    package struct Run: Codable, Hashable, Sendable {
        /// Number from 1 on, in the order in which they are done.
        package var number: Int
        package var test: Test
        package var load: Double
        /// Measured.
        package var seconds: Double
    }

    /// Devices, as many as there may be: our server's line is fair between users, the model's is first come first
    /// served, and with many users they are the same. Simulations have the same trace, other service times and phases.
    package var world = LiveWorld(devices: 1_000, replications: 40, calibrationSeconds: 20)
    package var wishes: [Wish] =
        [0.3, 0.5, 0.7].map { Wish(.speed, load: $0, runs: 10) }
        + [0.8, 0.9].map { Wish(.speed, load: $0, runs: 3) }
        + [0.8, 0.9].map { Wish(.queue, load: $0, runs: 2) }
    /// Measured seconds of a load up to ``quietLoad``, and above: lines get long there and remember for long.
    package var quietSeconds = 120.0
    package var busySeconds = 600.0
    /// Seconds before that, in which lines fill.
    package var warmUp = 10.0
    package var calibrationLoad = 0.3
    /// Seconds of load at the start of a session that nothing is taken from: a process that has just read its database
    /// gets faster for minutes, as the system gathers its memory in large pages.
    package var settlingSeconds = 120.0
    package var settlingLoad = 0.7
    /// Calibrations before the first run of a session: what they differ by is what a forecast does not know.
    package var firstCalibrations = 4
    /// After the first calibration: lookups that come all at once, to see what answering them together saves.
    package var bursts = 12
    /// Seconds that every lookup of the queue test takes alone, and what each further one of a group adds to it.
    package var paddedService = 0.05
    package var paddedFollowerShare = 0.5

    package init() {}

    /// Up to it a load is quiet.
    package static let quietLoad = 0.7
    /// Beyond it the line only grows while a load lasts.
    package static let largestLoad = 0.95

    /// All runs in random order, which the seed decides.
    package var runs: [Run] {
        var random = RandomStream(
            seed: world.seed, replication: 0, entity: 0, purpose: StreamPurpose("validation order"))
        var all = wishes.flatMap { wish in
            (0..<wish.runs).map { _ in
                Run(
                    number: 0, test: wish.test, load: wish.load,
                    seconds: wish.load <= Self.quietLoad ? quietSeconds : busySeconds)
            }
        }
        for place in all.indices { all.swapAt(place, place + random.index(below: all.count - place)) }
        for place in all.indices { all[place].number = place + 1 }
        return all
    }

    /// Seconds that the runs take, without what is prepared and simulated between them.
    package var seconds: Double {
        let calibrations = runs.count { $0.test == .speed } + firstCalibrations + 1
        return runs.reduce(settlingSeconds) { $0 + $1.seconds + warmUp }
            + Double(calibrations) * (world.calibrationSeconds + 2)
    }
}

/// The rule that a run says nothing, decided by what other programs and other machines did, never by its outcome.
package struct DisturbanceRule: Codable, Hashable, Sendable {
    /// Cores that other programs kept busy, and cores that the host gave to other machines, at most. Assumptions.
    package var otherCores = 0.05
    package var stolenCores = 0.02

    package init() {}

    /// - Returns: Empty for a run that counts.
    package func reasons(otherCores: Double?, stolenCores: Double?) -> [String] {
        func reason(_ found: Double?, _ most: Double, _ words: String) -> String? {
            guard let found, found > most else { return nil }
            return "\(words) \((found * 1000).rounded() / 1000) cores, more than \(most)"
        }
        return [
            reason(otherCores, self.otherCores, "other programs kept busy"),
            reason(stolenCores, self.stolenCores, "the host took away"),
        ].compactMap(\.self)
    }
}

/// Why the live stack cannot be compared with the model.
package enum LiveValidationError: InputFault, Equatable, CustomStringConvertible {
    case tooFewURLs(Int, needed: Int)
    case tooManyTokens(Int, limit: Int)
    case nothingCalibrated(lookups: Int)
    case slowStart(seconds: Double, limit: Double)
    case wrongModel(String)
    case otherPlan(String)
    case unreadable(String, String)

    package var isOfInput: Bool {
        if case .wrongModel = self { return false }
        return true
    }

    package var description: String {
        switch self {
        case .tooFewURLs(let found, let needed):
            "the list gives \(found) URLs that are exactly one lookup; a device makes up to \(needed) different "
                + "ones, so name a longer list, more --devices or shorter runs"
        case .tooManyTokens(let needed, let limit):
            "a device would need \(needed) tokens for one load, and the model keeps \(limit) at most; "
                + "give more --devices or shorter runs"
        case .nothingCalibrated(let lookups):
            "the calibration saw \(lookups) lookups, of which too few went alone; give it more time"
        case .slowStart(let seconds, let limit):
            "a PIR server needs \((seconds * 10).rounded() / 10) s until it serves, and the phase after a fault has"
                + " room for \(limit) s; give a shorter list or fewer --entries"
        case .wrongModel(let law):
            "the simulation broke a law that always holds: \(law); this is a bug"
        case .otherPlan(let path):
            "\(path) holds a validation with another plan; go on with the same options, or name another --output"
        case .unreadable(let path, let why): "\(path): not a validation: \(why)"
        }
    }
}
