import QueueValidation
import Statistics
import Testing

/// Nominal against actual coverage, small; `urlfilter validate --coverage` is the large form.
@Suite struct IntervalCoverageTests {
    @Test func noIntervalCoversMuchLessThanItClaims() async {
        let rows = await IntervalCoverage.rows(runs: 300, threads: 2)
        #expect(rows.count == IntervalCoverage.all.count)
        for row in rows {
            #expect(row.holds, "\(row.interval), \(row.model): covered \(row.covered.proportion)")
        }
    }

    @Test func rowsDoNotDependOnThreads() async {
        let alone = await IntervalCoverage.rows(runs: 100, threads: 1)
        let together = await IntervalCoverage.rows(runs: 100, threads: 4)
        #expect(alone.map(\.covered) == together.map(\.covered))
        #expect(alone.map(\.model) == IntervalCoverage.all.map(\.model))
    }
}
