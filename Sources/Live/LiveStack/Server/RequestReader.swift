import HTTPTypes
import Hummingbird
import NIOCore
import ObliviousHTTP
import Parties
import ServiceRules
import Synchronization

/// Limits of what one connection, and all together, may cost.
package struct ConnectionLimits: Sendable {
    /// Time for the head of a connection's first request, from when it could begin.
    package var headTime: Duration = .seconds(15)
    /// The same while more than half of all connections are taken: enough for a peer that means it. Assumption.
    package var crowdedHeadTime: Duration = .seconds(2)
    /// Time for the head of a further one: longer than clients keep idle connections, which is often a minute.
    package var keepAliveTime: Duration = .seconds(75)
    /// Time for a request's content, from its head.
    package var contentTime: Duration = .seconds(30)
    /// Time for a peer to take a response.
    package var responseTime: Duration = .seconds(30)
    /// Time an HTTP/2 connection may be without streams.
    package var idleTime: Duration = .seconds(300)
    /// Connections at once; more wait to be accepted. Fewer where the process may open fewer descriptors: see
    /// ``DescriptorBudget``.
    package var connectionCount = 20_000
    /// Parts of a content, in chunks of HTTP/1.1 or DATA frames of HTTP/2: this many, and one more for each
    /// ``bytesPerPart``. Less than a segment of TCP brings; assumptions.
    package var partAllowance = 1_000
    /// Requests of an HTTP/1.1 connection that have no response yet: assumption, more than any client sends ahead.
    package var pipelinedRequests = 64
    package var bytesPerPart = 256
    /// Bytes of the fields of a request.
    package var fieldBytes = 16 << 10
    package var fieldCount = 100
    /// Bytes of all contents that are being received or worked on.
    package var totalContentBytes = 1 << 30

    package init() {}
}

/// Reads the content of requests within limits of size, time and memory.
final class RequestReader: Sendable {
    struct Refusal: Error {
        let response: BinaryHTTPResponse
    }

    private let limits: ConnectionLimits
    private let hits: LimitHits
    private let heldBytes = Atomic(0)

    init(limits: ConnectionLimits, hits: LimitHits) {
        self.limits = limits
        self.hits = hits
    }

    /// Gives back what ``read(_:limit:)`` has taken.
    func release(_ byteCount: Int) { heldBytes.subtract(byteCount, ordering: .relaxed) }

    /// - Parameter limit: Of the content, in bytes.
    /// - Returns: The content; ``release(_:)`` its length when it is no longer needed.
    func read(_ request: Request, limit: Int) async -> Result<[UInt8], Refusal> {
        if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
            return refused(
                .contentTypeUnknown, "the content must not be encoded",
                [BinaryHTTPField("accept-encoding", "identity")])
        }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            hits.note(.content)
            return .failure(Refusal(response: .tooLong(length, limit: limit)))
        }
        if request.method == .get { return .success([]) }
        let result = try? await withTimeLimit(limits.contentTime) {
            await self.collect(request.body, limit: limit)
        }
        return result ?? late()
    }

    private func collect(_ body: RequestBody, limit: Int) async -> Result<[UInt8], Refusal> {
        var bytes: [UInt8] = []
        func give(back refusal: Result<[UInt8], Refusal>) -> Result<[UInt8], Refusal> {
            release(bytes.count)
            return refusal
        }
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= limit else {
                    hits.note(.content)
                    return give(back: refused(.tooLarge, "the content has more than \(limit) bytes"))
                }
                bytes.append(contentsOf: part.readableBytesView)
                let held = heldBytes.add(part.readableBytes, ordering: .relaxed).newValue
                guard held <= limits.totalContentBytes else {
                    hits.note(.totalContent)
                    return give(back: .failure(Refusal(response: .overloaded)))
                }
            }
            return Task.isCancelled ? give(back: late()) : .success(bytes)
        } catch {
            // A task that is cancelled reads no further and may say so by an error.
            return give(
                back: Task.isCancelled ? late() : refused(.requestUnusable, "the content ends too early"))
        }
    }

    private func late() -> Result<[UInt8], Refusal> {
        hits.note(.contentTime)
        return refused(.contentLate, "the content did not arrive in \(limits.contentTime)")
    }

    private func refused(
        _ why: ServiceRefusal, _ sentence: String, _ fields: [BinaryHTTPField] = []
    ) -> Result<[UInt8], Refusal> {
        .failure(Refusal(response: .refusal(why, sentence, fields: fields)))
    }
}
