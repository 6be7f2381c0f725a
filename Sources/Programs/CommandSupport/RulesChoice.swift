import ArgumentParser
package import Experiment

/// `--rules`: one generation, or all of them.
package enum RulesChoice: String, CaseIterable, ExpressibleByArgument {
    case iOS26
    case documented
    case iOS27
    case all

    /// Upper and lower case are the same: nobody remembers which it was.
    package init?(argument: String) {
        guard let choice = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() })
        else { return nil }
        self = choice
    }

    package var generations: [RulesGeneration] {
        RulesGeneration(rawValue: rawValue).map { [$0] } ?? RulesGeneration.allCases
    }

    /// Without the generations that make the same strings as another one.
    package var distinctGenerations: [RulesGeneration] {
        self == .all ? [.iOS26, .documented] : generations
    }
}
