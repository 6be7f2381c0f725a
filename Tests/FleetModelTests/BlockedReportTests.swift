import EventSimulation
import FleetModel
import Testing
import URLFilter

/// What supervised devices tell the operator of what they blocked.
struct BlockedReportTests {
    /// A device that visits these hosts at these hours and reports every hour, for four hours.
    private func run(
        _ visits: [(hours: Double, host: String)],
        work: ((World, [DeviceGroup]) throws -> any ProtocolWork)? = nil
    ) throws -> ReplicationRecord {
        var world = World()
        world.duration = .hours(4)
        world.loads = visits.map { .init(at: .seconds($0.hours * 3_600 + 1), url: "https://\($0.host)/") }
        var groups = try world.groups()
        groups[0].reports = ReportRules(interval: .hours(1), entryBytes: 656)
        return try world.run(work?(world, groups) ?? world.calibrated(groups: groups), groups: groups)
    }

    @Test func eachEntryIsReportedOnceAnIntervalForOneToken() throws {
        let record = try run([
            (0, "listed.example"), (0, "listed.example"), (0, "listed0.example"), (0, "decoy.example"),
            (0, "unknown.example"), (2.5, "listed0.example"),
        ])
        let reports = try #require(record.urlFilter.endpoints[.report])
        #expect(reports.requests == 2 && reports.succeeded == 2)
        // A report without entries is as large as a request for the configuration.
        #expect(reports.requestBytes == 2 * 1_000 + 3 * 656)
        #expect(reports.largestRequest == 1_000 + 2 * 656)
        #expect(record.urlFilter.readings.service[.report] == 2)
    }

    @Test func withoutABlockedEntryNothingIsSent() throws {
        let record = try run([(0, "decoy.example"), (1, "unknown.example")])
        #expect(record.urlFilter.endpoints[.report]?.requests == 0)
    }

    @Test func aReportThatFailsIsSentAgainAtTheNextTime() throws {
        let work = ScriptedWork(status: { $0 == .report ? 503 : 200 }) { _, _ in 1_000 }
        _ = try run([(0, "listed.example")]) { _, _ in work }
        #expect(work.begun.count { $0.endpoint == .report } == 4)
        #expect(work.orderIsKept)
    }

    @Test func devicesThatDoNotReportHaveNoSuchTraffic() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        #expect(try world.run().urlFilter.endpoints[.report] == nil)
    }
}
