import DeviceFleet
import ObliviousHTTP
import Parties
import Synchronization
import TestSupport
import Testing
import URLFilter

/// From URLs to verdicts: prefilter, caches, time limit and policy around real lookups.
struct VerdictTests {
    @Test func listedURLsAreBlockedAndOthersAllowed() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare()
        let blocked = try await device.check(TestList.url("www.blocked4.example/a?b=c"))
        #expect(blocked.verdict == .blockedByServer && blocked.source == nil)
        let stray = try await device.check(TestList.url("stray.example/"))
        #expect(stray.verdict == .allowedByServer && stray.source == nil)
        let miss = try await device.check(TestList.url("harmless.example/"))
        #expect(miss.verdict == .allowedByPrefilter && miss.source == .prefilter)
        #expect(stack.calls("/queries") == 2)
    }

    @Test func aSecondLoadIsAnsweredByTheCacheUntilItIsReset() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare()
        let url = TestList.url("blocked4.example")
        _ = try await device.check(url)
        #expect(try await device.check(url).source == .agentCache)
        await device.resetCaches()
        #expect(try await device.check(url).source == nil)
        #expect(stack.calls("/queries") == 2)
    }

    @Test func withoutCachesEveryHitIsLookedUp() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack), { $0.keepsNoAnswers = true })
        try await device.prepare()
        for _ in 0..<3 { _ = try await device.check(TestList.url("blocked4.example")) }
        #expect(stack.calls("/queries") == 3)
    }

    @Test(arguments: FailurePolicy.allCases)
    func aDeviceThatIsNotSetUpFollowsItsPolicy(policy: FailurePolicy) async throws {
        let device = await TestList.device(DirectChannel(try StackDouble()), { $0.policy = policy })
        let checked = try await device.check(TestList.url("blocked4.example"))
        #expect(checked.verdict == Verdict(noAnswerUnder: policy))
        #expect(checked.failure == .filterNotReady)
    }

    @Test func aLateAnswerIsTooLateForTheLoadAndFillsTheCaches() async throws {
        let gate = Gate()
        let stack = try StackDouble(before: { request in
            if request.path == "/queries" { await gate.pass() }
            return nil
        })
        let device = await TestList.device(DirectChannel(stack), { $0.constants.verdictTimeout = 1_000_000 })
        try await device.prepare()
        let url = TestList.url("blocked4.example")
        let first = try await device.check(url)
        #expect(first.verdict == .allowedByPolicy && first.failure == .verdictTimeout)
        await gate.open()
        var second = first
        let isKept = try await Patience.until {
            second = try await device.check(url)
            return second.source == .agentCache
        }
        #expect(isKept && second.verdict == .blockedByServer)
    }

    @Test func loadsWithTheSameHitsShareALookup() async throws {
        let gate = Gate()
        let stack = try StackDouble(before: { request in
            if request.path == "/queries" { await gate.pass() }
            return nil
        })
        let device = await TestList.device(DirectChannel(stack))
        try await device.prepare()
        async let first = device.check(TestList.url("blocked4.example/a"))
        await gate.arrival()
        async let second = device.check(TestList.url("blocked4.example/b"))
        for _ in 0..<100 { await Task.yield() }
        await gate.open()
        #expect(try await [first.verdict, second.verdict] == [.blockedByServer, .blockedByServer])
        #expect(stack.calls("/queries") == 1)
    }

    @Test func anErrorOfTheServerLeavesTheVerdictToThePolicy() async throws {
        let stack = try StackDouble(before: { request in
            request.path == "/queries" ? BinaryHTTPResponse(status: 503) : nil
        })
        let device = await TestList.device(DirectChannel(stack), { $0.policy = .failClosed })
        try await device.prepare()
        let checked = try await device.check(TestList.url("stray.example"))
        #expect(
            checked.verdict == .blockedByPolicy && checked.failure?.words == "queries: status 503"
                && checked.failure?.cause == .unavailable)
    }

    @Test func aKeyThatHasGrownOldIsReplaced() async throws {
        let stack = try StackDouble()
        let device = await TestList.device(DirectChannel(stack), { $0.constants.evaluationKeyLife = 0 })
        try await device.prepare()
        _ = try await device.check(TestList.url("blocked4.example"))
        #expect(await Patience.until { stack.calls("/key") >= 2 })
        // A key of no life is renewed again and again, and a lookup between two of them may be too late for its load.
        var checked: CheckedLoad?
        let isAnswered = try await Patience.until {
            await device.resetCaches()
            checked = try await device.check(TestList.url("blocked5.example"))
            return checked?.verdict == .blockedByServer
        }
        #expect(isAnswered, "\(String(describing: checked))")
    }

    @Test func whatIsNoURLIsAnErrorInBothModes() async throws {
        let device = await TestList.device(DirectChannel(try StackDouble()))
        await #expect(throws: URLParsingError.self) { try await device.check([]) }
    }
}

/// True once.
final class Flag: Sendable {
    private let isSet = Mutex(true)

    func take() -> Bool {
        isSet.withLock { isSet in
            defer { isSet = false }
            return isSet
        }
    }
}

final class RecordLog: Sendable {
    private let records = Mutex<[ExchangeRecord]>([])

    var all: [ExchangeRecord] { records.withLock { $0 } }
    @Sendable func append(_ record: ExchangeRecord) { records.withLock { $0.append(record) } }
}
