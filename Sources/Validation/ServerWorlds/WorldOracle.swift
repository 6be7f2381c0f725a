import Decoding
import HomomorphicEncryption
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval

/// Things that a world has seen of its servers, and what follows of them for their further answers.
///
/// It sees a request when it arrives and its answer when a server gives it, lost or not, and knows nothing of what is
/// inside the servers.
struct WorldOracle {
    /// Seconds in which every request has to be answered: 1 s in the line, the longest job, and two transactions of a
    /// slow disk.
    static let patience = 8.0
    /// Nanoseconds that are lost where ages are kept in whole seconds.
    private static let keyAgeSlack: Int64 = 2_000_000_000

    /// An arrival of a message at the servers.
    struct Arrival {
        let number: Int
        let message: WorldMessage
        let begun: Int64
        let incarnation: Int
        let served: [Int]
        let tierCount: Int
        /// Nobody had spent its token, or might have.
        let isFresh: Bool
        /// Arrivals of its token, this one included.
        let tokenTotal: Int
        let gatewayEpoch: Int
    }

    private struct TokenRecord {
        var total = 0
        /// Arrivals that left it as it was.
        var untouched = 0
        var accepted = 0
    }

    struct Upload {
        let timestamp: UInt64
        let begun: Int64
        /// The time when it was over, one way or the other; nanoseconds.
        var ended: Int64?
        var isAcknowledged = false
    }

    /// An answer that told which key the servers have.
    struct KeyReading {
        let timestamp: UInt64
        let begun: Int64
        let ended: Int64
    }

    struct KeyName: Hashable {
        let device: Int
        let identifier: [UInt8]
    }

    private struct CountedRequest: Hashable {
        let token: Int
        let incarnation: Int
    }

    private struct UserRecord {
        /// Requests that may have been counted: of what was counted, a new process knows the number only.
        var counted: Set<CountedRequest> = []
        var arrivals = 0
        var answered: Set<Int> = []
        var days: Set<Int64> = []
    }

    let stock: WorldStock
    let settings: WorldSettings
    /// Changes when keys of the gateway may be lost.
    var gatewayEpoch = 0
    /// Editions that are served, the latest first.
    var served: [Int] = []
    var tierCount = WorldStock.tiers.count
    private(set) var violation: Violation?
    private var tokens: [TokenNonce: TokenRecord] = [:]
    var uploads: [KeyName: [Int: Upload]] = [:]
    var keyReadings: [KeyName: [KeyReading]] = [:]
    private var users: [Int: UserRecord] = [:]
    /// The latest day that the servers' clock has shown, for which tokens count when it is set back.
    private var latestDay = Int64.min
    private var opened: Set<Int> = []

    init(stock: WorldStock, settings: WorldSettings) {
        self.stock = stock
        self.settings = settings
    }

    mutating func fail(_ invariant: Invariant, at now: Int64, _ text: String) {
        guard violation == nil else { return }
        violation = Violation(invariant: invariant, second: Double(now) / 1e9, text: text)
    }

    func wasAccepted(_ nonce: TokenNonce) -> Bool { (tokens[nonce]?.accepted ?? 0) > 0 }

    /// Notes a day that the servers' clock shows.
    mutating func see(day: Int64) { latestDay = max(latestDay, day) }

    /// Notes that a message has reached the servers.
    mutating func begin(
        _ message: WorldMessage, arrival number: Int, incarnation: Int, at now: Int64, day: Int64
    ) -> Arrival {
        see(day: day)
        var isFresh = true
        var total = 1
        if let nonce = message.nonce {
            var record = tokens[nonce] ?? TokenRecord()
            isFresh = record.total == record.untouched
            record.total += 1
            total = record.total
            tokens[nonce] = record
        }
        switch message.kind {
        case .token(let token, _):
            users[message.device, default: UserRecord()].counted.insert(
                CountedRequest(token: token, incarnation: incarnation))
            users[message.device]?.arrivals += 1
            users[message.device]?.days.formUnion([day, latestDay])
        case .key(let session, let timestamp):
            uploads[Self.keyName(session, message), default: [:]][number] = Upload(
                timestamp: timestamp, begun: now)
        default: break
        }
        return Arrival(
            number: number, message: message, begun: now, incarnation: incarnation, served: served,
            tierCount: tierCount, isFresh: isFresh, tokenTotal: total, gatewayEpoch: gatewayEpoch)
    }

    /// Notes that an arrival ended with its server: it may have changed something, and nobody was told.
    mutating func lose(_ arrival: Arrival, at now: Int64) {
        guard case .key(let session, _) = arrival.message.kind else { return }
        uploads[Self.keyName(session, arrival.message)]?[arrival.number]?.ended = now
    }

    /// Looks at an answer that a server gives.
    mutating func end(_ arrival: Arrival, _ response: BinaryHTTPResponse, at now: Int64, day: Int64) {
        let message = arrival.message
        if message.seal != nil {
            lookAtSeal(arrival, response, at: now)
            guard response.status == 200 else {
                if let nonce = message.nonce { tokens[nonce]?.untouched += 1 }
                return lose(arrival, at: now)
            }
        }
        guard let answer = message.answer(in: response) else {
            return fail(.unexpectedStatus, at: now, "message \(message.number): no answer in the sealed one")
        }
        if message.nonce != nil { lookAtToken(arrival, answer, at: now) }
        switch message.kind {
        case .token(let number, let signature):
            lookAtIssue(arrival, number, signature, answer, at: now, day: day)
        case .configuration: lookAtConfiguration(arrival, answer, at: now)
        case .key(let session, _): lookAtUpload(arrival, session, answer, at: now)
        case .lookup(let session, let queries, let words, let edition):
            lookAtLookup(arrival, session, (queries, words, edition), answer, at: now)
        case .report: expect([200], answer, arrival, at: now)
        case .publicConfiguration, .gatewayKeys: expect([200], answer, arrival, at: now)
        }
    }

    static func keyName(_ session: PIRSession, _ message: WorldMessage) -> KeyName {
        KeyName(
            device: message.device, identifier: session.client?.configuration.evaluationKeyIdentifier ?? [])
    }

    /// - Parameter statuses: Besides those that any request may get: 401 and 503.
    mutating func expect(
        _ statuses: Set<Int>, _ answer: BinaryHTTPResponse, _ arrival: Arrival, at now: Int64
    ) {
        guard !statuses.contains(answer.status), ![401, 503].contains(answer.status) else { return }
        fail(
            .unexpectedStatus, at: now,
            "message \(arrival.message.number) (\(arrival.message.kind.name)) got \(answer.status)")
    }

    mutating func lookAtSeal(_ arrival: Arrival, _ response: BinaryHTTPResponse, at now: Int64) {
        let message = arrival.message
        switch response.status {
        case 200:
            if !opened.insert(message.number).inserted {
                fail(.sealedTwice, at: now, "message \(message.number) was opened once more")
            }
        case 400: break
        case 422:
            guard let key = message.seal?.key, key.epoch == arrival.gatewayEpoch else { return }
            let life = Int64.seconds(settings.gatewayKeyLife)
            if arrival.begun - key.asked < life - Self.keyAgeSlack {
                fail(.gatewayKeyLost, at: now, "message \(message.number): its key is unknown too early")
            }
        default: fail(.unexpectedStatus, at: now, "message \(message.number) got \(response.status)")
        }
    }

    mutating func lookAtToken(_ arrival: Arrival, _ answer: BinaryHTTPResponse, at now: Int64) {
        guard let nonce = arrival.message.nonce, let record = tokens[nonce] else { return }
        let text = "message \(arrival.message.number)"
        switch answer.status {
        case 401:
            let device = arrival.message.device
            let tier = device % WorldStock.tiers.count
            guard tier < min(arrival.tierCount, tierCount) else {
                tokens[nonce]?.untouched += 1
                return
            }
            if arrival.isFresh, record.total == arrival.tokenTotal {
                fail(.tokenRefused, at: now, "\(text): its token was refused, and nobody had spent it")
            }
        case 503:
            if answer.fields.contains(where: { $0.name == "retry-after" && $0.text == "1" }) {
                tokens[nonce]?.untouched += 1
            }
        default:
            tokens[nonce]?.accepted += 1
            if record.accepted > 0 {
                fail(.tokenSpentTwice, at: now, "\(text): its token was taken once more")
            }
        }
    }

    mutating func lookAtIssue(
        _ arrival: Arrival, _ number: Int, _ signature: [UInt8], _ answer: BinaryHTTPResponse, at now: Int64,
        day: Int64
    ) {
        let device = arrival.message.device
        guard var user = users[device] else { return }
        see(day: day)
        user.days.formUnion([day, latestDay])
        defer { users[device] = user }
        switch answer.status {
        case 200:
            if answer.content != signature {
                fail(.wrongSignature, at: now, "device \(device): a wrong signature")
            }
            user.answered.insert(number)
            if let limit = settings.tokensPerUserPerDay, user.answered.count > limit * user.days.count {
                fail(
                    .allowanceExceeded, at: now,
                    "device \(device) got \(user.answered.count) tokens in \(user.days.count) days of \(limit)"
                )
            }
        case 401, 422:
            if device % WorldStock.tiers.count < min(arrival.tierCount, tierCount) {
                fail(.userRefused, at: now, "device \(device) got \(answer.status) for a token request")
            }
        case 429:
            guard let limit = settings.tokensPerUserPerDay else {
                return fail(.unexpectedStatus, at: now, "429 where there is no limit")
            }
            if user.counted.count <= limit, user.arrivals - user.counted.count <= limit {
                fail(
                    .allowanceLost, at: now,
                    "device \(device) got 429 for token \(user.counted.count) of \(limit)")
            }
        default: expect([200], answer, arrival, at: now)
        }
    }
}
