import EventSimulation
import FleetModel
import Testing
import URLFilter
import Workload

/// Times that a mechanism adds to the pages of a browsing fleet, which are not all alike.
struct PageSizeTests {
    /// Pages of 30 and of 90 requests. D is 2 (5 + 3) = 16 ms, P 40 and R 50: through CONNECT a new host takes 34 ms
    /// longer and a further request 6 ms. The mean page has 70 requests, and its chain 2 new hosts and 1.4 further
    /// requests, of which all but the document grow with the page.
    @Test func smallAndLargePagesTakeTheirTime() throws {
        var parameters = WebParameters()
        parameters.siteCount = 2_000
        parameters.requestsPerPage = QuantileCurve(
            [.init(0.499, 30), .init(0.501, 90)], minimum: 30, maximum: 90)
        let world = World()
        let group = DeviceGroup(
            name: "all", count: 8,
            workload: .synthetic(try SyntheticWeb(parameters, seed: 5), try BrowsingHabits(.adult)),
            access: world.access, rules: .documented, generation: world.generation)
        var configuration = world.configuration(groups: [group])
        configuration.duration = .hours(24)
        let path = FilterPath.through(
            RoundTrips(server: 4, site: 3), request: RoundTrips(server: 1, site: 1))
        let record = try #require(
            try runReplication(
                configuration, catalogs: [try World.catalog()],
                .mechanism(.hostLevel([], .failOpen, path: path)), replication: 0))
        let mean = Double(record.urls.checked) / Double(record.pageLoads)
        func added(_ requests: Double) -> Double {
            let growth = (70 * requests / mean - 1) / 69
            return ((1 + growth) * 34 + 1.4 * growth * 6) / 1_000
        }
        #expect(abs(added(mean) - 0.0764) < 1e-9 && mean > 40 && mean < 80)
        for (rank, requests) in [(0.1, 30.0), (0.9, 90)] {
            let found = try #require(record.pageTimes.quantile(rank)).seconds
            #expect(abs(found / added(requests) - 1) < 0.02, "\(requests): \(found)")
        }
    }
}
