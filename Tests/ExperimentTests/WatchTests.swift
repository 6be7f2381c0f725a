import Experiment
import FleetModel
import Foundation
import Questions
import Scenarios
import Statistics
import TestSupport
import Testing
import Workload

/// Servers beside the plan that a run is: what was done in windows is made here.
struct WatchTests {
    /// 100 devices with 864 lookups a day are one lookup a second.
    private static let world = """
        fidelity: calibrated
        start: steady
        history: 0s
        duration: 10min
        warmUp: 1min
        replications: { min: 2, max: 2 }
        devices:
          - { name: eu, count: 100, browsing: { lookups: { perDay: 864 } },
              tokens: { fixedBatches: false, refill: 50, refillBelow: 50, background: never } }
        services:
          pir: { instances: 1, cores: 2, grouping: { limit: 1 }, speed: none, queueTime: none }
        objectives: [pir.utilization mean < 70%]
        """

    private static func plan(_ small: SmallScenario) async throws -> WatchedPlan {
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        let scenario = try ScenarioResolver.resolve(file)
        let preparation = try Preparation.prepare(scenario, options: options) { _ in }
        let result = try await Runner.run(preparation, threads: 2).result
        _ = try ResultDirectory(path: small.folder.path + "/result")
        try small.folder.write(
            String(decoding: try result.json(), as: UTF8.self), to: "result/summary.json")
        try small.folder.write(ResolvedScenario.yaml(scenario.settings), to: "result/scenario.resolved.yaml")
        return try WatchedPlan(path: small.folder.path + "/result")
    }

    /// A day of windows of five minutes, at so many times the plan's lookups and time of each.
    private static func windows(
        _ plan: WatchedPlan, from start: Int64 = 1_795_694_400, count: Int = 48, lookups: Double = 1,
        time: Double = 1
    ) -> [WatchWindow] {
        (0..<count).map { number in
            let begin = (start + Int64(number) * 300) * 1_000_000_000
            var window = WatchWindow(times: begin..<(begin + 300_000_000_000))
            window.answered = 300 * lookups + (number % 2 == 0 ? 10 : -10)
            window.orders = window.answered * (plan.ordersPerLookup ?? 0)
            window.work = .init(
                seconds: window.answered * (plan.secondsPerLookup ?? 0) * time, lookups: window.answered)
            return window
        }
    }

    @Test func serversBesideTheirPlan() async throws {
        let small = try SmallScenario(Self.world)
        let plan = try await Self.plan(small)
        #expect(plan.devices == 100 && plan.forecast.expected(0..<86_400_000_000_000) != nil)
        let minute = plan.forecast.expected(0..<60_000_000_000)
        #expect(minute.map { abs($0 / 60 - 1) < 0.1 } == true, "\(minute ?? 0)")

        var options = Watch.Options()
        options.falseAlarmDays = 30
        var watch = Watch(plan, options)
        for window in Self.windows(plan) { watch.add(window) }
        let within = try watch.result("CPU", observed: "here")
        #expect(within.verdict == .within && within.windows == 48 && within.skipped == 0)
        #expect(within.hours.count == 4 && within.hours[3].forecast != nil)

        let change: Double = 1_795_694_400 + 48 * 300
        let later = Self.windows(plan, from: Int64(change), lookups: 1.6, time: 1.5)
        for window in later { watch.add(window) }
        let left = try watch.result("CPU", observed: "here")
        #expect(left.verdict == .left)
        for (name, factor) in [(WatchResult.Stream.Name.lookups, 1.6), (.time, 1.5)] {
            let stream = try #require(left[name])
            let (was, now) = (try #require(within[name]?.level), try #require(stream.level))
            #expect(stream.side == .above)
            #expect(abs(now.value / was.value / factor - 1) < 0.05, "\(name) \(now) after \(was)")
            #expect(stream.since == change)
            #expect(try #require(stream.noticed) > change)
        }
        #expect(left[.orders]?.side == nil && left[.refused]?.side == nil)

        // Lookups and time by hand: the fullest service is so many times as full as planned.
        let purchase = try #require(left.purchase)
        let product = try #require(left[.lookups]?.level?.value) * (try #require(left[.time]?.level?.value))
        #expect(purchase.service.name == "pir")
        #expect(abs(purchase.now / purchase.planned / product - 1) < 1e-9)

        let text = try watch.scenario(left)
        try small.folder.write(text, to: "now.yaml")
        let now = try ScenarioResolver.resolve(ScenarioFile(path: small.folder.path + "/now.yaml"))
        guard case .lookups(let traffic) = now.devices[0].browsing else {
            Issue.record("lookups stay lookups")
            return
        }
        let level = try #require(left[.lookups]?.level?.value)
        #expect(abs(traffic.perDay / 864 / level - 1) < 0.01)
        let time = try #require(left[.time]?.level?.value)
        #expect(abs(now.services[.pir].cpuFactor / time - 1) < 0.01)
    }

    @Test func devicesThatWereCountedAreNoMoreLookups() async throws {
        let small = try SmallScenario(Self.world)
        let plan = try await Self.plan(small)
        var options = Watch.Options()
        options.devices = 160
        var watch = Watch(plan, options)
        for window in Self.windows(plan, lookups: 1.6) { watch.add(window) }
        let result = try watch.result("", observed: "here")
        #expect(result.verdict == .within)
        let purchase = try #require(result.purchase)
        let level = try #require(result[.lookups]?.level?.value) * (result[.time]?.level?.value ?? 1)
        #expect(abs(purchase.now / purchase.planned / level / 1.6 - 1) < 1e-9)
        #expect(try watch.scenario(result).contains("count: 160"))
    }

    @Test func aLogIsCutIntoWindows() async throws {
        let small = try SmallScenario(Self.world)
        let plan = try await Self.plan(small)
        // One lookup each 2 s that takes 50 ms, each tenth refused; an order each 20 s.
        var lines = ["start,endpoint,status,bytes,duration_ms"]
        for second in stride(from: 0, to: 600, by: 2) {
            let status = second % 20 == 0 ? 503 : 200
            lines.append("\(1_795_694_400 + second),queries,\(status),25000,50")
            if second % 20 == 2 { lines.append("\(1_795_694_400 + second),issue,200,100,1") }
        }
        try small.folder.write(lines.joined(separator: "\n") + "\n", to: "pir.csv")
        let servers = try WatchedServers(
            logs: [small.folder.path + "/pir.csv"], options: ServerLogOptions(), window: 300,
            of: plan.scenario)
        // The second window ends after the last request.
        #expect(servers.windows.count == 1)
        let window = try #require(servers.windows.first)
        #expect(window.answered == 135 && window.refused == 15 && window.orders == 15)
        #expect(window.work.lookups == 135 && abs(window.work.seconds - 135 * 0.05) < 1e-9)
    }

    @Test func weekdaysAndHoursHaveTheirOwnRates() {
        let hours = (0..<24).map {
            PlannedLookups.Piece(from: Double($0) * 3_600, seconds: 3_600, rate: Double($0))
        }
        let forecast = PlannedLookups(hours, weekdays: [1, 1, 1, 1, 2, 1, 0])
        let hour: Int64 = 3_600_000_000_000
        // 1 January 1970 was a Thursday, and Friday has twice as many.
        #expect(abs((forecast.expected(5 * hour..<6 * hour) ?? 0) - 5 * 3_600) < 1e-6)
        #expect(
            abs((forecast.expected((24 + 5) * hour..<(24 + 7) * hour) ?? 0) - 2 * 11 * 3_600) < 1e-6)
        #expect(forecast.expected((72 + 5) * hour..<(72 + 6) * hour) == 0)
        let half = PlannedLookups(Array(hours.prefix(12)))
        #expect(half.expected(11 * hour..<13 * hour) == nil)
        #expect(PlannedLookups(Array(hours.prefix(12)), isFlat: true).expected(0..<24 * hour) != nil)
    }
}
