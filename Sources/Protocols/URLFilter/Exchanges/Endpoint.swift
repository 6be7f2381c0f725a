/// Kind of request that a device makes to the operator's services.
package enum Endpoint: String, BitwiseCopyable, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    case directory, tokenKey, issue, config, key, queries
    /// Entries that were blocked, from supervised devices whose app wants it (article "Device", section "Reports").
    case report

    /// Those that a device needs for lookups: each has a cost of its own, and a service has all of them.
    package static let ofLookups = allCases.filter { $0 != .report }

    /// The service behind the gateway that answers.
    package var isAnsweredByIssuer: Bool {
        switch self {
        case .directory, .tokenKey, .issue: true
        case .config, .key, .queries, .report: false
        }
    }

    /// Place in arrays with one element per endpoint, in the order of `allCases`.
    package var place: Int {
        switch self {
        case .directory: 0
        case .tokenKey: 1
        case .issue: 2
        case .config: 3
        case .key: 4
        case .queries: 5
        case .report: 6
        }
    }

    /// Spends one Privacy Pass token per request.
    package var needsToken: Bool { !isAnsweredByIssuer }
}
