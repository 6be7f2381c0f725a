import EventSimulation
import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import TestSupport
import Testing
import URLFilter
import Workload

/// Files that a scenario names, good and bad.
@Suite struct PreparationTests {
    @Test func missingFilesAreNamed() throws {
        let small = try SmallScenario.calibrated()
        #expect(throws: InputError.missing(path: small.folder.path + "/none.txt")) {
            try small.prepare("blocklist.file=none.txt")
        }
        #expect(throws: InputError.missing(path: small.folder.path + "/none.csv")) {
            try small.prepare("devices[pupils].browsing={trace: none.csv}")
        }
        #expect(throws: InputError.isDirectory(path: small.folder.path)) {
            try small.prepare("blocklist.file=\"\"")
        }
    }

    @Test func emptyFilesAreNamed() throws {
        let small = try SmallScenario.calibrated()
        let list = try small.folder.write("# nothing\n\n", to: "empty.txt")
        #expect(throws: BlockListError.noEntries(file: list)) {
            try small.prepare("blocklist.file=empty.txt")
        }
        let trace = try small.folder.write("epoch_seconds,client,url\n", to: "empty.csv")
        #expect(throws: PreparationError.traceEmpty(trace)) {
            try small.prepare("devices[pupils].browsing={trace: empty.csv}")
        }
    }

    @Test func badLinesAreCountedAndReported() throws {
        let small = try SmallScenario.calibrated()
        try small.folder.write("epoch_seconds,client,url\n1,a,https://x.example/\nnonsense\n", to: "bad.csv")
        let preparation = try small.prepare("devices[pupils].browsing={trace: bad.csv}")
        #expect(preparation.reports.map(\.droppedCount) == [0, 1])
        #expect(preparation.traceSummaries.map(\.records) == [1])
        #expect(preparation.traceSummaries.map(\.dropped) == [1])
    }

    /// A group of three systems is three groups, each with the way of its devices to every region.
    /// Ten entries at 0.1 % err five times as often as asked, two thousand as often.
    @Test func aSmallPrefilterSaysThatItErrsMoreOften() throws {
        for (count, isSaid) in [(10, true), (2_000, false)] {
            let list = BlockList((0..<count).map { "bad\($0).example" })
            let parameters = try BloomParameters(
                entryCount: count, falsePositiveTolerance: 0.001, murmurSeed: 624_656_550)
            let filter = PrefilterBuilder.build(list, parameters: parameters)
            let summary = PrefilterBuilder.summary(
                of: filter, entryCount: count, stray: try PrefilterBuilder.strayHits(of: filter))
            #expect((summary.excess != nil) == isSaid, "\(summary)")
        }
    }

    @Test func groupsOfSeveralSystemsReachTheirRegions() async throws {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            duration: 100s
            devices:
              - { name: west, count: 20, continent: NA, os: "iOS27=60%,iOS26=20%,iOS27.3=20%",
                  browsing: { lookups: { perDay: 20000 } } }
              - { name: east, count: 10, continent: EU, browsing: { lookups: { perDay: 20000 } } }
            services:
              regions: [{ name: america, continent: NA }, { name: europe, continent: EU }]
            updates: { every: never }
            replications: { min: 2, max: 2 }
            """)
        let result = try await Runner.run(try small.prepare(), threads: 1).result
        let regions = try #require(result.points.first?.regions)
        let perDay = regions.compactMap { $0[RegionMetrics($0.name).perDay]?.value }
        // Two of three devices are west; twenty thousand lookups a day with as many tokens and some keys.
        let share = perDay[0] / perDay.reduce(0, +)
        #expect((0.6...0.73).contains(share), "\(perDay)")
        for region in regions {
            #expect(region[RegionMetrics(region.name).diverted]?.value ?? 0 == 0, "nobody asks from afar")
        }
    }

    @Test func whatATraceImpliesIsChecked() throws {
        let small = try SmallScenario.calibrated()
        #expect(throws: PreparationError.self) { try small.prepare("warmUp=5min") }
        #expect(throws: PreparationError.self) {
            try small.prepare("faults=[{kind: restart, service: pir, at: 1h}]")
        }
        #expect(throws: PreparationError.noDuration) {
            try small.prepare("devices=[{name: a, count: 1}]", "web.siteCount=10")
        }
    }

    @Test func aSeriesWithoutEndIsRefused() throws {
        let small = try SmallScenario.calibrated()
        #expect(throws: PreparationError.seriesTooLong(points: 10_000_001)) {
            try small.prepare("duration=1e7s", "drain=1s", "seriesInterval=1s")
        }
    }

    /// Times of 1700 and 2200 in one file: 500 years, more than 64 bits of nanoseconds.
    @Test func aTraceOfCenturiesIsRefused() throws {
        let small = try SmallScenario.calibrated()
        try small.folder.write(
            "time,client,url\n1700-01-01T00:00:00Z,a,https://x.example/\n2200-01-01T00:00:00Z,a,https://y.example/\n",
            to: "long.csv")
        #expect(throws: PreparationError.self) {
            try small.prepare("devices[pupils].browsing={trace: long.csv}")
        }
        #expect(throws: PreparationError.self) {
            try small.prepare("devices[pupils].browsing={trace: long.csv, compression: 0.001}")
        }
    }

    @Test func groupsMayReplayOneTraceAtDifferentSpeeds() throws {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare(
            "devices=[{name: a, count: 3, browsing: {trace: trace.csv, compression: 10}}, "
                + "{name: b, count: 3, browsing: {trace: trace.csv}}]")
        // 149 steps of 0.4 s, at the speed of the slower group.
        #expect(abs(preparation.configuration.duration.seconds - 59.6) < 0.001)
        #expect(preparation.traceSummaries.count == 1)
    }

    @Test func aProfileOfSomethingElseIsRefused() throws {
        let small = try SmallScenario.calibrated()
        for profile in [
            SmallScenario.profile(entries: 6000, parameters: small.parameters),
            SmallScenario.profile(entries: 61, parameters: "n_8192_logq_3x55_logt_24"),
            SmallScenario.profile(entries: 61, parameters: small.parameters, shards: 2),
        ] {
            try small.folder.write(
                String(decoding: try JSONEncoder().encode(profile), as: UTF8.self), to: "other.json")
            #expect(throws: ProfileError.self) { try small.prepare(profile: "other.json") }
        }
        // A list that has grown by a few entries is still charged alike.
        let near = SmallScenario.profile(entries: 64, parameters: small.parameters)
        try small.folder.write(
            String(decoding: try JSONEncoder().encode(near), as: UTF8.self), to: "near.json")
        #expect(throws: Never.self) { try small.prepare(profile: "near.json") }
    }

    @Test(
        "a corrupt profile says what is wrong",
        arguments: [
            ("{}", "schema is missing"), ("", nil), ("[]", nil), ("\u{0}", nil), ("{\"schema\": 5}", nil),
            (
                "\"schema\":\"urlfilter.profile/1\"→\"schema\":\"x/9\"",
                "its schema is 'x/9', not 'urlfilter.profile/1'"
            ),
            ("\"queries\"→\"quarries\"", "it has no endpoint 'queries'"),
            ("[5000000,10000000,40000000]→[]", nil), ("[5000000,10000000,40000000]→[-1]", nil),
            ("[5000000,10000000,40000000]→[9223372036854775807]", nil),
            ("\"requestBytes\":30000→\"requestBytes\":-1", nil),
            ("\"requestBytes\":30000→\"requestBytes\":1e300", nil),
            ("\"serviceAnswers\":1000000→\"serviceAnswers\":-5", nil),
        ])
    func corruptProfile(change: String, sentence: String?) throws {
        let small = try SmallScenario.calibrated()
        var text = change
        if change.contains("→") {
            let parts = change.components(separatedBy: "→")
            let good = try String(contentsOfFile: small.folder.path + "/profile.json", encoding: .utf8)
            text = good.replacingOccurrences(of: parts[0], with: parts[1])
            #expect(text != good, "nothing was changed")
        }
        let path = try small.folder.write(text, to: "corrupt.json")
        do {
            _ = try small.prepare(profile: "corrupt.json")
            Issue.record("the profile was accepted")
        } catch let error as ProfileError {
            #expect(error.description.hasPrefix("\(path): not a usable cost profile: "))
            if let sentence { #expect(error.description.hasSuffix(sentence)) }
        }
    }
}
