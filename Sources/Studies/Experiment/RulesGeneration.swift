package import URLFilter

/// The generations of lookup rules, by the names that commands and documents use.
package enum RulesGeneration: String, CaseIterable, Codable, Sendable {
    case iOS26
    case documented
    /// Rules with the default parsing configuration, which look up the same strings as ``documented``.
    case iOS27

    package var rules: MatchingRules {
        switch self {
        case .iOS26: .iOS26
        case .documented: .documented
        case .iOS27: .iOS27(ParsingConfiguration())
        }
    }

    /// One of those that make the same strings, by the system that devices have.
    package static let systems = [RulesGeneration.iOS26, .iOS27]

    /// - Returns: `nil` for rules with a parsing configuration of their own.
    package init?(_ rules: MatchingRules) {
        guard let known = Self.allCases.first(where: { $0.rules == rules }) else { return nil }
        self = known
    }

    /// The one of ``systems`` that makes the same strings.
    package var system: RulesGeneration { self == .documented ? .iOS27 : self }

    /// The name as a column head.
    package var title: String {
        switch self {
        case .iOS26: "iOS 26"
        case .documented: "documented"
        case .iOS27: "iOS 27"
        }
    }
}
