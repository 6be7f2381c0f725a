import Experiment
import Foundation
import Scenarios
import TestSupport
import Testing
import URLFilter

/// `--records` and `--timeline`.
@Suite struct RecordingTests {
    private static let faults =
        "faults=[{ kind: outage, service: pir, at: 20s, for: 10s }, { kind: instanceLoss, service: pir, instances: 1, at: 40s, for: 5s }]"

    private let small: SmallScenario
    private var records: String { small.folder.path + "/records.csv" }
    private var timeline: String { small.folder.path + "/timeline.json" }

    init() throws { small = try SmallScenario.calibrated() }

    private func plan(_ settings: [String]) throws -> SweepPlan {
        var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        for setting in settings { file = try file.setting(setting) }
        return try SweepPlan(file)
    }

    /// Runs the scenario and writes both files.
    private func run(_ settings: String..., threads: Int = 2) async throws -> PointResult {
        let plan = try plan(settings)
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.threads = threads
        let recording = try RunRecording(records: records, timeline: timeline, of: plan)
        let sweep = try Sweep(plan, options: options, version: "1")
        let result = try await sweep.run(
            stop: StopSignal(), recording: recording, note: { _ in }, progress: { _ in })
        try recording.finish()
        return try #require(result?.points.first)
    }

    /// By the names of the columns.
    private func rows() throws -> [[String: String]] {
        let lines = try String(contentsOfFile: records, encoding: .utf8).components(separatedBy: "\r\n")
            .dropLast()
        let header = try #require(lines.first).components(separatedBy: ",")
        return lines.dropFirst().map { line in
            let fields = line.components(separatedBy: ",")
            #expect(fields.count == header.count)
            return Dictionary(uniqueKeysWithValues: zip(header, fields))
        }
    }

    /// By nearest rank, and read as the histogram of the program reads it: 11 significant bits, rounded up.
    private func quantile(_ share: Double, of values: [Int]) -> Double {
        let sorted = values.sorted()
        let value = sorted[Int((share * Double(sorted.count)).rounded(.up)) - 1]
        let lost = max(0, Int.bitWidth - value.leadingZeroBitCount - 11)
        return Double(min((((value >> lost) + 1) << lost) - 1, sorted[sorted.count - 1])) * 1e-9
    }

    @Test func theSummaryFollowsFromTheRows() async throws {
        let point = try await run(Self.faults)
        let rows = try rows()
        let urls = rows.filter { $0["kind"] == "url" }
        let lookups = rows.filter { $0["kind"] == "lookup" }
        func count(_ rows: [[String: String]], _ outcome: String) -> Int {
            rows.count { $0["outcome"] == outcome }
        }
        #expect(count(lookups, "failed") > 0 && count(lookups, "answered") > 0)
        #expect(lookups.count == point.counts.lookupsSent)
        #expect(count(lookups, "answered") == point.counts.lookupsAnswered)
        #expect(urls.count == point.counts.urlsHit)
        for outcome in ["allowedByServer", "blockedByServer"] {
            #expect(count(urls, outcome) == point.counts.verdicts[outcome])
        }
        for (cause, number) in point.counts.policyCauses {
            #expect(urls.count { $0["cause"] == cause.rawValue } == number, "\(cause)")
        }
        for replication in 0..<4 {
            func value(_ name: String, _ statistic: String) throws -> Double {
                let metric = try #require(
                    point.metrics.first { $0.name == name && $0.statistic == statistic },
                    "\(name) \(statistic)")
                return try #require(metric.perReplication[replication])
            }
            let own = urls.filter { $0["replication"] == "\(replication)" }
            let waits = own.compactMap { $0["waitNanoseconds"].flatMap(Int.init) }
            #expect(!waits.isEmpty)
            let mean = Double(waits.reduce(0, +)) / Double(waits.count) * 1e-9
            // The program reads both to the nanosecond.
            #expect(abs(try value("lookup.latency", "mean") - mean) < 1e-9)
            #expect(abs(try value("lookup.latency", "p50") - quantile(0.5, of: waits)) < 1e-12)
            let answered = lookups.filter {
                $0["replication"] == "\(replication)" && $0["outcome"] == "answered"
            }
            for row in answered where row["requests"] == "1" {
                let stages = row.filter {
                    $0.key.hasSuffix("Nanoseconds")
                        && !["startNanoseconds", "waitNanoseconds"].contains($0.key)
                }
                #expect(
                    stages.values.compactMap(Int.init).reduce(0, +)
                        == row["waitNanoseconds"].flatMap(Int.init))
            }
        }
    }

    @Test func theFilesDoNotDependOnThreads() async throws {
        var known: [Data]?
        for threads in [1, 3] {
            _ = try await run(Self.faults, threads: threads)
            let files = try [records, timeline].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            #expect(known ?? files == files)
            known = files
        }
    }

    private struct Document: Decodable {
        struct Event: Decodable {
            /// Where the event stands in a viewer.
            var track: [Int] { [pid, tid] }
            var name: String
            var ph: String
            var pid: Int
            var tid: Int
            var ts: Double?
            var dur: Double?
        }
        var traceEvents: [Event]
    }

    @Test func theTimelineHasLookupsServersAndFaultsInTracksThatNest() async throws {
        _ = try await run(Self.faults)
        let data = try Data(contentsOf: URL(fileURLWithPath: timeline))
        let events = try JSONDecoder().decode(Document.self, from: data).traceEvents
        let names = Set(events.map(\.name))
        #expect(names.isSuperset(of: ["outage of pir", "request", "pir", "gateway", "busy", "queue"]))
        #expect(events.contains { $0.name == "outage of pir" && $0.ts == 20e6 && $0.dur == 10e6 })
        // What a viewer needs: phases that it knows, a name for each track, and the events of a track in order.
        #expect(Set(events.map(\.ph)).isSubset(of: ["M", "X", "C", "i"]))
        let slices = Dictionary(grouping: events.filter { $0.ph == "X" }, by: \.track)
        let named = Set(events.filter { $0.ph == "M" && $0.name == "thread_name" }.map(\.track))
        #expect(slices.count > 3 && named.isSuperset(of: slices.keys))
        let counters = Dictionary(grouping: events.filter { $0.ph == "C" }) {
            $0.track.map(String.init) + [$0.name]
        }
        for times in (Array(slices.values) + Array(counters.values)).map({ $0.compactMap(\.ts) }) {
            #expect(times == times.sorted() && times[0] >= 0)
        }
        for (_, track) in slices {
            var open: [(begin: Double, end: Double)] = []
            for event in track {
                let (begin, length) = (try #require(event.ts), try #require(event.dur))
                #expect(length >= 0)
                open.removeAll { $0.end <= begin + 5e-4 }
                if let around = open.last { #expect(begin + length <= around.end + 5e-4) }
                open.append((begin, begin + length))
            }
        }
    }

    @Test func whatHasNoLookupsOrManyRunsIsRefused() throws {
        #expect(throws: SweepError.noLookups(.wholeList)) {
            try RunRecording(records: records, timeline: nil, of: plan(["architecture=wholeList"]))
        }
        #expect(throws: SweepError.pointsToRecord(2)) {
            let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
                .setting("vary={ services.pir.cores: [1, 2] }")
            return try RunRecording(records: records, timeline: nil, of: SweepPlan(file))
        }
        #expect(!FileManager.default.fileExists(atPath: records))
    }
}
