import Foundation
import NIOCore
import Parties
import PrivateInformationRetrieval
import Synchronization

/// A limit of the servers: a line of `urlfilter serve --help`, and a label of `urlfilter_limit_hits_total`.
package enum StackLimit: String, CaseIterable, Sendable {
    case connections
    case descriptors
    case waiting
    case headTime = "head_time"
    case keepAliveTime = "keep_alive_time"
    case contentTime = "content_time"
    case responseTime = "response_time"
    case idleTime = "idle_time"
    case fields
    case content
    case totalContent = "total_content"
    case parts
    case pipeline
    case queue
    case queueTime = "queue_time"
    case questions
    case entries
    case messages
    case userIdentifier = "user_identifier"
    case tokensPerDay = "tokens_per_day"
    case keyStorage = "key_storage"
    case reportStorage = "report_storage"
    case sealedRequests = "sealed_requests"
    case gatewayKey = "gateway_key"

    /// Text of what is allowed, with its unit.
    package func value(_ options: LiveStackOptions) -> String {
        let limits = options.limits
        return switch self {
        case .connections: "\(limits.connectionCount)"
        case .descriptors: "ulimit -n"
        case .waiting: Self.text(.nanoseconds(ConnectionCrowd.grace.nanoseconds))
        case .headTime: "\(Self.text(limits.headTime)), \(Self.text(limits.crowdedHeadTime))"
        case .keepAliveTime: Self.text(limits.keepAliveTime)
        case .contentTime: Self.text(limits.contentTime)
        case .responseTime: Self.text(limits.responseTime)
        case .idleTime: Self.text(limits.idleTime)
        case .fields: "\(Self.bytes(limits.fieldBytes)), \(limits.fieldCount)"
        case .content: Self.bytes(WireCoding.maximumBodyByteCount)
        case .totalContent: Self.bytes(limits.totalContentBytes)
        case .parts: "\(limits.partAllowance) + 1/\(limits.bytesPerPart) B"
        case .pipeline: "\(limits.pipelinedRequests)"
        case .queue: "\(options.queueLimit)"
        case .queueTime: Self.text(options.queueTime)
        case .questions: "\(PIRService.questionLimit)"
        case .entries: "those offered"
        case .messages: "\(PIRService.partLimit)"
        case .userIdentifier: Self.bytes(PIRParty.userIdentifierLimit)
        case .tokensPerDay: options.tokensPerUserPerDay.map { "\($0)" } ?? "no limit"
        case .keyStorage: "\(options.keyStorageByteCount / 1_000_000_000) GB"
        case .reportStorage: Self.bytes(ReportStore.storageLimit)
        case .sealedRequests: "\(GatewayHost.rememberedRequests)"
        case .gatewayKey: "2 × \(Self.text(options.gatewayKeyLife))"
        }
    }

    /// Text of what is limited, and of what happens beyond.
    package var meaning: String {
        switch self {
        case .connections: "connections at once; more wait"
        case .descriptors: "files and connections; accepting pauses"
        case .waiting: "for a peer, with no place left; closed"
        case .headTime: "for a first head, and in a crowd; closed"
        case .keepAliveTime: "for a further request's head; closed"
        case .contentTime: "for a request's content; 408"
        case .responseTime: "for a peer to take a response; closed"
        case .idleTime: "without streams on HTTP/2; closed"
        case .fields: "fields of a request; 431"
        case .content: "content, or less where less is needed; 413"
        case .totalContent: "contents received or in work; 503"
        case .parts: "chunks or frames of a content; closed"
        case .pipeline: "requests sent ahead on HTTP/1.1; closed"
        case .queue: "requests waiting for a thread; 503"
        case .queueTime: "waiting for a thread, expected or real; 503"
        case .questions: "questions in /queries; 413"
        case .entries: "usecases in /config, keys in /key; 400"
        case .messages: "messages inside a body; 413"
        case .userIdentifier: "User-Identifier; 400"
        case .tokensPerDay: "tokens per user and day; 429"
        case .keyStorage: "evaluation keys; the first uploaded go"
        case .reportStorage: "disk space of reports; 503"
        case .sealedRequests: "sealed requests remembered; a new key"
        case .gatewayKey: "for a gateway's key; 422"
        }
    }

    /// Which limit a request to the PIR service met, if it was one.
    init?(_ error: PIRServiceError) {
        switch error {
        case .bodyTooLarge: self = .content
        case .tooManyParts: self = .messages
        case .tooManyQuestions: self = .questions
        case .tooManyUsecases, .tooManyKeys: self = .entries
        default: return nil
        }
    }

    /// A line for each limit: name, value, meaning.
    package static func table(_ options: LiveStackOptions) -> String {
        let rows = allCases.map { ($0.rawValue, $0.value(options), $0.meaning) }
        let widths = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: width - text.count)
        }
        return rows.map { name, value, meaning in
            "  \(padded(name, widths.0))  \(padded(value, widths.1))  \(meaning)"
        }.joined(separator: "\n")
    }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = Int(duration.milliseconds)
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }

    private static func bytes(_ count: Int) -> String {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        let unit = units.first { count >= $0.0 && count % $0.0 == 0 }
        return unit.map { "\(count / $0.0) \($0.1)" } ?? "\(count) B"
    }
}

/// How often each limit was met.
package final class LimitHits: Sendable {
    private struct State {
        var counts: [StackLimit: Int] = [:]
        var counters: [StackLimit: @Sendable () -> Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func note(_ limit: StackLimit) { state.withLock { $0.counts[limit, default: 0] += 1 } }

    /// Takes the count of a limit from where it is kept.
    func follow(_ limit: StackLimit, _ counter: @escaping @Sendable () -> Int) {
        state.withLock { $0.counters[limit] = counter }
    }

    package subscript(limit: StackLimit) -> Int {
        let (count, counter) = state.withLock { ($0.counts[limit, default: 0], $0.counters[limit]) }
        return count + (counter?() ?? 0)
    }
}
