import Foundation
import Logging
import NIOCore

/// How the descriptors that this process may open are shared out.
///
/// Without it connections take them all, and then neither SQLite nor a connection to another party gets one.
package struct DescriptorBudget: Hashable, Sendable {
    /// Descriptors for files, SQLite, event loops and listening sockets: assumption.
    static let reserve = 64
    /// Without TLS every request under way to another party needs a connection of its own; assumption.
    private static let connectionsPerUpstream = 1_024

    /// Connections from peers.
    package let connectionCount: Int
    /// Connections to each other party.
    package let connectionsPerUpstream: Int

    /// - Parameters:
    ///   - limit: Descriptors that this process may open.
    ///   - connectionCount: Connections from peers if there are enough.
    package init(limit: Int, upstreamCount: Int, connectionCount: Int) {
        let free = max(2, limit - Self.reserve)
        // At most half of them are for other parties.
        connectionsPerUpstream = max(1, min(Self.connectionsPerUpstream, free / 2 / max(1, upstreamCount)))
        self.connectionCount = max(
            1, min(connectionCount, free - connectionsPerUpstream * upstreamCount))
    }

    /// Descriptors that this process may open now.
    package static var limit: Int { Int(clamping: resourceLimit().rlim_cur) }

    /// Raises that to what the system allows this process.
    package static func raiseLimit() {
        var limit = resourceLimit()
        #if canImport(Darwin)
            // More is refused, even where the limit is "unlimited".
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            limit.rlim_cur = limit.rlim_max
        #endif
        _ = setrlimit(resource, &limit)
    }

    private static func resourceLimit() -> rlimit {
        var limit = rlimit()
        _ = getrlimit(resource, &limit)
        return limit
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}

extension Channel {
    /// Lets a listening socket wait when it cannot accept, for want of descriptors or memory.
    ///
    /// The system reports a connection that waits again and again; trying at once takes a core and accepts nothing.
    func backsOffWhenItCannotAccept(hits: LimitHits, logger: Logger) {
        let wait = TimeAmount.milliseconds(100)
        eventLoop.execute {
            var lastFailure = NIODeadline.uptimeNanoseconds(0)
            let handler = AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { error in
                hits.note(.descriptors)
                let now = NIODeadline.now()
                // Once per episode.
                if now - lastFailure > wait + wait {
                    logger.error("no connection can be accepted", metadata: ["reason": "\(error)"])
                }
                lastFailure = now
                return wait
            }
            try? self.pipeline.syncOperations.addHandler(handler, position: .first)
        }
    }
}
