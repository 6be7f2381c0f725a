import Experiment
import Questions
import Wording

/// The other mechanisms in the report of a scenario: the objectives judge each, and a figure shows each criterion.
struct AlternativesSection {
    let result: AlternativesResult

    static let title = "Other mechanisms"

    func write(to page: inout Markup) {
        PageFrame.writeSection(Self.title, to: &page) { section in
            section.element(
                "p",
                text: "The same list, loads and random numbers, filtered by"
                    + " \(Format.count(result.rows.count, "architecture")), one after the other: "
                    + AlternativesText.conditions(result).joined(separator: ", ") + ".")
            PageFrame.writeList(AlternativesText.verdict(result), style: "answers", to: &section)
            for figure in AlternativesFigures(result: result).figures { figure.write(to: &section) }
            section.element("h3", text: "How the mechanisms were compared")
            PageFrame.writeList(AlternativesText.notes(result), to: &section)
        }
    }
}
