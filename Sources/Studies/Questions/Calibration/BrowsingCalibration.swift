import Decoding
import Experiment
import Foundation
import RandomStreams
package import Workload

/// Changes a fitted population until traces made from it look like the real one.
///
/// What a parameter asks for is not quite what comes out: revisits also happen
/// by chance, sessions do not fit into a day, a short trace shows only part of
/// the sites. So traces of the same length are made, looked at through the same
/// description, and each parameter is moved by the error of the figure that it
/// governs (indirect inference; Gouriéroux, Monfort and Renault, J. Appl.
/// Econometrics 8, 1993). All rounds share their seeds.
package struct BrowsingCalibration: Sendable {
    package let model: BrowsingModel
    package let target: TraceFigures
    /// Synthetic traces behind each round.
    package let twinCount: Int
    package let roundCount: Int

    package static let usualRounds = 20
    private static let twinRange = 3...24
    /// Requests of all traces of one round.
    private static let roundRequests = 200_000.0
    private static let firstSeed: UInt64 = 1

    /// - Parameters:
    ///   - rounds: At least 1. The parameters settle in the first ten; the rest takes the noise out.
    ///   - progress: Told in words what is being done.
    package init(
        _ first: BrowsingModel, to statistics: TraceStatistics, rounds: Int = usualRounds,
        progress: (String) -> Void
    ) throws {
        target = first.figures(of: statistics, clientCount: first.clientCount)
        let requests = Double(max(statistics.summary.recordCount, 1))
        twinCount = min(
            max(Int(saturating: Self.roundRequests / requests), Self.twinRange.lowerBound),
            Self.twinRange.upperBound)
        var model = first
        var best = (model: first, error: Double.infinity)
        precondition(rounds > 0, "a calibration needs at least 1 round")
        for round in 0..<rounds {
            progress("fitting, round \(round + 1) of \(rounds)")
            let seeds = Self.firstSeed..<(Self.firstSeed + UInt64(twinCount))
            let observed = TraceFigures(
                meanOf: try model.twin(seeds: seeds))
            let error = Self.error(of: observed, against: target)
            if error < best.error { best = (model, error) }
            // Later rounds move less, so that noise does not shake a good fit.
            CalibrationKnobs.turn(
                &model, target: target, observed: observed, gain: round < 8 ? 0.8 : round < 14 ? 0.5 : 0.25)
        }
        self.model = best.model
        roundCount = rounds
    }

    /// Mean distance of the figures that are fitted, each at most 1.
    private static func error(of observed: TraceFigures, against target: TraceFigures) -> Double {
        let distances = TraceFigures.Name.allCases.filter { CalibrationCheck.isFitted($0) }.compactMap {
            name in
            CalibrationCheck.error(name, target: target, observed: observed).map { min(abs($0), 1) }
        }
        return distances.mean ?? 0
    }

    /// Compares the trace with new synthetic ones, made with seeds that the fit has not seen.
    package func check() throws -> CalibrationCheck {
        let first = Self.firstSeed + 1_000
        let twins = try model.twin(seeds: first..<(first + UInt64(twinCount)))
        return CalibrationCheck(target: target, twins: twins)
    }
}
