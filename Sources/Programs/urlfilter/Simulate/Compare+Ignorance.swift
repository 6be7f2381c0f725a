import CommandSupport
import Experiment
import Questions
import Scenarios

/// A change over what nobody knows.
extension Compare {
    /// Both fleets under the same draws.
    ///
    /// - Parameter asked: Baseline and candidate.
    /// - Returns: `nil` where chance alone is asked for, and where everything is known.
    func plausible(
        _ asked: [Simulation.Asked], _ simulation: Simulation, _ shared: SharedParts
    ) async throws -> PlausibleComparison? {
        guard !ignorance.chanceOnly, asked.allSatisfy(\.run.finished) else { return nil }
        switch try await simulation.designs(asked, points: ignorance.plausible, sharing: shared) {
        case .finished(let designs):
            let points = asked.compactMap(\.run.points.first)
            return PlausibleComparison(
                designs[0], designs[1], metrics: Comparison.primaryMetrics(of: points))
        case .missing(let reason): return PlausibleComparison(note: reason)
        case .nothing: return nil
        }
    }
}
