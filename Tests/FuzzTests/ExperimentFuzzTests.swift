import DeviceFleet
import Experiment
import FleetModel
import Foundation
import Testing
import Timing

/// What experiments read, and what a device and the doctor hear from machines they do not know.
@Suite struct ExperimentFuzzTests {
    private static let scenarios = ["quickstart", "school-district", "outage"].map { name in
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Scenarios/\(name).yaml")
    }

    @Test func scenario() throws {
        let seeds = try Self.scenarios.map { Array(try Data(contentsOf: $0)) }
        let words = [
            ": ", "- ", "{", "}", "[", "]", "&a ", "*a", "!!binary ", "|\n", "<<: ", "\t", "\"", "'", "? ",
            "%",
            "1e400", ".inf", "9h99m", "\n    ", "#", "---\n",
        ]
        try Fuzzer("scenario", seeds: seeds, words: words, grammar: YAMLGrammar.self).run { bytes in
            let file = try ScenarioFile(text: Data(bytes), path: "s.yaml", folder: "/")
            _ = try ScenarioResolver.resolve(file)
        }
    }

    @Test func assignment() throws {
        let file = try ScenarioFile(path: Self.scenarios[0].path)
        let texts = [
            "filter.shouldFailClosed=true", "services.pir.cores=4", "devices[0].count=10",
            "services.relay.oneWayDelay={lognormal: {median: 9ms, p95: 25ms}}", "seed=7",
        ]
        try Fuzzer(
            "scenario assignment", texts: texts, words: ["=", ".", "[", "]", "{", ":", "~", "&a", "*a"]
        ).run {
            _ = try ScenarioResolver.resolve(file.setting(String(decoding: $0, as: UTF8.self)))
        }
    }

    @Test func quantities() throws {
        let texts = ["1h30m", "800ms", "30kB", "1.5M", "1Gbit/s", "0.1%", "64KiB", "24h"]
        try Fuzzer("quantities", texts: texts, words: ["e", "-", ".", "%", "/s", "kB", "h", " "]).run {
            bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let readings = [
                (try? Quantity.duration(text)) != nil, (try? Quantity.bytes(text)) != nil,
                (try? Quantity.bytesPerSecond(text)) != nil, (try? Quantity.count(text)) != nil,
                (try? Quantity.share(text)) != nil,
            ]
            if !readings.contains(true) { _ = try Quantity.seconds(text) }
        }
    }

    @Test func objective() throws {
        let texts = ["lookup.latency p99 < 800ms", "url.leaked count == 0", "pir.utilization max < 75%"]
        try Fuzzer("objective", texts: texts, words: ["<", ">=", " ", "p99", "max", "%", "1e309"]).run {
            let objective = try Objective(String(decoding: $0, as: UTF8.self))
            #expect(objective.limit.isFinite)
        }
    }

    @Test func costProfile() throws {
        let stage = StageCost(samples: [1, 2_000, 3_000_000])
        let endpoint = EndpointCost(
            deviceBegins: stage, gatewayOpens: stage, serviceAnswers: stage, gatewaySeals: stage,
            deviceEnds: stage, requestBytes: 30_000, responseBytes: 25_000)
        let profile = CostProfile(
            machine: .init(processor: "p", cores: 2, system: "s", compiler: "c", build: "b"),
            subject: .init(
                rlweParameters: "n", entries: 10, shards: 1, dimensions: [1, 1], databaseBytes: 100),
            endpoints: ["queries": endpoint, "config": endpoint],
            extraKeyword: .init(
                deviceBegins: 1, gatewayOpens: 1, serviceAnswers: 1, gatewaySeals: 1, deviceEnds: 1,
                requestBytes: 1, responseBytes: 1),
            evaluationKeyBytes: 600_000)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let seed = Array(try encoder.encode(profile))
        try Fuzzer(
            "cost profile", seeds: [seed], words: ["{", "[", "]", "null", "-", "1e999", "\"samples\":[]"]
        ).run {
            let profile = try JSONDecoder().decode(CostProfile.self, from: Data($0))
            for cost in profile.endpoints.values {
                #expect(cost.serviceAnswers.median >= 0 && cost.requestBytes >= 0)
            }
        }
    }

    @Test func textRecords() throws {
        let query = TextRecordQuery(number: 0x1234, host: "a.example")
        let question = try #require(query.encoded).dropFirst(12)
        let text: [UInt8] = [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 6, 2, 0x61, 0x62, 2, 0x63, 0x64]
        let answer = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0] + question + text + text
        try Fuzzer("DNS answer", seeds: [answer]).run { bytes in
            guard query.records(in: bytes) != nil else { throw NoAnswer() }
        }
    }

    private struct NoAnswer: Error {}

    @Test func whatServersSay() throws {
        let page =
            "# HELP x\nprocess_cpu_seconds_total 1.5\nurlfilter_party_cpu_seconds_total{party=\"pir\"} 0.5\n"
        try Fuzzer("Prometheus page", texts: [page], words: ["{", "\"", " ", "NaN", "\n"]).run { bytes in
            guard ServerUsage.reading(ofMetrics: String(decoding: bytes, as: UTF8.self)) != nil else {
                throw NoAnswer()
            }
        }
        try Fuzzer("HTTP date", texts: ["Sun, 06 Nov 1994 08:49:37 GMT"], words: [",", ":", " ", "Feb"]).run {
            bytes in
            guard HTTPDate.seconds(String(decoding: bytes, as: UTF8.self)) != nil else { throw NoAnswer() }
        }
        let urls = ["https://pir.example.com:8443", "http://[::1]:8080/", "http://127.0.0.1"]
        try Fuzzer("service address", texts: urls, words: ["[", "]", ":", "@", "/", "?", "%"]).run {
            let address = try ServiceAddress(String(decoding: $0, as: UTF8.self))
            #expect((0...65_535).contains(address.effectivePort) && !address.authority.isEmpty)
        }
    }
}
