package import Experiment
package import Questions
import Scenarios
import Wording

/// A result as one HTML file: figures with their data, readable without a network and without its script.
package enum ReportPage {
    /// - Parameters:
    ///   - manifest: How the result came about; without it the page has no command to do it again.
    ///   - alternatives: The same list and loads, filtered in another way.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(
        _ result: RunResult, manifest: RunManifest?, alternatives: AlternativesResult? = nil
    ) -> String {
        let points = PagePoints(result)
        let privacy = PrivacySection(points: points)
        var parts: [Part] = [("Answer", AnswerSection(points: points).write(to:))]
        if let known = result.ignorance.map(IgnoranceAnswer.init) {
            parts.append(part(IgnoranceAnswer.title, known.blocks))
        }
        parts += sections(points).filter { !$0.1.isEmpty }.map { part($0, $1) }
        parts += privacy.titles.map { ($0, privacy.write(to:)) }
        if let others = alternatives.map(AlternativesSection.init) {
            parts.append((AlternativesSection.title, others.write(to:)))
        }
        parts.append(("Method", MethodSection(points: points, manifest: manifest).write(to:)))
        return PageFrame(title: result.scenario.name, facts: facts(points)).page { body in
            TileRow(points: points).write(to: &body)
            PageFrame.writeContents(parts.map(\.title), to: &body)
            for part in parts { part.write(&body) }
        }
    }

    /// A part of the page: its name in the contents, and what writes it.
    private typealias Part = (title: String, write: (inout Markup) -> Void)

    private static func part(_ title: String, _ blocks: [Document.Block]) -> Part {
        (title, { PageFrame.writeSection(title, to: &$0) { Document.write(blocks, to: &$0) } })
    }

    private static func sections(_ points: PagePoints) -> [(String, [Document.Block])] {
        guard !points.shown.isEmpty else { return [] }
        let servers = ServerFigures(points: points)
        let figures = [
            ("What users feel", UserFigures(points: points).figures),
            ("While something fails", HarmFigures(points: points).figures),
            ("Fail open against fail closed", PolicyFigure(points: points).figures),
            ("Map", MapFigure(points: points).figures),
            ("Where the time goes", servers.time),
            ("Load and headroom", servers.load),
            ("Prefilter", PrefilterFigure(points: points).figures),
            ("Freshness", FreshnessFigure(points: points).figures),
        ].map { ($0, $1.map(Document.Block.figure)) }
        let tables = points.result.sweep.map { SensitivityTables(sweep: $0).blocks } ?? []
        return [("All points", points.isSingle ? [] : [.table(SweepPoints(points: points).table)])]
            + figures
            + [
                (
                    "Sensitivity",
                    SensitivityFigures(points: points).figures.map(Document.Block.figure) + tables
                )
            ]
    }

    private static func facts(_ points: PagePoints) -> [String] {
        let scenario = points.result.scenario
        let count = points.result.points.count
        let replications = points.result.points.reduce(0) { $0 + $1.replications }
        return [
            "\(Format.count(scenario.devices, "device"))", "\(Format.duration(scenario.duration)) simulated",
            (count > 1 ? "\(count) points, " : "") + Format.count(replications, "replication"),
            "seed \(scenario.seed)", scenario.fidelity.rawValue,
        ]
    }
}
