import LiveStack
import Logging
import Parties
import Synchronization
import Testing

/// What servers write down.
struct LogTests {
    @Test func everyRequestIsLoggedWithAnIDAndNothingSecret() async throws {
        let lines = Lines()
        var options = Fixture.options
        options.logger = Logger(label: "test") { _ in CapturingHandler(lines: lines) }
        options.logger.logLevel = .trace
        try await Fixture.withStack(options) { stack async throws in
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
