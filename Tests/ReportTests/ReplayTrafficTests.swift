import DeviceFleet
import Experiment
import Foundation
import Questions
import Report
import Testing

/// The declaration to Apple from a replay against servers.
@Suite struct ReplayTrafficTests {
    private func replay(route: String = "relay", seconds: Int = 200) throws -> (ReplayResult, ReplayPoint) {
        var result = ReplayResult(
            target: "http://localhost:1", route: route, usecase: "a.url.filtering",
            trace: .init(name: "t.csv", loads: 50, clients: 2, distinctURLs: 9), devices: .init(wanted: 2))
        result.devices.ready = 2
        result.devices.exchanges = 10
        result.devices.endpoints = try endpoints(
            [("key", 2, 0, 400_000, 400_100, 80), ("queries", 2, 0, 29_000, 60_000, 9_000)])
        var point = ReplayPoint(ramp: 5, warmUp: 5, duration: Double(seconds))
        point.rate = 3
        point.endpoints = try endpoints([("queries", 600, 100, 29_003, 58_006, 8_000)])
        for second in 0..<(10 + seconds) {
            var row = ReplayPoint.Second(second: second)
            // Before the measured time more than ever after.
            row.exchanges = second < 10 ? 1_000 : (second * second) % 7
            point.seconds.append(row)
        }
        // Seconds in which nothing happened are not in the table.
        point.seconds.removeAll { $0.exchanges == 0 }
        result.points = [point]
        return (result, point)
    }

    private func endpoints(
        _ rows: [(name: String, count: Int, failed: Int, p50: Int, max: Int, response: Int)]
    ) throws -> [ReplayPoint.Endpoint] {
        let documents = rows.map { row in
            """
            {"name": "\(row.name)", "count": \(row.count), "failed": \(row.failed), "latency": [],
             "sent": {"p50": \(row.p50), "p99": \(row.max), "max": \(row.max), "total": \(row.count * row.p50)},
             "received": {"p50": \(row.response), "p99": \(row.response), "max": \(row.response),
                          "total": \((row.count - row.failed) * row.response)}}
            """
        }
        return try JSONDecoder().decode(
            [ReplayPoint.Endpoint].self, from: Data("[\(documents.joined(separator: ","))]".utf8))
    }

    @Test(arguments: [200, 30]) func ratesAreThoseOfTheMeasuredTime(seconds: Int) throws {
        let (result, point) = try replay(seconds: seconds)
        let traffic = try ObservedTraffic(result, point)
        let counts = (10..<(10 + seconds)).map { ($0 * $0) % 7 }
        let region = try #require(traffic.regions.first)
        #expect(traffic.regions.count == 1 && region.name == "all")
        #expect(region.peakSecond.value == Double(counts.max() ?? 0))
        let perDay = Double(counts.reduce(0, +)) / Double(seconds) * 86_400
        #expect(abs(region.perDay.value - perDay) < 1e-6 * perDay)
        let minutes = counts.indices.map { counts[max(0, $0 - 59)...$0].reduce(0, +) }
        #expect(region.peakMinute.value == Double(minutes.max() ?? 0))
    }

    @Test func whatDevicesNeedOnceHasSizesButNoRate() throws {
        let (result, point) = try replay()
        let traffic = try ObservedTraffic(result, point)
        #expect(traffic.endpoints.map(\.name) == ["key", "queries"])
        #expect(traffic.endpoints[0].requestsPerDay == 0)
        #expect(
            traffic.endpoints[0].request == .init(mean: 400_000, p50: 400_000, p99: 400_100, max: 400_100))
        #expect(traffic.endpoints[1].requestsPerDay == 600.0 / 200 * 86_400)
        // The largest was sent while the devices got ready; failed requests have no response.
        #expect(traffic.endpoints[1].request == .init(mean: 29_003, p50: 29_003, p99: 58_006, max: 60_000))
        #expect(traffic.endpoints[1].response == .init(mean: 8_000, p50: 8_000, p99: 8_000, max: 9_000))
        let sheet = DeclarationSheet(traffic, requestCap: 100_000, responseCap: nil, hosts: [])
        #expect(sheet.refused.map(\.endpoint) == ["key"])
        #expect(sheet.warnings.contains { $0.code == .capKey })
        let text = SheetText.render([sheet])
        #expect(text.contains("10 exchanges that made the devices ready"), "\(text)")
    }

    @Test func plainRequestsDoNotTellHowLongSealedOnesAre() throws {
        let (result, point) = try replay(route: "direct")
        #expect(throws: SheetError.notEncapsulated) { try ObservedTraffic(result, point) }
    }
}
