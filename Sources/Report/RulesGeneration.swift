package import URLFilter

/// The generations of lookup rules, by the names that commands and documents use.
package enum RulesGeneration: String, CaseIterable, Codable, Sendable {
    case iOS26
    case documented
    /// With the default parsing configuration, so it looks up the same strings as ``documented``.
    case iOS27

    package var rules: MatchingRules {
        switch self {
        case .iOS26: .iOS26
        case .documented: .documented
        case .iOS27: .iOS27(ParsingConfiguration())
        }
    }

    /// The name as a column head.
    package var title: String {
        switch self {
        case .iOS26: "iOS 26"
        case .documented: "documented"
        case .iOS27: "iOS 27"
        }
    }
}
