import ArgumentParser
import Report

/// `--rules`: one generation, or all of them.
enum RulesChoice: String, CaseIterable, ExpressibleByArgument {
    case iOS26
    case documented
    case iOS27
    case all

    /// Upper and lower case are the same: nobody remembers which it was.
    init?(argument: String) {
        guard let choice = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() })
        else { return nil }
        self = choice
    }

    var generations: [RulesGeneration] {
        RulesGeneration(rawValue: rawValue).map { [$0] } ?? RulesGeneration.allCases
    }

    /// Without the generations that make the same strings as another one.
    var distinctGenerations: [RulesGeneration] {
        self == .all ? [.iOS26, .documented] : generations
    }
}
