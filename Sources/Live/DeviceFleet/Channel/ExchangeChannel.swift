package import ObliviousHTTP

/// A way from a device to the operator's services, whatever lies between.
package protocol ExchangeChannel: Sendable {
    /// Carries one request to the service that it names, and brings back that service's answer.
    ///
    /// - Throws: ``ExchangeError`` when there is no answer of the service itself.
    func exchange(_ request: BinaryHTTPRequest) async throws -> ChannelReply
}

/// Response that came back, and the bytes that the exchange took.
package struct ChannelReply: Sendable {
    package var response: BinaryHTTPResponse
    /// Body of the HTTP request as it left the device: sealed if the way is oblivious.
    package var sentBytes: Int
    /// Body of the HTTP response as it came in.
    package var receivedBytes: Int

    package init(response: BinaryHTTPResponse, sentBytes: Int, receivedBytes: Int) {
        self.response = response
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
    }
}

/// Why no service answered.
package enum ExchangeError: Error, Hashable, CustomStringConvertible {
    /// No connection, or one that broke.
    case unreachable(String)
    case timedOut(seconds: Double)
    /// The gateway or the relay answered by itself and in the clear.
    case refusedOnTheWay(status: Int, reason: String)
    /// An answer that is too long, or cannot be opened or read.
    case unusable(String)

    /// Short name for tables.
    package var kind: String {
        switch self {
        case .unreachable: "unreachable"
        case .timedOut: "no answer in time"
        case .refusedOnTheWay(let status, _): "gateway or relay: status \(status)"
        case .unusable: "unusable answer"
        }
    }

    package var description: String {
        switch self {
        case .unreachable(let detail): "no connection: \(detail)"
        case .timedOut(let seconds): "no answer within \(seconds) s"
        case .refusedOnTheWay(let status, let reason):
            "the gateway or relay itself answered with status \(status)"
                + (reason.isEmpty ? "" : ": \(reason)")
        case .unusable(let detail): "the answer cannot be used: \(detail)"
        }
    }
}

/// Straight to the services, as a build of the app that was started from Xcode does.
package struct DirectChannel: ExchangeChannel {
    private let caller: any HTTPCalls

    package init(_ caller: any HTTPCalls) { self.caller = caller }

    package func exchange(_ request: BinaryHTTPRequest) async throws -> ChannelReply {
        let url = "\(request.scheme)://\(request.authority)\(request.path)"
        let reply = try await caller.call(request.method, url, fields: request.fields, body: request.content)
        return ChannelReply(
            response: BinaryHTTPResponse(status: reply.status, fields: reply.fields, content: reply.body),
            sentBytes: request.content.count, receivedBytes: reply.body.count)
    }
}
