import Experiment
import Questions
import Wording

/// The other mechanisms in the report of a scenario: the objectives judge each, and a figure shows each criterion.
struct AlternativesSection {
    let result: AlternativesResult

    static let title = "Other mechanisms"

    func write(to page: inout Markup) {
        let answer = AlternativesAnswer(result: result)
        PageFrame.writeSection(Self.title, to: &page) { section in
            section.element(
                "p",
                text: "The same list, loads and random numbers, filtered by"
                    + " \(Format.count(result.rows.count, "architecture")), one after the other: "
                    + answer.conditions.joined(separator: ", ") + ".")
            PageFrame.writeList(answer.verdict, style: "answers", to: &section)
            Document.write(answer.figures, to: &section)
            section.element("h3", text: "How the mechanisms were compared")
            PageFrame.writeList(answer.notes, to: &section)
        }
    }
}
