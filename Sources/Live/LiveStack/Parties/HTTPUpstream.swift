import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ObliviousHTTP
import Parties
import ServiceRules

/// A party in another process, over HTTP.
///
/// Nothing is sent twice: a token is spent by the first attempt.
struct HTTPUpstream: DistantParty {
    /// Errors of an attempt to connect, to an address instead of a name.
    private static let refusals: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL]

    let client: HTTPClient
    let party: PartyURL
    /// See ``LiveStackOptions/upstreamTime``.
    let timeout: Duration

    /// One client serves all upstreams of a process.
    static func makeClient(connectionsPerParty: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(5)
        // A party that is down is told at once; devices come again by themselves.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        // Shorter than our servers keep a connection that is idle.
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerParty
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func sendIfReachable(
        _ request: BinaryHTTPRequest, to endpoint: PartyEndpoint
    ) async -> BinaryHTTPResponse? {
        var outgoing = HTTPClientRequest(url: party.url(of: endpoint))
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.fields {
            if let text = field.text { outgoing.headers.add(name: field.name, value: text) }
        }
        if request.method == "POST" { outgoing.body = .bytes(ByteBuffer(bytes: request.content)) }
        let request = outgoing
        do {
            // The client's own time ends with the head of a response.
            return try await withTimeLimit(timeout) { try await exchange(request) }
        } catch let error as HTTPClientError where error == .connectTimeout {
            return nil
        } catch is NIOConnectionError {
            return nil
        } catch let error as IOError where Self.refusals.contains(error.errnoCode) {
            return nil
        } catch  where error is CancellationError || (error as? HTTPClientError)?.isTimeout == true {
            return .refusal(.nextPartySilent, "there was no answer in time")
        } catch {
            return .unreachable
        }
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> BinaryHTTPResponse {
        let response = try await client.execute(request, timeout: TimeAmount(timeout))
        let content = try await response.body.collect(upTo: BinaryHTTPLimits.standard.messageBytes)
        return BinaryHTTPResponse(
            status: Int(response.status.code),
            fields: response.headers.map { BinaryHTTPField($0.name.lowercased(), $0.value) },
            content: Array(content.readableBytesView))
    }
}

/// Runs `body`, and cancels it when it takes too long; what it returns or throws then is the result.
///
/// The timer is one of an event loop, which is gone when it is cancelled. The timer of a sleeping task stays until it
/// is due: with a limit of half a minute every connection that was reset left a task and two objects of the dispatch
/// library for that long.
package func withTimeLimit<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let work = Task { try await body() }
    let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
        work.cancel()
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        try await work.value
    } onCancel: {
        work.cancel()
    }
}

extension BinaryHTTPResponse {
    static var unreachable: BinaryHTTPResponse {
        .refusal(.nextPartyUnusable, "the next party cannot be reached")
    }
}

extension HTTPClientError {
    fileprivate var isTimeout: Bool {
        [.cancelled, .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout]
            .contains(self)
    }
}
