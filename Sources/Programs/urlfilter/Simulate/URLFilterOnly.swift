import CommandSupport
import Experiment
import Scenarios

extension Scenario {
    /// Refusal of commands about what only the URL filter has.
    ///
    /// - Parameter instead: What to do with another architecture.
    /// - Throws: ``UnusableInput`` for a scenario that another architecture filters.
    func requireURLFilter(for subject: String, instead: String) throws {
        guard architecture != .urlFilter else { return }
        throw UnusableInput(
            file,
            "architecture is \(architecture.rawValue), and \(subject) is of the URL filter only; \(instead)")
    }
}
