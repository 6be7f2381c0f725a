/// A cause of the error `serverSetupIncomplete` (9), with which devices say several things: whether what was examined
/// shows it, rules it out, or leaves it open.
package struct SetupCause: Codable, Hashable, Sendable {
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case blockedHosts, propertyLists, shards, services, relay
    }

    package enum State: String, Codable, Sendable {
        case found, excluded, possible
    }

    package var kind: Kind
    package var title: String
    package var state: State
    /// Finding, or what it would take to know.
    package var detail: String

    static func all(of lines: [DoctorReport.Line]) -> [SetupCause] {
        let causes = Kind.allCases.dropLast().map { kind in
            let looked = lines.filter { kind.checks.contains($0.check) }
            let failure = looked.first { $0.outcome == .fail }
            let open = looked.first { $0.outcome == .notChecked }
            return SetupCause(
                kind: kind, title: kind.title,
                state: failure != nil ? .found : open != nil ? .possible : .excluded,
                detail: failure?.detail ?? open.map { "'\($0.title)' was not checked, \($0.detail)" } ?? "")
        }
        return causes + [relay(lines, others: causes)]
    }

    /// Nobody but Apple sees whether a relay is there; what it needs before can be seen.
    private static func relay(_ lines: [DoctorReport.Line], others: [SetupCause]) -> SetupCause {
        let failure = lines.first { Kind.relay.checks.contains($0.check) && $0.outcome == .fail }
        let detail =
            if let failure {
                "Apple's validation fails at '\(failure.title)': \(failure.detail)"
            } else if others.allSatisfy({ $0.state == .excluded }) {
                "all that servers and network show is in order, so this is left; ask Apple for the state of the relay"
            } else {
                "only Apple knows; first settle what is above"
            }
        return SetupCause(
            kind: .relay, title: Kind.relay.title, state: failure != nil ? .found : .possible, detail: detail)
    }
}

extension SetupCause.Kind {
    var title: String {
        switch self {
        case .blockedHosts: "the network's DNS blocks Apple's hosts"
        case .propertyLists: "app and profile name other services (27.3)"
        case .shards: "devices refuse the number of shards"
        case .services: "gateway or services do not answer as they must"
        case .relay: "Apple has not set up the relay"
        }
    }

    /// Checks that show it, or rule it out.
    var checks: [DoctorCheck] {
        switch self {
        case .blockedHosts: [.icloudHosts]
        case .propertyLists: [.propertyLists]
        case .shards: [.shardCount, .powerOfTwoShards]
        case .services: [.reachable, .ohttpKeys, .ohttpExchange, .directory, .configuration]
        case .relay: [.hostOnlyURLs, .dnsRecord, .http2, .testEntry]
        }
    }
}
