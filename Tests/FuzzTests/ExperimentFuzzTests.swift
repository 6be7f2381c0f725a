import Decoding
import DeviceFleet
import Experiment
import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import TestSupport
import Testing
import Timing
import URLFilter

/// What experiments read, and what a device and the doctor hear from machines they do not know.
@Suite struct ExperimentFuzzTests {
    private static let scenarios = ["quickstart", "school-district", "outage"].map { name in
        SourceTree.root.appendingPathComponent("Scenarios/\(name).yaml")
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

    /// A plan that is read can be written, and is then read as it was.
    @Test func loadTestPlan() throws {
        let text = """
            schema: urlfilter.load-test/1
            scenario: 'school'
            machines: 2
            users: 26
            keysPerSecond: 0.003067
            steps:
              - { name: minute, rate: 19.02, ramp: 10s, warmUp: 10s, duration: 1min }
              - { name: second, rate: 140.7, duration: 120.0s }
            criteria:
              - { step: minute, measure: latency, percentile: 99, relation: '<', limit: 3.0s, dependence: 1.016 }
              - { step: second, measure: unanswered, relation: '<=', limit: 1%, source: 'it''s an assumption' }
              - { step: minute, measure: utilization, service: pir, cores: 8, relation: '<', limit: 0.75 }
              - { step: minute, measure: wrong, relation: '==', limit: 0 }
            notes: ['from 5 runs']
            """
        let words = ["1e-300", "1e300", "-1", "null", "~", "\n  ", ": ", "'", "\"\\u2028\"", "\"\\0\"", "!!"]
        try Fuzzer("plan of a load test", texts: [text], words: words, grammar: YAMLGrammar.self).run {
            bytes in
            let plan = try LoadTestPlan(text: Data(bytes), path: "p.yaml")
            let again = try LoadTestPlan(text: Data(plan.yaml.utf8), path: "p.yaml")
            #expect(again.yaml == plan.yaml && again.steps == plan.steps)
            let verdicts = plan.criteria.map { LoadTestVerdict($0, nil).verdict }
            #expect(verdicts.allSatisfy { $0 == .cannotTell })
        }
    }

    /// Ratios that are taken can be applied to the costs of any machine.
    @Test func ratiosOfAnotherServer() throws {
        let text = """
            {"schema": "urlfilter.server/1", "name": "other", "version": "1", "obtained": "side by side",
             "cpu": {"queries": {"value": 2.5, "low": 2.1, "high": 3.0}, "key": {"value": 0.5}},
             "evaluationKeyBytes": {"value": 0.4}, "groupLimit": 1, "queueSeconds": 2}
            """
        let words = ["1e308", "-1", "null", "\"low\": 0", "0.001", "1000", "\"issue\"", "{", "}", ","]
        try Fuzzer("ratios of a server", texts: [text], words: words).run { bytes in
            let server = try ServerChoice.decode(Data(bytes), path: "server.json")
            // A server that parses keys at every query needs costs that this profile does not have.
            guard let costs = Self.profile.served(by: server) else { return }
            #expect(costs.evaluationKeyBytes >= 0 && costs.extraKeyword.serviceAnswers >= 0)
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
        let texts = [
            "lookup.latency p99 < 800ms", "url.leaked count == 0", "pir.utilization max < 75%",
        ]
        try Fuzzer("objective", texts: texts, words: ["<", ">=", " ", "p99", "max", "%", "1e309"]).run {
            let objective = try Objective(String(decoding: $0, as: UTF8.self))
            #expect(objective.limit.isFinite)
        }
    }

    /// A profile that nobody measured.
    static let profile = {
        let stage = StageCost(samples: [1, 2_000, 3_000_000])
        let endpoint = EndpointCost(
            deviceBegins: stage, gatewayOpens: stage, serviceAnswers: stage, gatewaySeals: stage,
            deviceEnds: stage, requestBytes: 30_000, responseBytes: 25_000)
        return CostProfile(
            machine: .init(processor: "p", cores: 2, system: "s", compiler: "c", build: "b"),
            subject: .init(
                rlweParameters: "n_4096_logq_27_28_28_logt_5", entries: 20, shards: 1, dimensions: [1, 1],
                databaseBytes: 100),
            endpoints: Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, endpoint) }),
            extraKeyword: .init(
                deviceBegins: 1, gatewayOpens: 1, serviceAnswers: 1, gatewaySeals: 1, deviceEnds: 1,
                requestBytes: 1, responseBytes: 1),
            evaluationKeyBytes: 600_000)
    }()

    @Test func costProfile() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let seed = Array(try encoder.encode(Self.profile))
        try Fuzzer(
            "cost profile", seeds: [seed], words: ["{", "[", "]", "null", "-", "1e999", "\"samples\":[]"]
        ).run {
            let profile = try JSONReader.read(CostProfile.self, from: Data($0))
            for cost in profile.endpoints.values {
                #expect(cost.serviceAnswers.median >= 0 && cost.requestBytes >= 0)
            }
        }
    }

    /// Three devices and a trace, whose costs are charged.
    private static func preparation(in folder: TemporaryFolder) throws -> Preparation {
        let entries = (0..<20).map { "bad\($0).example\n" }.joined()
        try folder.write(Array(entries.utf8), to: "list.txt")
        let rows = (0..<60).map { "\(1_700_000_000 + $0),c\($0 % 3),https://bad\($0 % 30).example/\($0)\n" }
        try folder.write(Array(("epoch_seconds,client,url\n" + rows.joined()).utf8), to: "trace.csv")
        try folder.write(Array(try JSONEncoder().encode(profile)), to: "profile.json")
        let text = """
            fidelity: calibrated
            blocklist: { file: list.txt }
            devices: [{ name: pupils, count: 3, browsing: { trace: trace.csv } }]
            faults: [{ at: 20s, for: 10s, service: pir, kind: outage }]
            replications: { min: 2, max: 2 }
            seriesInterval: 10s

            """
        let file = try ScenarioFile(text: Data(text.utf8), path: "s.yaml", folder: folder.path)
        var options = Preparation.Options()
        options.profile = folder.path + "/profile.json"
        return try Preparation.prepare(ScenarioResolver.resolve(file), options: options) { _ in }
    }

    /// Replications that another machine computed, and what `sweep collect` makes of them.
    @Test func sweepRecord() async throws {
        let folder = try TemporaryFolder()
        let preparation = try Self.preparation(in: folder)
        let records = try await Runner.run(preparation, threads: 1).records
        let words = [
            "[", "]", "{", "}", "null", "-", "1e308", "-1", ",", "9007199254740993", "\"sum\":\"-1\"",
        ]
        try Fuzzer("sweep record", seeds: [Array(try JSONText.line(records[0]))], words: words).run {
            bytes in
            let record = try RecordFile.decode(Data(bytes))
            let problem = RecordFile.problem(of: record, replication: 0, scenario: preparation.scenario)
            if let problem { throw Unusable(problem: problem) }
            let result = ResultBuilder(
                preparation, warmUp: preparation.givenWarmUp, records: [record, records[1]]
            ).result(finished: true)
            #expect(!Document(result).text(.full).isEmpty)
            #expect(try RunResult.decode(result.json()) == result)
        }
    }

    private struct Unusable: Error {
        let problem: String
    }

    @Test func workManifest() throws {
        let folder = try TemporaryFolder()
        let line = """
            {"count":4,"first":0,"point":1,"result":"work/1-0.json","schema":"urlfilter.work/1",\
            "settings":{"services.pir.cores":"4"},"sweep":"0123456789abcdef01234567"}
            {"first":4,"point":0,"result":"work/0-4.json","schema":"urlfilter.work/1","settings":{},"sweep":"00"}

            """
        let words = ["\n", "{", "}", "..", "/", "null", "-1", "\"first\":", "\\u0000"]
        try Fuzzer("work manifest", texts: [line], words: words).run { bytes in
            try folder.write(bytes, to: WorkManifest.name)
            for unit in try WorkManifest(path: folder.path).units {
                #expect(unit.first >= 0 && !unit.result.contains(".."))
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
        let page = """
            # HELP process_cpu_seconds_total CPU time of this process.
            process_cpu_seconds_total 12.5
            process_start_time_seconds 1763800000.25
            urlfilter_party_cpu_seconds_total{party="pir"} 3.5
            urlfilter_party_cpu_seconds_total{party="gateway"} 0.25 1763800001000

            """
        let words = ["NaN", "+Inf", "-Inf", "{party=\"", "\"}", " ", "\n", "#", "1e308"]
        try Fuzzer("Prometheus page", texts: [page], words: words).run { bytes in
            guard let reading = ServerUsage.reading(ofMetrics: String(decoding: bytes, as: UTF8.self)) else {
                throw NoAnswer()
            }
            let used = reading.since(ServerUsage.Reading(total: 0, start: reading.start))
            let numbers = (used.map { [$0.total] + $0.parties.values } ?? []) + [reading.start ?? 0]
            // A number that is none cannot be written into a result.
            #expect(numbers.allSatisfy { $0.isFinite })
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
