import DeviceFleet
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Testing

/// Plans of load tests: made of a result, as a file, and judged.
@Suite struct LoadTestPlanTests {
    private func plan(_ change: (inout LoadTestOptions) -> Void = { _ in }) throws -> LoadTestPlan {
        var options = LoadTestOptions()
        options.quantile = 0.5
        change(&options)
        let point = try SampleResult.point()
        return try LoadTestPlan(try SampleResult.result(points: [point]), point, options)
    }

    /// Of the sample: in 3 000 s 1 000 lookups of 2 000 requests, and 1 000 keys; the busiest minutes of two runs have
    /// 250 and 375 requests, the busiest seconds 9 and 13.5 lookups. The median of another run is below the larger one.
    @Test func ratesAreThosePeaksTimesGrowth() throws {
        let plan = try plan()
        #expect(plan.scenario == "small" && plan.machines == 1)
        #expect(plan.steps.map(\.name) == ["minute", "second"])
        // 375 × 1.2 / 2 / 60. PIR servers that are 31 % busy with a third of a lookup a second bear no more.
        #expect(plan.steps.map(\.rate) == [3.75, 3.75])
        #expect(plan.keysPerSecond == 0.4)
        // 24 devices and growth; nothing limits the memory.
        #expect(plan.users == 29)
        let more = try self.plan { $0.growth = 9_999 }
        // 3.125 × 10 000 lookups a second take four machines, among which a thousand users are shared out.
        #expect(more.machines == 4)
        #expect(more.steps[1].rate == 7_812 && more.users == 250)
        // Servers that are 1 % busy bear the busiest second, 13.5 × 1.2; at 2 % a lookup takes 0.06 s of them, of
        // which 14.17 a second keep them 85 % busy.
        #expect(try Self.second(busy: 0.01) == 16.2)
        #expect(try Self.second(busy: 0.02) == 14.17)
    }

    private static func second(busy: Double) throws -> Double {
        var point = try SampleResult.point()
        for place in point.metrics.indices where point.metrics[place].words == "pir.utilization mean" {
            point.metrics[place].value = busy
        }
        var options = LoadTestOptions()
        options.quantile = 0.5
        return try LoadTestPlan(SampleResult.result(points: [point]), point, options).steps[1].rate
    }

    /// The peak of a plan that bought the servers is the rate, without growth: at 93 % of a server for each lookup a
    /// second, 60 % are 0.6452. The busiest seconds of the runs are 9 and 13.5 lookups, which nothing bears.
    @Test func boughtServersAreTestedAtThePeakOfTheirPlan() throws {
        let plan = try self.plan { $0.plannedUtilization = 0.6 }
        #expect(plan.steps.map(\.rate) == [0.6452, 0.914])
        #expect(plan.users == 24 && plan.machines == 1)
        #expect(abs(plan.keysPerSecond - 0.3333) < 1e-4)
        #expect(plan.notes.contains { $0.contains("60 % of those of this test are busy") })
    }

    /// The PIR servers are 31 % busy with a third of a lookup a second: at 0.0375 lookups a second ρ is 0.034875. The
    /// sample's curve has too few ranks, so the tail is taken as exponential: the slope of its p99 over it is 21.71.
    @Test func theDurationIsThatOfTheFormula() throws {
        let point = try SampleResult.point()
        var slow = point
        for place in slow.metrics.indices where slow.metrics[place].name.hasPrefix("relay.requests") {
            slow.metrics[place].perReplication = [2.5, 3.75]
        }
        for place in slow.metrics.indices where slow.metrics[place].words == "queries.requests peak" {
            slow.metrics[place].perReplication = [0.01, 0.02]
        }
        var options = LoadTestOptions()
        (options.quantile, options.precision) = (0.5, 1)
        let plan = try LoadTestPlan(try SampleResult.result(points: [slow]), slow, options)
        let work = 0.31 / (1_000.0 / 3_000)
        let relaxation = work / pow(1 - (0.0375 * work).squareRoot(), 2)
        let dependence = 1 + 2 * 0.0375 * relaxation
        let lookups = pow(1.959964 / (0.01 * log(100)), 2) * 0.99 * 0.01 * dependence
        #expect(abs(plan.criteria[0].dependence / dependence - 1) < 1e-3)
        #expect(plan.steps[0].duration == (lookups / 0.0375).rounded(.up))
        #expect(plan.steps[0].warmUp == max(10, (10 * relaxation).rounded(.up)))
    }

    @Test func criteriaAreObjectivesPredictionsAndWhatNeverIsRight() throws {
        let plan = try plan()
        let criteria = plan.criteria
        #expect(
            criteria.map(\.measure.rawValue) == [
                "latency", "latency", "latency", "unanswered", "unanswered", "wrong", "wrong",
            ])
        #expect(criteria[0].source == "objective lookup.latency p99 < 800ms")
        #expect(criteria[0].limit == 0.8 && criteria[0].relation == .below && criteria[0].percentile == 99)
        // Student's prediction of two values: their mean and 12.7062 · √(1 + 1/2) deviations.
        let middle = (0.0931 + 0.0931 * 1.5) / 2
        let deviation = 0.0931 * 0.5 / 2.0.squareRoot()
        let predicted = middle + 12.706204736 * deviation * 1.5.squareRoot()
        #expect(abs(criteria[1].limit - predicted) < 1e-4)
        #expect(plan.notes.contains { $0.contains("not tested") && $0.contains("url.leaked count == 0") })
    }

    @Test func onePeakIsNoPlan() throws {
        var point = try SampleResult.point()
        for place in point.metrics.indices { point.metrics[place].perReplication.removeLast() }
        #expect(throws: LoadTestError.noSpread(replications: 1)) {
            var options = LoadTestOptions()
            options.quantile = 0.9
            _ = try LoadTestPlan(try SampleResult.result(points: [point]), point, options)
        }
        point.metrics.removeAll { $0.name == "queries.requests" }
        #expect(throws: LoadTestError.noLookups) {
            try LoadTestPlan(try SampleResult.result(points: [point]), point, LoadTestOptions())
        }
    }

    @Test func aPlanReadsBackAsItself() throws {
        var plan = try plan()
        plan.scenario = SampleResult.hostile.filter { !"\u{1}\u{7}\r\n\u{FFFE}".contains($0) } + "it's"
        plan.criteria[0].measure = .utilization
        plan.criteria[0].percentile = nil
        (plan.criteria[0].service, plan.criteria[0].cores) = ("pir", 8)
        plan.scenario = plan.scenario.replacing("&", with: "& ")
        #expect(try LoadTestPlan(text: Data(plan.yaml.utf8), path: "p.yaml") == plan)
        let hostile = plan
        plan.scenario = SampleResult.hostile
        let again = try LoadTestPlan(text: Data(plan.yaml.utf8), path: "p.yaml")
        #expect(again.yaml == plan.yaml && again.steps == hostile.steps)
    }

    /// What is wrong, where, and what to write.
    @Test(arguments: [
        ("load-test/1", "load-test/2", "schema: 'urlfilter.load-test/2' is not known; it must be one of"),
        ("users: 29", "users: 0", "users: 0 is outside the allowed range 1...20000"),
        ("users: 29", "user: 29", "users: is missing"),
        ("rate: 3.75", "rate: 0", "steps[minute].rate: 0.0 is outside the allowed range 0.001...10000.0"),
        ("rate: 3.75", "rate: nan", "steps[minute].rate: 'nan' is not a quantity"),
        ("ramp: ", "ramps: ", "unknown key 'ramps'; did you mean 'ramp'?"),
        ("step: 'minute'", "step: 'noon'", "step: 'noon' is not known; it must be one of minute, second"),
        ("measure: latency", "measure: delay", "measure: 'delay' is not known; it must be one of latency,"),
        ("percentile: 99.0", "percentile: 98", "percentile: '98.0' is not known; it must be one of 50.0,"),
        ("limit: 0.8s", "limit: 0.8", "limit: '0.8' has no unit; write for example"),
        ("relation: '<'", "relation: '!='", "relation: '!=' is not known; it must be one of <,"),
        ("name: 'second'", "name: 'minute'", "steps: two steps have the name 'minute'"),
    ])
    func aPlanThatCannotBeUsedIsRefused(old: String, new: String, sentence: String) throws {
        let text = try plan().yaml.replacing(old, with: new, maxReplacements: 1)
        do {
            _ = try LoadTestPlan(text: Data(text.utf8), path: "p.yaml")
            Issue.record("read: \(new)")
        } catch {
            #expect("\(error)".hasPrefix("p.yaml:"), "\(error)")
            #expect("\(error)".contains(sentence), "\(error)")
        }
    }

    private func criterion(
        _ measure: LoadTestPlan.Criterion.Measure, _ limit: Double, dependence: Double = 1
    ) throws -> LoadTestPlan.Criterion {
        var criterion = try plan().criteria[0]
        (criterion.measure, criterion.limit, criterion.dependence) = (measure, limit, dependence)
        criterion.relation = .atMost
        (criterion.service, criterion.cores) = ("pir", 4)
        return criterion
    }

    private let measured = LoadTestMeasurement(
        seconds: 100, lookups: 1_000, unanswered: 20, wrong: 0,
        latency: [.init(percent: 99, seconds: 0.2, bounds: 0.18...0.25)], lateness: 0.001,
        serverCPU: ["pir": 200])

    /// p99 0.2 s (0.18 to 0.25), 20 of 1 000 without answer (1.2 to 3.1 %), 200 CPU seconds of 4 × 100.
    @Test(arguments: [
        (LoadTestPlan.Criterion.Measure.latency, 0.3, 1.0, ObjectiveResult.Verdict.pass),
        (.latency, 0.24, 1, .cannotTell), (.latency, 0.17, 1, .fail), (.latency, 0.17, 9, .cannotTell),
        (.latency, 0.3, 9, .cannotTell), (.unanswered, 0.05, 1, .pass), (.unanswered, 0.025, 1, .cannotTell),
        (.unanswered, 0.01, 1, .fail), (.wrong, 0, 1, .pass), (.utilization, 0.6, 1, .pass),
        (.utilization, 0.52, 1, .cannotTell), (.utilization, 0.4, 1, .fail),
    ])
    func theWholeIntervalDecides(
        measure: LoadTestPlan.Criterion.Measure, limit: Double, dependence: Double,
        verdict: ObjectiveResult.Verdict
    ) throws {
        let criterion = try criterion(measure, limit, dependence: dependence)
        let found = LoadTestVerdict(criterion, measured)
        #expect(found.verdict == verdict)
        #expect((found.reason == nil) == (verdict != .cannotTell))
    }

    @Test func whatWasNotMeasuredCannotBeTold() throws {
        var poor = measured
        (poor.latency, poor.serverCPU) = ([], [:])
        #expect(LoadTestVerdict(try criterion(.latency, 0.3), poor).verdict == .cannotTell)
        #expect(LoadTestVerdict(try criterion(.utilization, 0.3), poor).verdict == .cannotTell)
        #expect(LoadTestVerdict(try criterion(.wrong, 0), nil).reason == "the step was not run")
        // A load that began late is not the servers' fault.
        poor = measured
        poor.lateness = 0.1
        #expect(LoadTestVerdict(try criterion(.latency, 0.17), poor).verdict == .cannotTell)
        poor.wrong = 1
        #expect(LoadTestVerdict(try criterion(.wrong, 0), poor).verdict == .fail)
    }

    private func replay(_ target: String, route: String) -> ReplayResult {
        var replay = ReplayResult(
            target: target, route: route, usecase: "a.url.filtering",
            trace: .init(name: "t.csv", loads: 50, clients: 2, distinctURLs: 9), devices: .init(wanted: 2))
        var point = ReplayPoint(ramp: 1, warmUp: 1, duration: 10)
        point.lookups = 400
        point.latency = [.init(probability: 0.99, seconds: 0.01, low: 0.009, high: 0.012)]
        replay.points = [point]
        return replay
    }

    /// In the sample 30 of 150 ms are transmission and propagation, the others are spent at gateway and PIR servers.
    @Test(arguments: [
        ("http://localhost:1", "direct", true), ("http://127.0.0.1:80", "http://127.0.0.1:81", true),
        ("https://pir.example.com", "direct", true),
        ("https://pir.example.com", "https://relay.example.com", false),
    ])
    func whatCanHardlyFailIsSaid(target: String, route: String, isNear: Bool) throws {
        var plan = try plan()
        let latencies = plan.criteria.filter { $0.measure == .latency }
        #expect(latencies.count == 3 && latencies.allSatisfy { $0.shareOnTheWay == 0.2 })
        #expect(plan.criteria.allSatisfy { $0.measure == .latency || $0.shareOnTheWay == 0 })
        let replay = replay(target, route: route)
        #expect(LoadTestOutcome(plan, replay).easyCriteria.isEmpty)
        for place in plan.criteria.indices where plan.criteria[place].measure == .latency {
            plan.criteria[place].shareOnTheWay = 0.91
        }
        let outcome = LoadTestOutcome(plan, replay)
        #expect(outcome.easyCriteria.count == (isNear ? 3 : 0))
        let text = LoadTestText.render(outcome)
        #expect(
            text.contains("can hardly fail here: latency p99 < 800 ms, latency p50 <= ") == isNear, "\(text)")
        #expect(text.contains("91.0 %") == isNear)
        let page = ParsedPage(ReplayPage.render(replay, test: outcome))
        #expect(page.isWellFormed, "\(page.complaint)")
        #expect(page.text.contains("can hardly fail here") == isNear)
        for verdict in outcome.verdicts {
            #expect(page.text.contains(verdict.verdict == .fail ? "FAIL" : verdict.verdict.rawValue))
        }
        #expect(Set(page.figureNumbers.joined()).isSuperset(of: [0.01, 0.009, 0.012]))
    }

    @Test func aReplayWithoutAPlanIsAPageToo() throws {
        let page = ParsedPage(ReplayPage.render(replay("http://localhost:1", route: "direct"), test: nil))
        #expect(page.isWellFormed && page.text.contains("Latency of loads that needed the servers."))
        #expect(!page.text.contains("Verdicts"))
    }

    @Test func aStepThatWasNotBegunIsNotJudged() throws {
        let outcome = LoadTestOutcome(try plan(), replay("http://localhost:1", route: "direct"))
        #expect(!outcome.hasFailed && outcome.isUndecided)
        let words = outcome.verdicts.map(\.verdict.rawValue).map { $0 == "pass" }
        #expect(words == [true, false, true, true, false, true, false])
        let text = LoadTestText.render(outcome)
        #expect(text.contains("LOAD TEST of 'small': 4 pass, 0 FAIL, 3 cannot tell"))
        #expect(text.contains("the step was not run"))
        for line in text.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
    }
}
