import Foundation
import Testing
import Workload

/// Answers of Prometheus' HTTP API as pages of one server.
struct PrometheusHistoryTests {
    private static func series(
        _ name: String, _ labels: String, _ values: [(Int, Double)]
    ) -> String {
        let points = values.map { "[\($0.0),\"\($0.1)\"]" }.joined(separator: ",")
        return "{\"metric\":{\"__name__\":\"\(name)\",\(labels)},\"values\":[\(points)]}"
    }

    private static func answer(_ series: [String]) -> Data {
        let result = series.joined(separator: ",")
        return Data(
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[\(result)]}}".utf8)
    }

    @Test func serversAreAddedUpAndRestartsGoOn() throws {
        let queries = "\"party\":\"pir\",\"endpoint\":\"queries\",\"status\":\"200\""
        let pages = try PrometheusHistory.pages(
            Self.answer([
                Self.series(
                    "urlfilter_requests_total", "\"instance\":\"a\"," + queries,
                    [(60, 1_000), (120, 1_010), (180, 4)]),
                Self.series(
                    "urlfilter_requests_total", "\"instance\":\"b\"," + queries, [(120, 7), (180, 8)]),
                Self.series(
                    "urlfilter_party_cpu_seconds_total", "\"instance\":\"a\",\"party\":\"pir\"",
                    [(60, 5), (120, 5.5), (180, 0.25)]),
            ]), source: "here")
        #expect(pages.map(\.time) == [60, 120, 180].map { $0 * 1_000_000_000 })
        // 10, then the 4 since the restart and 1 of the other server, whose first 7 are of before.
        #expect(pages.map { $0.answered[.queries] } == [0, 10, 15])
        #expect(pages.map(\.cpuSeconds) == [0, 0.5, 0.75])
        let growth = pages[2].growth(since: pages[1])
        #expect(growth.answered[.queries] == 5 && growth.cpuSeconds == 0.25)
    }

    @Test func aPageOfARestartedServerCountsFromZero() {
        var (before, after) = (PrometheusPage(time: 0), PrometheusPage(time: 60))
        (before.answered, before.cpuSeconds) = ([.queries: 100], 9)
        (after.answered, after.refused, after.cpuSeconds) = ([.queries: 3], [.queries: 2], 1)
        let growth = after.growth(since: before)
        #expect(growth.answered[.queries] == 3 && growth.refused[.queries] == 2 && growth.cpuSeconds == 1)
        #expect(growth.times == 0..<60)
    }

    @Test func theQuestionIsOneURL() throws {
        let path = PrometheusHistory.query(select: "job=\"url filter\"", from: 0, to: 600, step: 60)
        let url = try #require(URLComponents(string: "http://127.0.0.1:9090" + path))
        #expect(url.path == "/api/v1/query_range")
        let items = Dictionary(
            uniqueKeysWithValues: try #require(url.queryItems).map { ($0.name, $0.value ?? "") })
        #expect(items["start"] == "0" && items["end"] == "600" && items["step"] == "60")
        #expect(items["query"]?.hasPrefix("{__name__=~\"urlfilter_requests_total|") == true)
        #expect(items["query"]?.hasSuffix("\",job=\"url filter\"}") == true)
    }

    @Test func whatIsNoAnswerIsSaidSo() {
        #expect(throws: PrometheusHistoryError.refused("here", "bad matcher")) {
            try PrometheusHistory.pages(
                Data("{\"status\":\"error\",\"error\":\"bad matcher\"}".utf8), source: "here")
        }
        for text in [
            "<html>", "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},"
                + "\"values\":[[1e300,\"-4\"]]}]}}",
        ] {
            #expect(throws: PrometheusHistoryError.notAnAnswer("here")) {
                try PrometheusHistory.pages(Data(text.utf8), source: "here")
            }
        }
    }
}
