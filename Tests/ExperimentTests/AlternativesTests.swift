import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import Scenarios
import TestSupport
import Testing

/// The same traffic through every architecture, against each other and against counting by hand.
@Suite struct AlternativesTests {
    private static let open = "replications: { min: 2, max: 2 }"

    /// Of two independent times, even over 24 and 6 hours, the later one is 24 / 2 + 6² / (6 × 24) hours in the mean, and
    /// the earlier one 6 / 2 less as much.
    @Test func changesArriveAsOftenAsDevicesLook() throws {
        let small = try SmallScenario.calibrated(Self.open)
        func delay(_ architecture: ArchitectureChoice, _ settings: String...) throws -> ChangeDelay {
            var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
            for setting in settings + ["architecture=\(architecture.rawValue)"] {
                file = try file.setting(setting)
            }
            return try #require(ChangeDelay(ScenarioResolver.resolve(file)))
        }
        func isNear(_ time: ChangeDelay.Time, _ mean: Double, _ p95: Double) -> Bool {
            abs(time.mean - mean * 3_600) < 60 && abs(time.p95 - p95 * 3_600) < 60
        }
        let filter = try delay(.urlFilter, "updates.appRestart=0s")
        #expect(isNear(filter.toBlock, 12.25, 0.95 * 24))
        // The root of (1 - t / 24) (1 - t / 6) = 0.05.
        #expect(isNear(filter.toAllow, 2.75, 5.6085))
        let list = try delay(.contentFilter, "filter.prefilterFetchInterval=2h")
        #expect(isNear(list.toBlock, 1, 1.9) && isNear(list.toAllow, 1, 1.9))
        let server = try delay(.dnsFilter, "mechanisms={dnsFilter: {reload: 90s}}")
        #expect(isNear(server.toBlock, 0.025, 0.025) && server.toAllow == server.toBlock)
        let asked = try delay(.hashPrefix)
        #expect(isNear(asked.toBlock, 12, 22.8) && isNear(asked.toAllow, 0, 0))
    }

    @Test(arguments: ArchitectureChoice.allCases)
    func everyArchitectureFacesTheSameTraffic(_ architecture: ArchitectureChoice) async throws {
        let small = try SmallScenario.calibrated(Self.open)
        let point = try #require(try await small.result(architecture).points.first)
        let baseline = try #require(try await small.result(.urlFilter).points.first)
        #expect(point[.checked]?.value == baseline[.checked]?.value)
        let listed = try #require(Metric("url.listed", "rate"))
        #expect(point[listed]?.value == baseline[listed]?.value)
        #expect(point.identities.allSatisfy { $0.violations == 0 })
        #expect(point[.pageTime(percentile: 95)] != nil && point[.operatorPeakCores] != nil)
    }

    /// Hosts by Foundation, and suffixes of names by hand.
    @Test(arguments: ["blockHost", "ignore"])
    func whatAHostLevelFilterDoesIsCountedByHand(_ pathEntries: String) async throws {
        let entries = [
            "bad.example", "shop.example/sale", "news.example/a/b", "www.forum.example/t1",
            "deep.sub.example",
        ]
        let urls = [
            "https://bad.example/", "https://www.bad.example/x", "https://a.bad.example/x",
            "https://notbad.example/", "https://shop.example/", "https://shop.example/sale",
            "https://shop.example/sale/today", "https://img.shop.example/sale", "https://news.example/a",
            "https://news.example/a/b?x=1", "https://forum.example/t1", "https://forum.example/t2",
            "https://sub.example/", "https://deep.sub.example/z", "https://x.deep.sub.example/",
        ]
        let small = try SmallScenario.calibrated(Self.open)
        try small.folder.write(entries.joined(separator: "\n") + "\n", to: "list.txt")
        try small.folder.write(
            "epoch_seconds,client,url\n"
                + urls.enumerated().map { "\(1_700_000_000 + $0.offset),c\($0.offset % 3),\($0.element)" }
                .joined(separator: "\n") + "\n", to: "trace.csv")
        let point = try #require(
            try await small.result(
                .dnsFilter, "devices[pupils].count=3",
                "mechanisms={dnsFilter: {coverage: 1, pathEntries: \(pathEntries)}}"
            ).points.first)
        let filter = try #require(
            try await small.result(.wholeList, "devices[pupils].count=3").points.first)
        let hosts = entries.filter { pathEntries == "blockHost" || !$0.contains("/") }.map {
            $0.split(separator: "/")[0].replacing("www.", with: "")
        }
        let blocked = urls.map { url in
            let host = URL(string: url)?.host ?? ""
            return hosts.contains { host == $0 || host.hasSuffix(".\($0)") }
        }
        // Paths by their segments.
        let listed = urls.map { url in
            guard let parts = URL(string: url), let host = parts.host else { return false }
            return entries.contains { entry in
                let pieces = entry.replacing("www.", with: "").split(separator: "/").map(String.init)
                let path = parts.path.split(separator: "/").map(String.init)
                return (host == pieces[0] || host.hasSuffix(".\(pieces[0])"))
                    && path.starts(with: pieces.dropFirst())
            }
        }
        let pairs = zip(blocked, listed)
        let (leaks, wrong) = (pairs.count { !$0 && $1 }, pairs.count { $0 && !$1 })
        #expect(filter[.leaked]?.value == 0)
        let blockedByList = try #require(Metric("url.blockedByDevice", "rate"))
        let share = Double(listed.count { $0 }) / Double(urls.count)
        #expect(filter[blockedByList]?.value == share)
        #expect(point[.leaked]?.value == Double(leaks))
        #expect(point[.leakedByGrain]?.value == Double(leaks))
        #expect(point[.falselyBlocked]?.value == Double(wrong))
        #expect(point[.blockedByGrain]?.value == Double(wrong))
        #expect(pathEntries == "ignore" ? leaks == 5 && wrong == 0 : leaks == 0 && wrong == 3)
    }

    @Test func aListThatIsTooLongLeaksItsEnd() async throws {
        let small = try SmallScenario.calibrated(Self.open)
        let point = try #require(
            try await small.result(
                .builtInList, "mechanisms={builtInList: {coverage: 1, entryLimit: 30}}"
            ).points.first)
        // Every fifth of 150 URLs is bad1 to bad59, by index % 59 + 1; each is replayed twice.
        let visited = stride(from: 0, to: 150, by: 5).map { $0 % 59 + 1 }
        #expect(point[.leaked]?.value == Double(2 * visited.count { $0 > 30 }))
    }

    /// Parts of URLs by Foundation, beside what the URL filter blocks.
    @Test(arguments: ["entry", "substring"])
    func whatARuleListDoesIsCountedByHand(_ matching: String) async throws {
        let entries = ["bad.example", "shop.example/sale", "www.forum.example/t1", "t.co"]
        let urls = [
            "https://bad.example/", "https://notbad.example/", "https://search.example/?q=BAD.example",
            "https://www.bad.example/x", "https://shop.example/sale", "https://myshop.example/sale",
            "https://shop.example/", "https://forum.example/t1", "https://forum.example/t12",
            "https://t.co/abc", "https://microsoft.com/", "https://fine.example/",
        ]
        let small = try SmallScenario.calibrated(Self.open)
        try small.folder.write(entries.joined(separator: "\n") + "\n", to: "list.txt")
        try small.folder.write(
            "epoch_seconds,client,url\n"
                + urls.enumerated().map { "\(1_700_000_000 + $0.offset),c\($0.offset % 3),\($0.element)" }
                .joined(separator: "\n") + "\n", to: "trace.csv")
        let point = try #require(
            try await small.result(
                .builtInList, "devices[pupils].count=3",
                "mechanisms={builtInList: {coverage: 1, matching: \(matching)}}"
            ).points.first)
        // By the rules of the URL filter, which the tests of lookup strings hold against Apple's.
        let listed = [0, 3, 4, 7, 9]
        let parts = entries.map { $0.replacing("www.", with: "") }
        let wrong = urls.indices.count { number in
            !listed.contains(number) && parts.contains { urls[number].lowercased().contains($0) }
        }
        #expect(point[.leaked]?.value == 0)
        #expect(point[.falselyBlocked]?.value == (matching == "substring" ? Double(wrong) : 0))
        #expect(point[.blockedByWildcard]?.value == (matching == "substring" ? Double(wrong) : nil))
        #expect(wrong == 5)
    }

    /// A mechanism without PIR servers cannot fill them: an objective on these decides nothing about it.
    @Test func anObjectiveIsAskedOfThoseThatHaveWhatItIsAbout() async throws {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 6, max: 6 }
            objectives: [url.checked count > 0, pir.utilization mean < 75%]
            """)
        var results: [(architecture: ArchitectureChoice, result: RunResult)] = []
        for choice in [ArchitectureChoice.urlFilter, .wholeList] {
            results.append((choice, try await small.result(choice)))
        }
        let prices = Prices.Preset.largeCloud.prices
        let table = try AlternativesResult(
            results, of: try small.scenario(), prices: prices, confidence: 0.95)
        #expect(table.rows.map(\.verdict) == [.meetsAll, .meetsAll])
        #expect(table.rows.map(\.unasked) == [[], ["pir.utilization mean < 75%"]])
        // Where nobody has a value it stays open.
        let alone = try AlternativesResult(
            Array(results.dropFirst()), of: try small.scenario(), prices: prices, confidence: 0.95)
        #expect(alone.rows.map(\.verdict) == [.cannotTell] && alone.rows[0].unasked.isEmpty)
    }

    @Test func causesAddUpAndObjectivesJudge() async throws {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 6, max: 6 }
            objectives: [url.leaked count == 0, page.added p95 < 50ms]
            faults: [{ kind: outage, service: decider, at: 20s, for: 20s }]
            """)
        var results: [(architecture: ArchitectureChoice, result: RunResult)] = []
        let choices: [ArchitectureChoice] = [.urlFilter, .wholeList, .dnsFilter, .httpProxy]
        for choice in choices { results.append((choice, try await small.result(choice))) }
        let prices = Prices.Preset.largeCloud.prices.with([
            "coreHour": 0.5, "egressGigabyte": 2, "targetUtilization": 0.5,
        ])
        let table = try AlternativesResult(
            results, of: try small.scenario(), prices: prices, confidence: 0.95)
        #expect(table.rows.map(\.architecture) == choices)
        for row in table.rows {
            let sum = HarmCause.allCases.reduce(0) { $0 + row.count(.leaked, $1) }
            let leaked = try #require(row[.leaked]?.value)
            #expect(abs(sum - leaked) <= 1e-9 * leaked, "\(row.architecture)")
        }
        // Nothing fails that nobody needs.
        #expect(table.rows[1].verdict == .meetsAll && table.rows[1].readWithAddress == nil)
        #expect(table.rows[2].verdict == .fails && table.rows[2].readWithAddress == .host)
        #expect(table.rows[3].count(.leaked, .undecided) > 0 && table.rows[3].verdict == .fails)
        #expect(table.names(.meetsAll) == ["whole list"])
        let proxy = table.rows[3]
        let cores = try #require(proxy[.operatorPeakCores]?.value)
        let bytes = try #require(proxy[.operatorEgress]?.value)
        let memory = try #require(proxy[.operatorMemory]?.value)
        // Servers of two cores, half busy, and one to spare.
        let servers = (cores / 0.5 / 2).rounded(.up) + 1
        let money = 30 * (24 * servers * 2 * 0.5 + bytes * 1e-9 * 2) + memory * 1e-9 * 3.05
        #expect(abs((proxy.moneyPerMonth ?? 0) - money) < 1e-9 * money)
        // Nothing is served, and lists come from the content network.
        #expect(table.rows[1].cost?.total(.cores) == 0)
    }

    /// The CPU time of a connection is such that the busiest interval takes some cores.
    private static let busyProxy = "cpuPerConnection: 3s"

    @Test func serversAreThoseOfTheScenarioOrOfThePrices() async throws {
        let small = try SmallScenario.calibrated(Self.open)
        func point(_ settings: String) async throws -> PointResult {
            try #require(
                try await small.result(
                    .httpProxy, "mechanisms={httpProxy: {\(Self.busyProxy)\(settings)}}"
                ).points.first)
        }
        let usual = try await point("")
        let cores = try #require(usual[.operatorPeakCores]?.value)
        // Instances of two cores, 60 % busy, and one to spare, in each replication.
        let instances = usual[.mechanismInstances]?.perReplication.compactMap(\.self) ?? []
        let peaks = usual[.operatorPeakCores]?.perReplication.compactMap(\.self) ?? []
        #expect(peaks.count == 2)
        #expect(instances == peaks.map { ($0 / 0.6 / 2).rounded(.up) + 1 })
        let utilization = try #require(usual[.mechanismBusiest]?.value)
        #expect(utilization < 0.6)
        let own = try await point(", instances: 3, cores: 4, serviceVariability: 0, patience: 10s")
        #expect(own[.mechanismInstances]?.value == 3 && own[.mechanismCores]?.value == 12)
        #expect(abs((own[.mechanismBusiest]?.value ?? 0) - cores / 12) < 1e-9)
        #expect(own[.unserved]?.value == 0)
        // Half of what is needed.
        let few = try await point(", instances: 1, cores: \(max(Int(cores / 2), 1))")
        #expect((few[.mechanismBusiest]?.value ?? 0) > 1)
        #expect(few.warnings.contains { $0.code == .mechanismOverloaded })
        let (slow, fast) = (few[.pageTime(percentile: 95)]?.value, own[.pageTime(percentile: 95)]?.value)
        #expect((slow ?? 0) > (fast ?? 0) + 0.5)
    }

    @Test func whatTheScenarioPutsThereIsPaidFor() async throws {
        let small = try SmallScenario.calibrated(Self.open)
        let prices = Prices.Preset.largeCloud.prices
        func cores(_ settings: String) async throws -> Double {
            let run = try await small.result(
                .httpProxy, "mechanisms={httpProxy: {\(Self.busyProxy)\(settings)}}")
            let table = try AlternativesResult(
                [(.httpProxy, run)], of: try small.scenario(), prices: prices, confidence: 0.95)
            return try #require(table.rows[0].cost).total(.cores) / prices.rates.coreHour / 720
        }
        let own = try await cores(", instances: 50, cores: 4")
        #expect(abs(own - 200) < 1e-9)
        let usual = try await cores("")
        // Whole servers of two cores.
        #expect(usual < 50 && abs(usual - 2 * (usual / 2).rounded()) < 1e-9)
    }

    /// Twice the servers, half the utilization: `sweep` sees it.
    @Test func serversOfAMechanismCanBeVaried() async throws {
        let small = try SmallScenario.calibrated(Self.open)
        var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        for setting in ["architecture=httpProxy", "objectives=[mechanism.utilization max < 1%]"] {
            file = try file.setting(setting)
        }
        var vary = VaryOptions()
        vary.assignments = ["mechanisms.httpProxy.instances=1,2,4"]
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        let sweep = try Sweep(SweepPlan(file, more: vary), options: options, version: "1")
        let run = try #require(await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in }))
        let loads = run.points.compactMap { $0[.mechanismBusiest]?.value }
        #expect(loads.count == 3 && loads[0] > 0)
        #expect(abs(loads[1] - loads[0] / 2) < 1e-12 && abs(loads[2] - loads[0] / 4) < 1e-12)
        #expect(run.points.allSatisfy { $0.objectives.first?.observed == $0[.mechanismBusiest]?.value })
    }

    @Test(
        "what a mechanism does not have is refused with the place",
        arguments: [
            ("mechanisms={dnsFliter: {}}", "unknown"), ("mechanisms={dnsFilter: {hops: 2}}", "hops"),
            ("mechanisms={page: {chain: 80}}", "chain"),
            ("faults=[{kind: outage, service: pir, at: 1s, for: 1s}]", "decider"),
            ("fidelity=real", "real"),
        ])
    func wrongSettings(_ setting: String, _ word: String) async throws {
        let small = try SmallScenario.calibrated(Self.open)
        let error = await #expect(throws: (any Error).self) {
            _ = try await small.result(.dnsFilter, setting)
        }
        let text = "\(try #require(error))"
        #expect(text.contains(word) || word == "unknown" && text.contains("dnsFilter"), "\(text)")
    }
}
