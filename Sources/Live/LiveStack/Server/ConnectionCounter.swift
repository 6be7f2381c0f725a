import HummingbirdCore
import Logging

/// Limits and shared state that the handlers of all connections of a server go by.
struct ConnectionRules: Sendable {
    let limits: ConnectionLimits
    let hits: LimitHits
    let crowd: ConnectionCrowd

    init(
        _ limits: ConnectionLimits, connectionCount: Int, trusted: [PeerNetwork.Block] = [], hits: LimitHits
    ) {
        self.limits = limits
        self.hits = hits
        crowd = ConnectionCrowd(limit: connectionCount, trusted: trusted) { hits.note(.waiting) }
    }

    /// Time for the head of a request that could begin now.
    var headTime: Duration { crowd.isDense ? min(limits.headTime, limits.crowdedHeadTime) : limits.headTime }
}

/// Stops accepting connections while there are as many as there may be.
struct ConnectionCounter: AvailableConnectionsDelegate {
    private let rules: ConnectionRules
    private let logger: Logger
    private var count = 0
    /// Whether there was no room, until it is no crowd any more: what is logged once.
    private var isCrowded = false

    init(_ rules: ConnectionRules, logger: Logger) {
        self.rules = rules
        self.logger = logger
    }

    private var limit: Int { rules.crowd.limit }

    mutating func connectionOpened() {
        count = rules.crowd.change(by: 1)
        guard count >= limit, !isCrowded else { return }
        isCrowded = true
        rules.hits.note(.connections)
        logger.warning("all connections are taken, further ones wait", metadata: ["connections": "\(limit)"])
    }

    mutating func connectionClosed() {
        count = rules.crowd.change(by: -1)
        guard isCrowded, !rules.crowd.isDense else { return }
        isCrowded = false
        logger.notice("connections are free again", metadata: ["connections": "\(limit)"])
    }

    func isAcceptingNewConnections() -> Bool { count < limit }
}
