import Decoding
package import ObliviousHTTP
import Synchronization

/// Sealed for a gateway and posted to it, or to a relay in front of it.
package final class ObliviousChannel: ExchangeChannel {
    private let caller: any HTTPCalls
    private let resource: String
    private let keys: String
    private let gateway: Mutex<Gateway>

    /// The configuration that is in use, and what seals by it.
    private struct Gateway {
        let configuration: OHTTPKeyConfiguration
        let client: OHTTPClient
    }

    /// Fetches the gateway's key configuration.
    ///
    /// - Parameters:
    ///   - resource: URL that messages are posted to: the gateway's or the relay's.
    ///   - keys: URL of the gateway's key configuration.
    package init(_ caller: any HTTPCalls, resource: String, keys: String) async throws {
        self.caller = caller
        self.resource = resource
        self.keys = keys
        gateway = Mutex(try await Self.fetchGateway(caller, keys))
    }

    package func exchange(_ request: BinaryHTTPRequest) async throws -> ChannelReply {
        let first = gateway.withLock { $0 }
        do {
            return try await exchange(request, first)
        } catch let error as ExchangeError {
            // A gateway that does not know the key cannot have passed the request on, so it may be sent again.
            guard case .refusedOnTheWay(400..<500, _) = error, try await refresh(since: first) else {
                throw error
            }
            return try await exchange(request, gateway.withLock { $0 })
        }
    }

    private func exchange(_ request: BinaryHTTPRequest, _ gateway: Gateway) async throws -> ChannelReply {
        let (message, context) = try gateway.client.seal(request.encoded())
        let reply = try await caller.call(
            "POST", resource, fields: [BinaryHTTPField("content-type", OHTTPMediaType.request)],
            body: message)
        guard reply.status == 200 else {
            throw ExchangeError.refusedOnTheWay(
                status: reply.status, reason: ForeignText.quoted(reply.body))
        }
        do {
            let response = try BinaryHTTPResponse(decoding: context.open(reply.body))
            return ChannelReply(
                response: response, sentBytes: message.count, receivedBytes: reply.body.count)
        } catch {
            throw ExchangeError.unusable("\(error)")
        }
    }

    /// - Returns: Whether the gateway has another key now than the one that was used.
    private func refresh(since used: Gateway) async throws -> Bool {
        if gateway.withLock({ $0.configuration != used.configuration }) { return true }
        guard let fresh = try? await Self.fetchGateway(caller, keys),
            fresh.configuration != used.configuration
        else { return false }
        gateway.withLock { $0 = fresh }
        return true
    }

    private static func fetchGateway(_ caller: any HTTPCalls, _ url: String) async throws -> Gateway {
        let reply = try await caller.get(url)
        guard reply.status == 200 else {
            throw ExchangeError.refusedOnTheWay(
                status: reply.status, reason: "no key configuration at \(url)")
        }
        let configurations: [OHTTPKeyConfiguration]
        do {
            configurations = try OHTTPKeyConfiguration.decodeList(reply.body)
        } catch {
            throw ExchangeError.unusable("key configuration at \(url): \(error)")
        }
        for configuration in configurations {
            if let client = try? OHTTPClient(configuration: configuration) {
                return Gateway(configuration: configuration, client: client)
            }
        }
        throw ExchangeError.unusable("key configuration at \(url): no suite that this program has")
    }
}
