import LiveStack
import Logging
import ObliviousHTTP
import Parties
import PrivacyPass
import ServerWorlds
import Synchronization
import TestSupport
import Testing

/// One token request that comes twice, while the disk is about to be full.
struct RepeatedTokenRequestTests {
    /// Does each job at once, on the thread that brings it.
    private final class NoThreads: PoolThreads {
        private let pool = Mutex<ComputePool?>(nil)
        private let done = Mutex(0)

        var doneCount: Int { done.withLock { $0 } }

        func start(_ pool: ComputePool, name _: String, count _: Int) { self.pool.withLock { $0 = pool } }

        func signal() {
            guard let pool = pool.withLock({ $0 }), case .job(let job) = pool.take() else { return }
            pool.perform(job)
            done.withLock { $0 += 1 }
        }
    }

    private struct NoWay: DistantParty {
        func sendIfReachable(
            _: BinaryHTTPRequest, to _: PartyEndpoint
        ) async -> BinaryHTTPResponse? { nil }
    }

    /// Before, the second was answered at once; then the first could not be stored and gave its token back.
    @Test func nobodyGetsATokenThatIsNotCounted() async throws {
        let disk = EmptyDisk()
        let database = disk.open()
        let transactions = Mutex<[@Sendable () -> Void]>([])
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let store = try DurableStore(
            database, copies: database, logger: logger, keys: .init(capacity: .max),
            start: { work in transactions.withLock { $0.append(work) } })
        let threads = NoThreads()
        let pool = ComputePool(
            name: "test", threadCount: 1, queueLimit: 8, queueSeconds: 60, on: (.machine, threads)
        ) { _ in }
        var options = LiveStackOptions(parties: [.issuer], coreCount: 1)
        options.logger = logger
        options.tokensPerUserPerDay = 1
        let parties = try await LiveParties(
            options, data: .withoutDatabase,
            on: StackSurroundings(clock: .machine, store: store, pool: pool, connect: { _ in NoWay() }),
            meter: CPUMeter(), hits: LimitHits())
        let route = try #require(StackRoutes(parties.hosts)[ServiceNames.issuePath])
        let issuer = try #require(try store.issuers(for: [UserTier("tier1")])[UserTier("tier1")])
        let client = try TokenClient(
            challenge: TokenChallenge(issuerName: ServiceNames.issuerAuthority), publicKey: issuer.publicKey)
        let request = BinaryHTTPRequest(
            authority: "", path: ServiceNames.issuePath,
            fields: [BinaryHTTPField("authorization", "Bearer somebody")],
            content: try client.makePendingToken().request.encoded)

        async let first = route.host.respond(to: request, at: route.endpoint).status
        async let second = route.host.respond(to: request, at: route.endpoint).status
        #expect(await Patience.until { threads.doneCount == 2 })
        disk.fill()
        for work in transactions.withLock({ $0 }) { work() }
        #expect(await [first, second] == [503, 503])
        pool.close()
    }

    /// Before, a token of a clock that had gone back over midnight was noted for the day before, though it had counted
    /// for the later one: whoever came after the next start got it once more. World 6 937 found it.
    @Test func aClockThatGoesBackOverMidnightIsNoNewDay() throws {
        let tier = UserTier("a")
        let issuers = try TieredIssuers(generatingFor: [tier])
        let noted = Mutex<[Int64: Int]>([:])
        func start() -> IssuerParty {
            IssuerParty(
                issuers: issuers, users: .anyone(tier), tokensPerUserPerDay: 2,
                noteIssued: { _, day in noted.withLock { $0[day, default: 0] += 1 } },
                issuedOn: { _, day in noted.withLock { $0[day] ?? 0 } })
        }
        let client = try TokenClient(
            challenge: TokenChallenge(issuerName: ServiceNames.issuerAuthority),
            publicKey: try #require(issuers[tier]).publicKey)
        func status(_ issuer: IssuerParty, second: Int64) throws -> Int {
            let request = BinaryHTTPRequest(
                method: "POST", authority: "", path: ServiceNames.issuePath,
                fields: [BinaryHTTPField("authorization", "Bearer somebody")],
                content: try client.makePendingToken().request.encoded)
            return Int(issuer.respond(to: request, second: second).status)
        }
        let first = start()
        #expect(try status(first, second: 10 * 86_400) == 200)
        #expect(try status(first, second: 10 * 86_400 - 20) == 200)
        #expect(try status(first, second: 10 * 86_400 - 10) == 429)
        let second = start()
        #expect(try status(second, second: 10 * 86_400 + 1) == 429)
        #expect(noted.withLock { $0 } == [10: 2])
    }

    /// Before, the tokens of the day that was over counted for the new one, and the user went without.
    @Test func aDayThatBeginsWhileTheDiskIsReadHasItsOwnTokens() throws {
        let tier = UserTier("a")
        let issuers = try TieredIssuers(generatingFor: [tier])
        let client = try TokenClient(
            challenge: TokenChallenge(issuerName: ServiceNames.issuerAuthority),
            publicKey: try #require(issuers[tier]).publicKey)
        func request(of user: String) throws -> BinaryHTTPRequest {
            BinaryHTTPRequest(
                method: "POST", authority: "", path: ServiceNames.issuePath,
                fields: [BinaryHTTPField("authorization", "Bearer \(user)")],
                content: try client.makePendingToken().request.encoded)
        }
        let noted = Mutex<[String: Int]>(["early 10": 2])
        let midnight = Mutex<(@Sendable () -> Void)?>(nil)
        let issuer = IssuerParty(
            issuers: issuers, users: .anyone(tier), tokensPerUserPerDay: 2,
            noteIssued: { user, day in noted.withLock { $0["\(user) \(day)", default: 0] += 1 } },
            issuedOn: { user, day in
                let count = noted.withLock { $0["\(user) \(day)"] ?? 0 }
                midnight.withLock { midnight in
                    defer { midnight = nil }
                    return midnight
                }?()
                return count
            })
        // Somebody else's clock has shown the next day while that of the first user is read.
        let late = try request(of: "late")
        let begin: Int64 = 11 * 86_400
        midnight.withLock { midnight in
            midnight = { [issuer] in _ = issuer.respond(to: late, second: begin) }
        }
        let seconds = [begin - 1, begin + 1, begin + 2]
        let statuses = try seconds.map { issuer.respond(to: try request(of: "early"), second: $0).status }
        #expect(statuses == [200, 200, 429])
        #expect(noted.withLock { $0 } == ["early 10": 2, "early 11": 2, "late 11": 1])
    }
}
