import FleetModel
import HomomorphicEncryption
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import ServiceRules
import Synchronization
import TestSupport
import Testing
import URLFilter

/// The services of the simulation, which know numbers, beside the real parties with real tokens, keys and databases: the
/// same random requests, from well-behaved devices and others, with restarts, reloads and clocks that go back.
struct ServiceScriptTests {
    @Test("any script has the same statuses, state and counts", arguments: [1, 2, 3, 6, 7, 8] as [UInt64])
    func randomScript(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let rules = ScriptedRules(&random)
        let real = try RealServices(rules)
        var model = ModelServices(rules)
        var author = ScriptAuthor(random, versionCount: ServiceStock.versions.count)
        var seen: [Int: Int] = [:]
        var steps: [String] = []
        for _ in 0..<800 {
            let step = author.next()
            steps.append("\(step)")
            let truth = try real.play(step)
            let pretence = model.play(step)
            if case .issue(let user, _, _) = step, truth?.status == 200 { author.addToken(of: user) }
            let (state, simulated) = (real.state(on: author.day), model.state)
            guard truth == pretence, state == simulated else {
                Issue.record(
                    """
                    \(rules): real \(String(describing: truth)) \(state), model \(String(describing: pretence)) \
                    \(simulated) after \(steps.suffix(12).joined(separator: "; "))
                    """)
                return
            }
            if let truth { seen[truth.status, default: 0] += 1 }
        }
        #expect(seen[200, default: 0] > 100, "the script is about nothing: \(seen)")
        for status in [400, 401, 422] { #expect(seen[status, default: 0] > 3, "\(seen)") }
        #expect(rules.tokensPerUserPerDay == nil || seen[429, default: 0] > 3, "\(seen)")
        #expect(seen[410, default: 0] > 3, "\(seen)")
    }
}

/// Rules of the services in one script.
private struct ScriptedRules {
    static let users = 4

    let tokensPerUserPerDay: Int?
    let secondsTokenKeysKept: Int64
    /// Evaluation keys that fit into the memory of the PIR server.
    let keyRoom: Int
    let versionCount: Int

    init(_ random: inout SplitMix) {
        tokensPerUserPerDay = random.pick([nil, 2, 5, 12])
        secondsTokenKeysKept = random.pick([0, 3_600, 100_000])
        keyRoom = 1 + random.below(Self.users)
        versionCount = 1 + random.below(3)
    }
}

/// What happens to the services.
private enum ScriptStep {
    struct Question {
        var endpoint: Endpoint
        var user: Int
        /// Number of a token, which may have been spent before; as many as there are: none.
        var token: Int
        /// Number of the key that is uploaded.
        var key: Int16
        /// Version that a lookup asks.
        var version: Int
        var carriesKey: Bool
        var second: Int64
    }

    /// `keyAge`: 0 asks for a token of the issuer's key, 1 for one of the key before it.
    case issue(user: Int, keyAge: Int, second: Int64)
    case ask(Question)
    case restart(Part, second: Int64)
    case install(version: Int)
}

/// What came of a step.
private struct ScriptAnswer: Hashable {
    var status: Int
    /// Number of the evaluation key that the answer names; `nil` where it names none.
    var key: Int?
}

/// State of the services after a step.
private struct ScriptState: Hashable {
    /// Number of each user's evaluation key; 0 for none.
    var keys: [Int]
    var keyCount: Int
    var evictions: Int
    var spentTokens: Int
    /// Tokens that each user got on the latest day.
    var issued: [Int]
}

private struct ScriptAuthor {
    private var random: SplitMix
    private let versionCount: Int
    private var second: Int64 = 20_000 * 86_400
    private var owners: [Int] = []
    private var lastKey: Int16 = 0
    private var newest = 0
    /// Latest day on which somebody has asked for a token with success or in vain, but of the right key.
    private(set) var day: Int64 = 0

    init(_ random: SplitMix, versionCount: Int) {
        self.random = random
        self.versionCount = versionCount
    }

    mutating func addToken(of user: Int) { owners.append(user) }

    mutating func next() -> ScriptStep {
        // Few different times, so that what ends is asked for at its end.
        second += Int64(random.below(random.chance(3) ? 288 : 3)) * 300
        // A clock that is set back, at times over midnight.
        if random.chance(2) { second -= Int64(random.below(24)) * 300 }
        switch random.below(200) {
        case 0...2: return .restart(.issuer, second: second)
        case 3...4: return .restart(.pir, second: second)
        case 5...9 where newest + 1 < versionCount:
            newest += 1
            return .install(version: newest)
        case 10...80:
            let keyAge = random.chance(8) ? 1 : 0
            if keyAge == 0 { day = max(day, second / 86_400) }
            return .issue(user: random.below(ScriptedRules.users), keyAge: keyAge, second: second)
        default: return .ask(question())
        }
    }

    private mutating func question() -> ScriptStep.Question {
        // Mostly one of the latest tokens, by whoever has it.
        let latest = max(0, owners.count - 12)
        let token =
            random.chance(4)
            ? random.below(owners.count + 1) : latest + random.below(owners.count - latest + 1)
        let endpoint = random.pick(
            [.config, .key, .key, .queries, .queries, .queries, .report] as [Endpoint])
        if endpoint == .key { lastKey += 1 }
        return ScriptStep.Question(
            endpoint: endpoint, user: random.below(ScriptedRules.users), token: token, key: lastKey,
            version: max(0, newest - (random.chance(60) ? random.below(4) : 0)),
            carriesKey: endpoint == .queries && random.chance(25), second: second)
    }
}

/// The simulated services, and what the simulation does elsewhere: a token is spent once, and versions come.
private struct ModelServices {
    private var services: SimulatedServices
    private let limit: VersionLimit
    private var spent = SpentTokens<Int16, Int>()
    /// Token key of each token.
    private var tokens: [Int16] = []
    private var keyBefore: Int16 = 0
    private var newest = 0
    private var evictionsBefore = 0

    init(_ rules: ScriptedRules) {
        services = SimulatedServices(
            deviceCount: ScriptedRules.users, tokensPerUserPerDay: rules.tokensPerUserPerDay,
            secondsTokenKeysKept: rules.secondsTokenKeysKept, servers: [KeyServers(capacity: rules.keyRoom)])
        limit = VersionLimit(rules.versionCount)
    }

    mutating func play(_ step: ScriptStep) -> ScriptAnswer? {
        switch step {
        case .issue(let user, let keyAge, let second):
            let key = keyAge == 0 ? services.tokenKey(in: 0) : keyBefore
            let answer = answer(.issue, of: user, token: key, second: second)
            if answer.refusal == nil { tokens.append(key) }
            return ScriptAnswer(status: answer.refusal?.status ?? 200)
        case .ask(let question): return ask(question)
        case .restart(let part, let second):
            if part == .issuer { keyBefore = services.tokenKey(in: 0) }
            services.restart(part, region: 0, instances: nil, second: second)
            if part == .pir {
                spent = SpentTokens()
                evictionsBefore = services.keyUsage?.evictions ?? 0
            }
        case .install(let version): newest = version
        }
        return nil
    }

    private mutating func ask(_ question: ScriptStep.Question) -> ScriptAnswer {
        let refused = ScriptAnswer(status: ServiceRefusal.tokenNotTaken.status)
        guard question.token < tokens.count else { return refused }
        let key = tokens[question.token]
        // A report says whether tokens of the key are taken, and changes nothing.
        let isTaken = answer(.report, of: question.user, token: key, second: question.second).refusal == nil
        guard isTaken, spent.spend(question.token, ofKey: key) else { return refused }
        let answer = answer(
            question.endpoint, of: question.user, token: key, key: question.key,
            carriesKey: question.carriesKey,
            isConfigurationServed: limit.serves(newerVersions: newest - question.version),
            second: question.second)
        if let refusal = answer.refusal { return ScriptAnswer(status: refusal.status) }
        return ScriptAnswer(status: 200, key: question.endpoint == .config ? Int(answer.number) : nil)
    }

    private mutating func answer(
        _ endpoint: Endpoint, of user: Int, token: Int16, key: Int16 = 0, carriesKey: Bool = false,
        isConfigurationServed: Bool = true, second: Int64
    ) -> SimulatedServices.Answer {
        var request = ExchangeRequest(device: user, endpoint: endpoint, keys: [], listed: [], second: second)
        request.carriesKey = carriesKey
        return services.answer(
            request, token: token, key: key, isConfigurationServed: isConfigurationServed, at: .only)
    }

    var state: ScriptState {
        let keys = (0..<ScriptedRules.users).map { Int(services.key(of: $0, at: .only)) }
        return ScriptState(
            keys: keys, keyCount: keys.count { $0 != 0 },
            evictions: (services.keyUsage?.evictions ?? 0) - evictionsBefore, spentTokens: spent.count,
            issued: (0..<ScriptedRules.users).map(services.tokensTaken))
    }
}

/// Issuer and PIR server with everything in memory.
private final class RealServices {
    private static let tier = UserTier("tier1")

    private let issuer: IssuerParty
    private let pir: PIRParty
    private let keys: InMemoryEvaluationKeyStore
    private let ledger = InMemorySpendLedger()
    private let issued: Issued
    private let rules: ScriptedRules
    /// Clients of the issuer's key and of the one before it.
    private var clients: [TokenClient]
    private var usedKeyIDs: Set<UInt8>
    private var tokens: [Token] = []

    private final class Issued: Sendable {
        private let counts = Mutex<[Int64: [String: Int]]>([:])

        func note(_ user: String, _ day: Int64) {
            counts.withLock { $0[day, default: [:]][user, default: 0] += 1 }
        }

        func count(_ user: String, _ day: Int64) -> Int { counts.withLock { $0[day]?[user] ?? 0 } }
    }

    init(_ rules: ScriptedRules) throws {
        self.rules = rules
        let issued = Issued()
        self.issued = issued
        issuer = IssuerParty(
            issuers: try TieredIssuers(generatingFor: [Self.tier]), users: .anyone(Self.tier),
            tokensPerUserPerDay: rules.tokensPerUserPerDay, noteIssued: issued.note, issuedOn: issued.count)
        keys = InMemoryEvaluationKeyStore(capacity: rules.keyRoom * ServiceStock.keyByteCount)
        pir = PIRParty(
            service: PIRService(
                usecases: [ServiceStock.versions[0].usecase], versionCount: rules.versionCount, keys: keys),
            tokenKeys: issuer.publicKeys, ledger: ledger, secondsTokenKeysKept: rules.secondsTokenKeysKept)
        clients = try issuer.publicKeys.map(Self.client)
        usedKeyIDs = Set(issuer.publicKeys.map(\.truncatedKeyID))
        // Nobody has a token of the key before the first one.
        var other = try TieredIssuers(generatingFor: [Self.tier]).publicKeys
        while usedKeyIDs.contains(other[0].truncatedKeyID) {
            other = try TieredIssuers(generatingFor: [Self.tier]).publicKeys
        }
        clients += try other.map(Self.client)
        usedKeyIDs.insert(other[0].truncatedKeyID)
    }

    private static func client(_ key: TokenPublicKey) throws -> TokenClient {
        try TokenClient(challenge: TokenChallenge(issuerName: ServiceNames.issuerAuthority), publicKey: key)
    }

    func play(_ step: ScriptStep) throws -> ScriptAnswer? {
        switch step {
        case .issue(let user, let keyAge, let second):
            let pending = try clients[keyAge].makePendingToken()
            let response = issuer.respond(
                to: BinaryHTTPRequest(
                    authority: ServiceNames.issuerAuthority, path: ServiceNames.issuePath,
                    fields: [BinaryHTTPField("authorization", "Bearer user\(user)")],
                    content: pending.request.encoded), second: second)
            if response.status == 200 { tokens.append(try pending.finish(with: response.content)) }
            return ScriptAnswer(status: response.status)
        case .ask(let question): return try ask(question)
        case .restart(.issuer, let second): try restartIssuer(second: second)
        case .restart:
            pir.service.forgetEvaluationKeys()
            ledger.forget()
        case .install(let version): pir.service.install(ServiceStock.versions[version].usecase)
        }
        return nil
    }

    private func restartIssuer(second: Int64) throws {
        var issuers = try TieredIssuers(generatingFor: [Self.tier])
        while !usedKeyIDs.isDisjoint(with: issuers.publicKeys.map(\.truncatedKeyID)) {
            issuers = try TieredIssuers(generatingFor: [Self.tier])
        }
        usedKeyIDs.formUnion(issuers.publicKeys.map(\.truncatedKeyID))
        issuer.replace(issuers: issuers, users: .anyone(Self.tier))
        pir.replace(tokenKeys: issuer.publicKeys, second: second)
        clients = try issuers.publicKeys.map(Self.client) + clients.prefix(1)
    }

    private func ask(_ question: ScriptStep.Question) throws -> ScriptAnswer {
        var fields = [
            BinaryHTTPField(ServiceNames.userIdentifierField, "user\(question.user)"),
            BinaryHTTPField("user-agent", "script/1.0"),
        ]
        if question.token < tokens.count {
            fields.append(BinaryHTTPField("authorization", tokens[question.token].authorization))
        }
        let (path, content) = ServiceStock.message(question)
        let response = pir.respond(
            to: BinaryHTTPRequest(
                authority: ServiceNames.pirAuthority, path: path, fields: fields, content: content),
            second: question.second)
        guard response.status == 200, question.endpoint == .config else {
            return ScriptAnswer(status: response.status)
        }
        let answer = try WireCoding.message(WireConfigResponse.self, from: response.content)
        return ScriptAnswer(status: 200, key: Int(answer.keyInfo[0].timestamp))
    }

    func state(on day: Int64) -> ScriptState {
        let users = (0..<ScriptedRules.users).map { "user\($0)" }
        return ScriptState(
            keys: users.map { Int(keys.timestamp(of: ServiceStock.keyName($0)) ?? 0) },
            keyCount: keys.usage.count ?? 0, evictions: keys.droppedCount, spentTokens: ledger.count,
            issued: users.map { issued.count($0, day) })
    }
}

/// Databases and messages for all scripts. A ring of 512 coefficients hides little and answers in microseconds.
private enum ServiceStock {
    struct Version: Sendable {
        let usecase: PIRUsecase
        /// A question, with and without a key of its own.
        let question: WireRequests
        let questionWithKey: WireRequests
    }

    private struct Stock: Sendable {
        let versions: [Version]
        let upload: WireEvaluationKeys
        let keyByteCount: Int
    }

    private static let stock: Stock = {
        do {
            return try makeStock()
        } catch {
            preconditionFailure("the databases cannot be processed: \(error)")
        }
    }()

    static var versions: [Version] { stock.versions }
    static var keyByteCount: Int { stock.keyByteCount }

    static func keyName(_ user: String) -> EvaluationKeyName {
        EvaluationKeyName(
            user: user, identifier: stock.versions[0].usecase.configuration.evaluationKeyIdentifier)
    }

    static func message(_ question: ScriptStep.Question) -> (path: String, content: [UInt8]) {
        switch question.endpoint {
        case .key:
            var upload = stock.upload
            upload.keys[0].metadata.timestamp = UInt64(question.key)
            return (PIRService.Endpoint.key.path, WireCoding.bytes(of: upload))
        case .queries:
            let version = stock.versions[question.version]
            return (
                PIRService.Endpoint.queries.path,
                WireCoding.bytes(of: question.carriesKey ? version.questionWithKey : version.question)
            )
        case .report: return (ServiceNames.reportPath, Array("[]".utf8))
        default: return (PIRService.Endpoint.config.path, WireCoding.bytes(of: WireConfigRequest()))
        }
    }

    /// Versions of one list, which differ in the number of their shards and need the same keys.
    private static func makeStock() throws -> Stock {
        let entries = (0..<512).map { Array("word\($0).example".utf8) }
        var random = SplitMix(seed: 1)
        let versions = try [1, 2, 4, 8, 16].map { shardCount in
            let usecase = try PIRDatabase.usecase(
                named: PIRDatabase.usecaseName, entries: entries.prefix(30 * shardCount).map { $0[...] },
                rlweParameters: "insecure_n_512_logq_4x60_logt_20", shardCount: shardCount, seed: 1)
            let service = PIRService(usecases: [usecase])
            var session = PIRSession(usecase: usecase.name)
            let configuration = try WireCoding.message(
                WireConfigResponse.self, from: service.publicConfiguration().body)
            _ = try session.receive(configuration, using: &random)
            let upload = try session.makeKeyUpload(timestamp: 1, using: &random)
            let question = try session.makeRequests([entries[0]], using: &random).message
            var questionWithKey = question
            questionWithKey.requests[0].pirRequest.evaluationKey = upload.keys[0]
            return (
                version: Version(usecase: usecase, question: question, questionWithKey: questionWithKey),
                upload: upload
            )
        }
        let usecases = versions.map(\.version.usecase)
        precondition(
            Set(usecases.map(\.configurationID)).count == usecases.count
                && Set(usecases.map(\.configuration.evaluationKeyIdentifier)).count == 1,
            "versions must differ in their configurations, and not in their keys")
        let store = InMemoryEvaluationKeyStore()
        let service = PIRService(usecases: [usecases[0]], keys: store)
        _ = service.handle(.key, userIdentifier: "u", body: WireCoding.bytes(of: versions[0].upload))
        return Stock(
            versions: versions.map(\.version), upload: versions[0].upload, keyByteCount: store.usage.byteCount
        )
    }
}
