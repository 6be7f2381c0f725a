import QueueValidation
import Statistics
import Testing

struct ValidationTests {
    /// The same comparison with ten million customers is `simulation-benchmarks validate`.
    @Test("simulated queues agree with theory", arguments: try Validation.all().indices)
    func agreement(index: Int) throws {
        let system = try Validation.all()[index]
        let rows = try #require(try system.rows(customers: 600_000))
        #expect(!rows.isEmpty)
        for row in rows {
            #expect(
                row.agrees,
                """
                \(system.name), \(row.quantity): \(row.estimate.mean) ± \(row.estimate.halfWidth), \
                theory \(row.theory)
                """)
            // The interval must be worth something, for rare customers less.
            let allowed = row.theory < 0.1 ? 0.5 : 0.15
            #expect(row.estimate.halfWidth < allowed * row.theory, "\(system.name), \(row.quantity)")
        }
    }

    @Test func aSystemWithAnotherAnswerDisagrees() throws {
        let systems = try Validation.all()
        let slow = try #require(try systems.first { $0.name == "M/M/1 at 0.8" }?.rows(customers: 600_000))
        let other = try #require(try systems.first { $0.name == "M/M/16 at 0.9" }?.rows(customers: 600_000))
        #expect(!other[0].estimate.bounds.contains(slow[0].theory))
    }
}
