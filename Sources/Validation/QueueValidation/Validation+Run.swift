extension Validation {
    /// The answers of one system.
    package struct SystemRows: Sendable {
        package let system: String
        package let rows: [Row]
    }

    /// Simulates several systems, some at the same time; the result does not depend on how many.
    ///
    /// - Parameters:
    ///   - customers: About as many for each system, over all replications.
    ///   - threads: Systems simulated at the same time, 1 or more.
    ///   - progress: Called with the number of finished systems.
    /// - Returns: In the order of `systems`; `nil` rows for too few customers are left out.
    package static func run(
        _ systems: [Validation], customers: Int, threads: Int, progress: @Sendable (Int) -> Void
    ) async throws -> [SystemRows] {
        try await withThrowingTaskGroup(of: (Int, [Row]?).self) { group in
            var results: [[Row]?] = systems.map { _ in nil }
            var next = 0
            var finished = 0
            while true {
                while next < systems.count, next - finished < max(1, threads) {
                    let (number, system) = (next, systems[next])
                    next += 1
                    group.addTask { (number, try system.rows(customers: customers)) }
                }
                guard let (number, rows) = try await group.next() else { break }
                results[number] = rows
                finished += 1
                progress(finished)
            }
            return zip(systems, results).compactMap { system, rows in
                rows.map { SystemRows(system: system.name, rows: $0) }
            }
        }
    }
}
