import DeviceFleet
import Foundation
import ObliviousHTTP
import Parties
import TestSupport
import Testing
import URLFilter
import Workload

struct ReplayPaceTests {
    private static let trace = try? ReplayTestTrace.make(records: 50)

    @Test func aRateStartsThatManyLoadsPerSecond() throws {
        let trace = try #require(Self.trace)
        let starts = Array(ReplayPace(.rate(200), duration: 50).starts(of: trace, limit: 1_000_000))
        // Poisson with mean 10 000: five standard deviations are 500.
        #expect((9_500...10_500).contains(starts.count))
        let gaps = zip(starts, starts.dropFirst()).map { $1.offset - $0.offset }
        #expect(gaps.allSatisfy { $0 >= 0 })
        // The squared gap of a Poisson process has mean 2/rate².
        let secondMoment = gaps.map { $0 * $0 }.reduce(0, +) / Double(gaps.count)
        #expect(abs(secondMoment * 200 * 200 - 2) < 0.3)
        #expect(starts.map(\.load) == starts.indices.map { $0 % 50 })
    }

    @Test func aRampHasHalfTheLoads() throws {
        let trace = try #require(Self.trace)
        var pace = ReplayPace(.rate(100), duration: 20)
        pace.ramp = 40
        pace.warmUp = 10
        let offsets = pace.starts(of: trace, limit: 1_000_000).map(\.offset)
        #expect(pace.measuredFrom == 50 && pace.end == 70)
        let inRamp = offsets.count { $0 < 40 }
        let inFirstHalf = offsets.count { $0 < 20 }
        // Expected: 100·40/2 = 2000 and 100·20²/(2·40) = 500.
        #expect((1_776...2_224).contains(inRamp))
        #expect((388...612).contains(inFirstHalf))
        #expect(offsets.allSatisfy { $0 < 70 })
    }

    @Test func aSpeedCompressesTheTraceAndEndsWithIt() throws {
        let trace = try #require(Self.trace)
        let starts = Array(ReplayPace(.trace(speed: 10), duration: 1_000).starts(of: trace, limit: 1_000))
        #expect(starts.count == 50)
        #expect(zip(starts, 0...).allSatisfy { abs($0.offset - Double($1) * 0.01) < 1e-9 })
    }

    @Test func theLimitIsALimitAndASeedARepetition() throws {
        let trace = try #require(Self.trace)
        let pace = ReplayPace(.rate(10), duration: 1_000)
        let first = pace.starts(of: trace, limit: 30).map(\.offset)
        #expect(first.count == 30)
        #expect(first == pace.starts(of: trace, limit: 30).map(\.offset))
        var other = pace
        other.seed = 2
        #expect(first != other.starts(of: trace, limit: 30).map(\.offset))
    }
}

struct ReplayTraceTests {
    @Test func clientsAreSpreadOverTheDevicesInTheirOrder() throws {
        let trace = try ReplayTestTrace.make(records: 50)
        #expect(trace.clientCount == 5)
        #expect(trace.loads.count == 50)
        // Clients 0…4 over three devices.
        #expect(trace.loads.prefix(5).map(\.device) == [0, 1, 2, 0, 1])
        #expect(trace.loads.map(\.time) == (0..<50).map { Int64($0) * 100_000_000 })
    }

    @Test func whatMissesOrCannotBeExpandedIsCounted() throws {
        let all = try ReplayTestTrace.make(records: 50)
        let hits = try ReplayTestTrace.make(records: 50, hitsOnly: true)
        #expect(all.missCount == 0)
        #expect(hits.loads.count + hits.missCount == all.loads.count)
        #expect(hits.loads.count == 30)
        #expect(
            hits.loads.allSatisfy {
                String(decoding: hits.urls[Int($0.url)], as: UTF8.self).contains("blocked")
            })
        let broken = try ReplayTestTrace.make(urls: ["", "https://blocked1.example/", "\u{1}"])
        #expect(broken.unusableCount == 2 && broken.loads.count == 1)
    }

    @Test func theTruthIsThatOfTheList() throws {
        let trace = try ReplayTestTrace.make(
            urls: ["https://a.blocked1.example/x", "https://stray.example/", "https://harmless.example/"])
        #expect(trace.isListed == [true, false, false])
    }
}

struct ReplayRunTests {
    @Test func everyLoadEndsWithTheVerdictOfTheList() async throws {
        let point = try await run(trace: ReplayTestTrace.make(records: 50), rate: 400, seconds: 0.5)
        #expect(point.loads > 100)
        #expect(point.wrongVerdicts == 0)
        #expect(point.verdicts.values.reduce(0, +) == point.loads)
        #expect(point.policyCauses.isEmpty && point.policyShare == 0 && !point.isSaturated)
        #expect((point.verdicts["blockedByServer"] ?? 0) > 0)
        let seconds = point.seconds
        #expect(seconds.map(\.loads).reduce(0, +) == point.loads)
        #expect(seconds.map { $0.local + $0.byServer + $0.byPolicy }.reduce(0, +) == point.loads)
        #expect(point.latency.first?.probability == 0.5)
        let queries = try #require(point.endpoints.first { $0.name == "queries" })
        // Loads that ask what is being asked already wait for the same exchange.
        #expect((1...point.lookups).contains(queries.count) && queries.failed == 0)
    }

    @Test func aListThatTheServiceDoesNotHaveGivesWrongVerdicts() async throws {
        let trace = try ReplayTestTrace.make(
            urls: ["https://stray.example/", "https://blocked1.example/"], list: ["stray.example"])
        let point = try await run(trace: trace, rate: 100, seconds: 0.3)
        #expect(point.loads > 0 && point.wrongVerdicts == point.loads)
        #expect(Set(point.wrongExamples) == ["https://stray.example/", "https://blocked1.example/"])
    }

    @Test func aServiceThatIsDownShowsInTheTableOfSeconds() async throws {
        let stack = try StackDouble()
        let trace = try ReplayTestTrace.make(urls: ["https://blocked1.example/"])
        let fleet = try await ReplayTestTrace.fleet(stack, count: 2)
        await stack.restartPIR()
        let run = ReplayRun(
            fleet: fleet, trace: trace, pace: ReplayPace(.rate(100), duration: 0.3), limit: 20)
        let point = await run(isStopped: { false }, progress: { _ in })
        #expect(point.policyCauses == ["queries: status 400": point.loads])
        #expect(point.leakedByPolicy == point.loads && point.wrongVerdicts == 0)
        #expect(point.isSaturated)
        #expect(point.seconds.map(\.byPolicy).reduce(0, +) == point.loads)
        #expect(point.seconds.map(\.failedExchanges).reduce(0, +) == point.errors["queries: status 400"])
    }

    @Test func aStopEndsARunAndKeepsWhatWasSeen() async throws {
        let fleet = try await ReplayTestTrace.fleet(StackDouble(), count: 1)
        let trace = try ReplayTestTrace.make(records: 50)
        let run = ReplayRun(
            fleet: fleet, trace: trace, pace: ReplayPace(.rate(10), duration: 3_600), limit: 1_000_000)
        let point = await run(isStopped: { true }, progress: { _ in })
        #expect(point.loads == 0)
    }

    @Test func aFleetOfWhichNoDeviceCanBePreparedIsAnError() async throws {
        let stack = try StackDouble(outer: { _, _, reply in reply.status = 0 })
        await #expect(throws: DeviceError.self) { try await ReplayTestTrace.fleet(stack, count: 2) }
    }

    @Test func devicesThatCannotBePreparedAreCounted() async throws {
        let stack = try StackDouble(before: { request in
            let token = request.fields.first { $0.name == "authorization" }?.text
            return token == "Bearer user-2" ? .init(status: 401) : nil
        })
        let fleet = try await ReplayTestTrace.fleet(stack, count: 4)
        #expect(fleet.preparation.ready == 3)
        #expect(fleet.preparation.failures == ["tokenKey: status 401": 1])
    }

    private func run(trace: ReplayTrace, rate: Double, seconds: Double) async throws -> ReplayPoint {
        let fleet = try await ReplayTestTrace.fleet(StackDouble(), count: 3)
        let pace = ReplayPace(.rate(rate), duration: seconds)
        let run = ReplayRun(fleet: fleet, trace: trace, pace: pace, limit: 10_000)
        return await run(isStopped: { false }, progress: { _ in })
    }
}

struct ServerUsageTests {
    @Test func thisProcessHasUsedTime() throws {
        #expect(try #require(ServerUsage.seconds(ofProcess: getpid())) >= 0)
        #expect(ServerUsage.seconds(ofProcess: -1) == nil)
    }

    /// As the kernel's documents show both versions.
    @Test(arguments: [
        ("cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n", 2.5),
        ("cpuacct.usage", "1250000000\n", 1.25), ("cpu.stat", "nr_periods 0\n", nil),
        ("cpu.stat", "usage_usec -3\n", nil), ("other", "usage_usec 3\n", nil),
    ])
    func theTimeOfAContainerIsRead(_ name: String, _ text: String, _ seconds: Double?) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(text, to: name)
        #expect(ServerUsage.seconds(ofControlGroup: folder.path) == seconds)
    }

    @Test func aPrometheusPageIsRead() {
        let page = """
            # TYPE process_cpu_seconds_total counter
            process_cpu_seconds_total 12.5
            urlfilter_party_cpu_seconds_total{party="pir"} 8
            urlfilter_party_cpu_seconds_total{party="issuer"} 1.5
            other{party="pir"} 3

            """
        let reading = ServerUsage.Reading(total: 12.5, parties: ["pir": 8, "issuer": 1.5])
        #expect(ServerUsage.reading(ofMetrics: page) == reading)
        #expect(ServerUsage.reading(ofMetrics: "other 3\n") == nil)
    }

    /// Prometheus writes them so, and a result cannot hold them.
    @Test(arguments: ["NaN", "+Inf", "-Inf", "inf", "1e999", "-1"])
    func aTimeThatIsNoneIsNotRead(value: String) {
        #expect(ServerUsage.reading(ofMetrics: "process_cpu_seconds_total \(value)\n") == nil)
        let page =
            "process_cpu_seconds_total 2\nprocess_start_time_seconds \(value)\n"
            + "urlfilter_party_cpu_seconds_total{party=\"pir\"} \(value)\n"
        #expect(ServerUsage.reading(ofMetrics: page) == ServerUsage.Reading(total: 2))
    }

    @Test func aServerThatWasRestartedTellsNoDifference() throws {
        func reading(_ seconds: Double, start: Double) -> ServerUsage.Reading? {
            ServerUsage.reading(
                ofMetrics: "process_start_time_seconds \(start)\nprocess_cpu_seconds_total \(seconds)\n")
        }
        let before = try #require(reading(2, start: 100))
        #expect(reading(5, start: 100)?.since(before)?.total == 3)
        #expect(reading(1, start: 107)?.since(before) == nil)
        #expect(reading(5, start: 107)?.since(before) == nil)
    }
}

/// Traces and fleets for replays of the test list.
enum ReplayTestTrace {
    /// Ten loads a second of five clients; three in five URLs are listed.
    static func make(records: Int, hitsOnly: Bool = false) throws -> ReplayTrace {
        let urls = (0..<records).map { number in
            number % 5 < 3 ? "https://blocked\(number % 20).example/a" : "https://harmless\(number).example/"
        }
        return try make(urls: urls, hitsOnly: hitsOnly)
    }

    static func make(
        urls: [String], hitsOnly: Bool = false, list: [String] = TestList.entries
    ) throws -> ReplayTrace {
        var number = 0
        return try ReplayTrace(
            deviceCount: 3, limit: 1_000, hitsOnly: hitsOnly, prefilter: TestList.prefilter,
            list: BlockListIndex(BlockList(list)),
            next: {
                guard number < urls.count else { return nil }
                defer { number += 1 }
                return TraceRecord(
                    time: Int64(number) * 100_000_000, client: "client-\(number % 5)", url: urls[number])
            })
    }

    static func fleet(_ stack: StackDouble, count: Int) async throws -> ReplayFleet {
        var settings = ReplayFleet.Settings(
            count: count, usecase: PIRDatabase.usecaseName, prefilter: TestList.prefilter)
        settings.device.generation.tokens.refillDelay = 3_600_000_000_000
        settings.device.constants.verdictTimeout = Patience.nanoseconds
        settings.tokens = 2
        return try await ReplayFleet(
            settings, services: TestList.services, channel: DirectChannel(stack), isStopped: { false },
            progress: { _ in })
    }
}
