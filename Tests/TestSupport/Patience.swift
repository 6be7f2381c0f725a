/// How long a test waits for what must come.
///
/// No test decides by wall time: it waits for an event, and this ceiling only ends a wait that would never end. It is far
/// beyond what the slowest machine needs that computes other things meanwhile, so that to reach it is a defect.
package enum Patience {
    package static let seconds = 600
    package static let ceiling = Duration.seconds(seconds)
    package static let nanoseconds: Int64 = Int64(seconds) * 1_000_000_000

    /// Waits for a condition that something else brings about.
    ///
    /// - Returns: Whether it came; false when patience, or the task, has ended.
    package static func until(
        isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
    ) async rethrows -> Bool {
        let end = ContinuousClock.now.advanced(by: ceiling)
        while try await !condition() {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}
