package import NIOCore
import Synchronization

/// The connections of a server: how many there are, and which one makes room when there is none for a further one.
///
/// A connection that waits for its peer can wait for ever, whatever the peer is about to send: nothing on HTTP/2, a
/// head without its content, a window that does not open. So when all places are taken, those go that are waiting:
/// first of the network that has most connections, and of its connections the one that has waited longest. One whose
/// request is worked on stays.
package final class ConnectionCrowd: Sendable {
    /// Time below which a waiting connection stays: a response that was just written is on its way, and who just came
    /// has a chance to speak. Assumption: a device that is slower can ask again.
    package static let grace = TimeAmount.milliseconds(250)

    fileprivate struct Member {
        let network: PeerNetwork
        let channel: any Channel
        /// Requests that came whole and have no whole response.
        var workCount = 0
        var waitsSince: NIODeadline
        var isLeaving = false
    }

    fileprivate struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var leavingCount = 0
        var looksAgain = false
    }

    package let limit: Int
    private let trusted: [PeerNetwork.Block]
    private let count = Atomic(0)
    private let state = Mutex(State())
    private let noteLeaving: @Sendable () -> Void

    /// - Parameters:
    ///   - trusted: Networks of relays and balancers, behind each of whose addresses there are many users: their
    ///     connections count one by one, so that they go last.
    ///   - noteLeaving: Called for each connection that has to make room.
    package init(
        limit: Int, trusted: [PeerNetwork.Block] = [], noteLeaving: @escaping @Sendable () -> Void = {}
    ) {
        self.limit = limit
        self.trusted = trusted
        self.noteLeaving = noteLeaving
    }

    /// Whether more than half of those are there that there may be: then who says nothing keeps others out.
    var isDense: Bool { count.load(ordering: .relaxed) > limit / 2 }

    /// Counts what was accepted, which may not have entered yet.
    func change(by difference: Int) -> Int { count.add(difference, ordering: .relaxed).newValue }

    /// Notes a connection until it is closed.
    package func enter(_ channel: any Channel, now: NIODeadline = .now()) {
        let id = ObjectIdentifier(channel)
        let network = PeerNetwork(channel.remoteAddress, trusted: trusted, alone: id.hashValue)
        state.withLock { $0.members[id] = Member(network: network, channel: channel, waitsSince: now) }
        channel.closeFuture.whenComplete { [weak self] _ in self?.leave(id) }
        makeRoom(at: now, channel.eventLoop)
    }

    private func leave(_ id: ObjectIdentifier) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: id) else { return }
            if member.isLeaving { state.leavingCount -= 1 }
        }
    }

    /// A request of the connection came whole.
    package func workBegan(_ channel: any Channel) {
        state.withLock { $0.members[ObjectIdentifier(channel)]?.workCount += 1 }
    }

    /// Its response was made; whether the peer takes it is the peer's affair.
    package func workEnded(_ channel: any Channel, now: NIODeadline = .now()) {
        state.withLock { state in
            state.members[ObjectIdentifier(channel)]?.workCount -= 1
            state.members[ObjectIdentifier(channel)]?.waitsSince = now
        }
    }

    /// Closes what waits for its peer: somebody wants the server to end.
    ///
    /// - Returns: How many connections there were.
    func closeWaiting() -> Int {
        let members = state.withLock { Array($0.members.values) }
        for member in members where member.workCount == 0 { member.channel.close(promise: nil) }
        return members.count
    }

    private func makeRoom(at now: NIODeadline, _ eventLoop: any EventLoop) {
        let (leaving, looksAgain) = state.withLock { state -> ([any Channel], Bool) in
            // What is on its way out makes room too. Several are accepted at once, so there may be more than places.
            let excess = state.members.count - state.leavingCount - limit + 1
            guard excess > 0 else { return ([], false) }
            let victims = state.longestWaiting(of: max(excess, limit / 100), since: now - Self.grace)
            for id in victims { state.members[id]?.isLeaving = true }
            state.leavingCount += victims.count
            let looksAgain = victims.count < excess && !state.looksAgain
            if looksAgain { state.looksAgain = true }
            return (victims.compactMap { state.members[$0]?.channel }, looksAgain)
        }
        for channel in leaving {
            noteLeaving()
            channel.close(promise: nil)
        }
        guard looksAgain else { return }
        eventLoop.scheduleTask(in: Self.grace) { [weak self] in
            self?.state.withLock { $0.looksAgain = false }
            self?.makeRoom(at: .now(), eventLoop)
        }
    }
}

extension ConnectionCrowd.State {
    /// - Parameters:
    ///   - count: Connections at most, so that a full house is looked through once for many who come.
    ///   - latest: When they began to wait at the latest.
    fileprivate func longestWaiting(of count: Int, since latest: NIODeadline) -> [ObjectIdentifier] {
        var sizes: [PeerNetwork: Int] = [:]
        var waiting: [PeerNetwork: [(since: NIODeadline, id: ObjectIdentifier)]] = [:]
        for (id, member) in members where !member.isLeaving {
            sizes[member.network, default: 0] += 1
            guard member.workCount == 0, member.waitsSince <= latest else { continue }
            waiting[member.network, default: []].append((member.waitsSince, id))
        }
        for network in waiting.keys { waiting[network]?.sort { $0.since > $1.since } }
        var victims: [ObjectIdentifier] = []
        while victims.count < count {
            // Of networks of the same size the one with the longest wait.
            let next = waiting.max { one, other in
                let (size, otherSize) = (sizes[one.key] ?? 0, sizes[other.key] ?? 0)
                guard size == otherSize else { return size < otherSize }
                return (one.value.last?.since ?? .distantFuture) > (other.value.last?.since ?? .distantFuture)
            }
            guard let network = next?.key, let victim = waiting[network]?.popLast() else { break }
            victims.append(victim.id)
            sizes[network, default: 0] -= 1
            if waiting[network]?.isEmpty == true { waiting[network] = nil }
        }
        return victims
    }
}
