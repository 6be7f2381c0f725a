package import ObliviousHTTP

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
