import Crypto
import EventSimulation
import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Synchronization
import Timing

/// Several instances of one party in other processes, of which each request goes to one.
///
/// The gateway reads who a user is, because the sealed request says so, and the balancer is that of the simulation. An
/// instance to which no connection can be made gets nothing for ``BalancedInstances/pause``. Its request goes to
/// another one, since nobody has seen it; one that may have arrived is not sent again, because a token is spent by the
/// first attempt.
final class BalancedUpstream: Upstream {
    private struct State {
        var balancer: Balancer
        /// Requests under way, by instance.
        var loads: [Int]
        /// Until when an instance gets nothing, by the steady clock; `nil` for one that is up.
        var pauses: [Int64?]
    }

    private let instances: [any DistantParty]
    private let clock: StackClock
    /// A user's requests do not all go to the same instance.
    private let copiesKeys: Bool
    private let state: Mutex<State>

    /// - Parameter instances: At least one.
    init(_ instances: [any DistantParty], balancing: Balancing, clock: StackClock) {
        precondition(!instances.isEmpty, "a party needs an instance")
        self.instances = instances
        self.clock = clock
        copiesKeys = balancing != .stickyByUser
        state = Mutex(
            State(
                balancer: Balancer(balancing, instances: instances.count),
                loads: instances.map { _ in 0 }, pauses: instances.map { _ in nil }))
    }

    func send(_ request: BinaryHTTPRequest, to endpoint: PartyEndpoint) async -> BinaryHTTPResponse {
        if copiesKeys, endpoint.path == PIRService.Endpoint.key.path {
            return await sendToAll(request, to: endpoint)
        }
        let user = Self.user(of: request)
        // Each is tried once at most: one that refuses is paused.
        for _ in instances {
            guard let instance = begin(user) else { break }
            let response = await instances[instance].sendIfReachable(request, to: endpoint)
            end(instance, isReachable: response != nil)
            if let response { return response }
        }
        return .unreachable
    }

    /// Each instance that is there gets an evaluation key, and takes its token, since any of them may be asked next.
    ///
    /// - Returns: The least favourable answer.
    private func sendToAll(
        _ request: BinaryHTTPRequest, to endpoint: PartyEndpoint
    ) async -> BinaryHTTPResponse {
        await withTaskGroup(of: BinaryHTTPResponse?.self) { group in
            for instance in instances {
                group.addTask { await instance.sendIfReachable(request, to: endpoint) }
            }
            var worst: BinaryHTTPResponse?
            for await case let response? in group where response.status >= worst?.status ?? 0 {
                worst = response
            }
            return worst ?? .unreachable
        }
    }

    private func begin(_ user: UInt64) -> Int? {
        state.withLock { state in
            let now = clock.steady()
            for (instance, end) in state.pauses.enumerated() {
                guard let end, end <= now else { continue }
                state.pauses[instance] = nil
                state.balancer.set(instance, isUp: true)
            }
            let loads = state.loads
            let chosen = state.balancer.choose(
                user: user, load: { loads[$0] }, draw: { Int.random(in: 0..<$0) })
            if let chosen { state.loads[chosen] += 1 }
            return chosen
        }
    }

    private func end(_ instance: Int, isReachable: Bool) {
        state.withLock { state in
            state.loads[instance] -= 1
            guard !isReachable else { return }
            state.pauses[instance] = clock.steady() + BalancedInstances.pause.nanoseconds
            state.balancer.set(instance, isUp: false)
        }
    }

    private static func user(of request: BinaryHTTPRequest) -> UInt64 {
        let field = request.fields.first { $0.name.lowercased() == ServiceNames.userIdentifierField }
        return BalancedInstances.number(ofUser: field?.text ?? "")
    }
}

/// Marks by which a gateway tells users and instances apart.
package enum BalancedInstances {
    /// How long an instance gets nothing after no connection could be made. Devices come again after longer;
    /// assumption.
    package static let pause = Duration.seconds(1)

    /// A number for a pseudonym: the same in every process, so that a gateway that restarts sends nobody elsewhere.
    package static func number(ofUser userIdentifier: String) -> UInt64 {
        SHA256.hash(data: Data(userIdentifier.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
