import Foundation
import GRDB
import LiveStack
import Logging
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import Synchronization
import Testing

/// What servers write down.
struct LogTests {
    @Test func everyRequestIsLoggedWithAnIDAndNothingSecret() async throws {
        let lines = Lines()
        try await Fixture.withStack(Self.options(lines)) { stack async throws in
            let relay = stack.url + ServiceNames.relayPath
            var sealed = try TestDevice(way: .sealed(to: relay, keys: relay))
            try await sealed.settle(tokens: 1)
            _ = try await sealed.look(up: ["blocked7.example"])
            var direct = try TestDevice(number: 1, directTo: stack.url)
            try await direct.settle(tokens: 1)
            _ = try await direct.look(up: ["blocked7.example"])
        }
        let all = lines.all
        let answered = all.filter { $0.hasPrefix("answered") }
        // Three tokens, directory, token key, configuration, key and lookup of each; the gateway's keys of one.
        #expect(answered.count == 17)
        #expect(
            Set(answered.compactMap { $0.split(separator: " ").first { $0.hasPrefix("request=") } }).count
                == 17)
        #expect(answered.contains { $0.contains("party=pir") && $0.contains("endpoint=queries") })
        let text = all.joined(separator: "\n")
        for secret in ["user-0", "user-1", "device-0", "device-1", "blocked", "PrivateToken", "Bearer"] {
            #expect(!text.contains(secret))
        }
    }

    private static func options(_ lines: Lines) -> LiveStackOptions {
        var options = Fixture.options
        options.logger = Logger(label: "test") { _ in CapturingHandler(lines: lines) }
        options.logger.logLevel = .trace
        return options
    }

    /// Logs at every level, metrics, and what refused clients are told, for a conversation in which much goes wrong.
    @Test func noSecretShowsInLogsMetricsAndRefusals() async throws {
        let lines = Lines()
        try await Fixture.withStateFile { path in
            var options = Self.options(lines)
            options.statePath = path
            options.tokensPerUserPerDay = 12
            let secrets = try await Fixture.withStack(options) { stack async throws in
                var secrets = Secrets()
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 8)
                secrets.add(try #require(device.lastRequest))
                _ = try await device.look(up: ["blocked7.example"])
                let good = try #require(device.lastRequest)
                secrets.add(good)
                for request in try Self.refused(&device, good) {
                    secrets.add(request)
                    let response = try await Wire.send(request, to: stack.url)
                    #expect(response.status >= 400)
                    lines.add(String(decoding: response.content, as: UTF8.self))
                }
                // What SQLite refuses it explains with the statement.
                try await DatabaseQueue(path: path).write { database in
                    for table in ["spentToken", "evaluationKey", "issued"] {
                        try database.execute(
                            sql: """
                                CREATE TRIGGER \(table)Refused BEFORE INSERT ON \(table)
                                BEGIN SELECT RAISE(FAIL, 'refused by a test'); END
                                """)
                    }
                }
                await #expect(throws: Refused.notStored) { try await device.look(up: ["blocked8.example"]) }
                await #expect(throws: Refused.notStored) { try await device.fetchTokens(1) }
                secrets.add(try #require(device.lastRequest))
                lines.add(String(decoding: try await Wire.get("/metrics", stack.url).content, as: UTF8.self))
                return secrets
            }
            let stored = try await DatabaseQueue(path: path).read { database in
                try String.fetchAll(database, sql: "SELECT privateKey FROM tokenKey")
                    .flatMap { Secrets.lines(of: $0) }
                    + Data.fetchAll(database, sql: "SELECT privateKey FROM gatewayKey")
                    .flatMap { Secrets.forms(of: Array($0)) }
            }
            let text = lines.all.joined(separator: "\n")
            #expect(text.contains("refused by a test"))
            for secret in secrets.texts + stored {
                #expect(!text.contains(secret), "\(secret.prefix(40))")
            }
        }
    }

    /// Requests that are refused for reasons of all kinds, each with something secret in it.
    private static func refused(
        _ device: inout TestDevice, _ good: BinaryHTTPRequest
    ) throws -> [BinaryHTTPRequest] {
        func changed(_ text: String) -> BinaryHTTPRequest {
            var request = good
            request.fields.removeAll { $0.name == "authorization" }
            request.fields.append(BinaryHTTPField("authorization", text))
            return request
        }
        let token = good.authorization ?? ""
        var requests = [
            good, changed(token + token), changed(String(token.dropLast(9))), changed(token.uppercased()),
            changed("Bearer user-0"), changed("PrivateToken token=\"user-0"), changed("PrivateToken user-0"),
        ]
        for path in ["/config", "/key", "/queries"] {
            var (request, _) = try device.withClient { try $0.configRequest() }
            request.path = path
            request.content = Array("user-0 device-0 blocked7.example".utf8)
            requests.append(request)
        }
        for (path, field) in [
            (ServiceNames.issuePath, "Bearer user-0"), (ServiceNames.issuePath, "user-0"),
            (ServiceNames.tokenKeyPath, "Basic user-0"),
        ] {
            requests.append(
                BinaryHTTPRequest(
                    method: path == ServiceNames.issuePath ? "POST" : "GET", authority: "", path: path,
                    fields: [BinaryHTTPField("authorization", field)], content: Array("user-0".utf8)))
        }
        return requests
    }
}

/// What must be nowhere, in all forms in which programs print bytes.
private struct Secrets {
    private(set) var texts = ["user-0", "device-0", "blocked7"]

    /// Token, nonce and signature of a request, and what it carries: queries or an evaluation key.
    mutating func add(_ request: BinaryHTTPRequest) {
        texts += Self.forms(of: Array(request.content.suffix(99)))
        guard let token = request.authorization.flatMap({ try? Token(authorization: $0) }) else { return }
        for bytes in [Array(token.input.nonce.bytes), token.encoded] { texts += Self.forms(of: bytes) }
    }

    static func forms(of bytes: [UInt8]) -> [String] {
        guard bytes.count > 12 else { return [] }
        return [
            bytes.prefix(12).map { String($0) }.joined(separator: ", "),
            bytes.prefix(12).map { String(format: "%02x", $0) }.joined(),
            bytes.prefix(12).map { String(format: "%02X", $0) }.joined(),
            Data(bytes.prefix(12)).base64EncodedString(), Base64URL.encode(Array(bytes.suffix(12))),
        ]
    }

    /// Of a key in PEM form.
    static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { $0.count > 12 && !$0.hasPrefix("-----") }
    }
}

/// What was logged, in order.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

struct CapturingHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: Lines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        lines.add("\(event.message) " + all.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}
