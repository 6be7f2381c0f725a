import CommandSupport
import Experiment
import Questions
import Scenarios

/// The architectures over what nobody knows.
extension Alternatives {
    /// Adds what the same draws make of each.
    ///
    /// - Parameter asked: In the order of the table.
    func addIgnorance(
        to table: inout AlternativesResult, _ asked: [Simulation.Asked], of scenario: Scenario,
        _ simulation: Simulation, _ shared: SharedParts
    ) async throws {
        guard !ignorance.chanceOnly else { return }
        switch try await simulation.designs(asked, points: ignorance.plausible, sharing: shared) {
        case .finished(let designs):
            table.plausibility = AlternativesPlausibility(
                table, Dictionary(zip(only, designs)) { first, _ in first }, of: scenario,
                prices: table.prices)
        case .missing(let reason): table.plausibilityNote = reason
        case .nothing: break
        }
    }
}
