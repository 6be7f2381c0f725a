import FleetModel
import Testing
import URLFilter

/// What happens to one device that has just been switched on: loads, restarts of servers, and answers that are not
/// those of the services.
struct DeviceScript: CustomTestStringConvertible {
    /// Instead of the service's own answer, which then does not see the request.
    enum Answer {
        case status(Int)
        case noConnection
        case noAnswerInTime
    }

    enum Action {
        /// A URL that is listed, another one each time.
        case load
        case restart(Part)
    }

    var testDescription: String
    var actions: [(second: Int64, Action)] = []
    /// By endpoint, and the number of the request to it, from 0 on.
    var answers: [Endpoint: [Int: Answer]] = [:]
    /// Fetch of the configuration, seconds.
    var refetch: Int64 = 1_000_000
    /// Until the evaluation key is replaced, seconds.
    var keyPeriod: Int64 = 1_000_000
    var refillBelow = 5
    var os = OSGeneration.iOS26
    var queryKeyShare = 0.0
    /// Length, seconds.
    var end: Int64
    /// What the device sends, in order, by the rules of article "Device".
    var expected: [Endpoint]

    /// A refill comes 5 s after the stock has fallen below 5: chance has no part in the order of the exchanges.
    var constants: DeviceConstants {
        var constants = DeviceConstants()
        constants.evaluationKeyLife = keyPeriod * Self.second
        constants.evaluationKeyRenewBefore = 0
        constants.prefilterFetchInterval = 10_000_000 * Self.second
        return constants
    }

    var generation: GenerationRules {
        var generation = os.rules
        generation.tokens.refillDelay = 5 * Self.second
        generation.tokens.refillSpread = 0
        generation.tokens.background?.spread = 0
        generation.tokens.refillBelow = refillBelow
        generation.tokens.life = 10_000_000 * Self.second
        // Every lookup carries a key, or none does.
        if generation.queryKeyShare != nil { generation.queryKeyShare = queryKeyShare }
        return generation
    }

    static let second: Nanoseconds = 1_000_000_000

    static func url(_ load: Int) -> String { "https://\(entry(load))/" }
    static func entry(_ load: Int) -> String { "listed\(load).example" }
    static let entryCount = 40

    static func lookups(_ count: Int) -> [Endpoint] { Array(repeating: .queries, count: count) }
    static func issue(_ count: Int) -> [Endpoint] { Array(repeating: .issue, count: count) }
    /// From nothing to an active filter, and 5 s later to a full stock: two of four tokens are spent, eight missing.
    static let start: [Endpoint] = [.directory, .tokenKey] + issue(4) + [.config, .key] + issue(8)

    static let all: [DeviceScript] = [
        DeviceScript(
            testDescription: "200: a set-up, six lookups, a refill of six",
            actions: (0..<6).map { (100 + Int64($0), .load) }, end: 200,
            expected: start + lookups(6) + issue(6)),
        DeviceScript(
            testDescription:
                "503, no connection, no answer in time: a set-up step is tried again, a lookup is not",
            actions: (0..<4).map { (5_000 + Int64($0) * 100, .load) },
            answers: [
                .directory: [0: .noConnection, 1: .status(503)], .tokenKey: [0: .noAnswerInTime],
                .config: [0: .status(503), 1: .noAnswerInTime], .key: [0: .noConnection],
                .queries: [0: .status(503), 1: .noConnection, 2: .noAnswerInTime],
            ], end: 6_000,
            expected: [.directory, .directory, .directory, .tokenKey, .directory, .tokenKey] + issue(4)
                + [.config] + issue(7) + [.config, .config, .key, .key] + lookups(2) + issue(6)
                + lookups(2)),
        DeviceScript(
            testDescription: "400: a lost evaluation key comes to light at the next configuration",
            actions: [(100, .load), (200, .restart(.pir)), (300, .load), (400, .load), (1_500, .load)],
            refetch: 1_000, end: 2_500,
            expected: start + lookups(3) + [.config, .key] + lookups(1) + issue(6) + [.config]),
        DeviceScript(
            testDescription:
                "422, then 401: a new token key is fetched for the next order, old tokens are used up",
            actions: [(1, .restart(.issuer))] + (0..<6).map { (100 + Int64($0) * 100, .load) }, end: 1_000,
            expected: start + lookups(1) + [.directory, .tokenKey] + issue(9) + lookups(5)),
        DeviceScript(
            testDescription: "401 on /config: tried again with the next token",
            answers: [.config: [0: .status(401), 1: .status(401)]], end: 1_000,
            expected: [.directory, .tokenKey] + issue(4) + [.config] + issue(7) + [.config, .config, .key]),
        DeviceScript(
            testDescription:
                "410: a configuration that is gone is replaced at the next fetch, no lookup repeated",
            actions: [(100, .load), (200, .load), (1_500, .load)],
            answers: [.queries: [0: .status(410), 1: .status(410)]], refetch: 1_000, end: 2_500,
            expected: start + lookups(2) + [.config] + lookups(1) + [.config]),
        DeviceScript(
            testDescription: "422 on a whole order: what waits fails, the next order asks the directory",
            actions: [(100, .load)],
            answers: [.issue: Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, .status(422)) })],
            end: 1_000, expected: [.directory, .tokenKey] + issue(4) + start + lookups(1)),
        DeviceScript(
            testDescription: "429, 503, no answer on /issue: the token key stays",
            answers: [.issue: [0: .status(429), 1: .status(503), 2: .noConnection, 3: .noAnswerInTime]],
            end: 1_000,
            expected: [.directory, .tokenKey] + issue(8) + [.config, .key] + issue(8)),
        DeviceScript(
            testDescription: "no token left: a lookup waits for one, and fails if none can be had",
            actions: (1...4).map { ($0 * 100, .load) },
            answers: [.issue: Dictionary(uniqueKeysWithValues: (4..<8).map { ($0, .status(503)) })],
            refillBelow: 0, end: 1_000,
            expected: [.directory, .tokenKey] + issue(4) + [.config, .key] + lookups(2) + issue(4)
                + issue(4) + lookups(1)),
        DeviceScript(
            testDescription: "iOS 27: orders of ten, and one in the background after six hours",
            actions: (0..<4).map { (100 + Int64($0), .load) }, os: .iOS27, end: 22_000,
            expected: [.directory, .tokenKey] + issue(10) + [.config, .key] + lookups(4) + issue(10)
                + issue(1)),
        DeviceScript(
            testDescription:
                "iOS 27.3: the first key of the directory; a lost evaluation key is mended at once",
            actions: [(100, .load), (200, .restart(.pir)), (300, .load), (400, .load)], os: .iOS27_3,
            end: 500,
            expected: [.directory] + issue(10) + [.key] + lookups(2) + [.key] + lookups(1)),
        DeviceScript(
            testDescription: "iOS 27.3: lookups with a key of their own need none at the servers",
            actions: [(100, .load), (200, .restart(.pir)), (300, .load)], os: .iOS27_3, queryKeyShare: 1,
            end: 400, expected: [.directory] + issue(10) + [.key] + lookups(2)),
        DeviceScript(
            testDescription: "a key grown old is replaced without a fetch of the configuration",
            keyPeriod: 1_000, end: 2_500, expected: start + [.key, .key]),
    ]
}
