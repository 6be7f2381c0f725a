package import Experiment

/// A result as one HTML file: figures with their data, readable without a network and without its script, which only
/// sorts and filters tables.
package enum ReportPage {
    /// - Parameter manifest: How the result came about; without it the page has no command to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ result: RunResult, manifest: RunManifest?) -> String {
        let points = PagePoints(result)
        var page = Markup()
        page.element("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]) { html in
            html.element("head") { head in
                head.empty("meta", ["charset": "utf-8"])
                head.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                head.element("title", text: result.scenario.name)
                head.element("style") { $0.verbatim(PageStyle.css) }
            }
            html.newLine()
            html.element("body") { body in
                PageStyle.writePatterns(to: &body)
                let sections = sections(points).filter { !$0.1.isEmpty }
                writeHeader(points, to: &body)
                TileRow(points: points).write(to: &body)
                writeContents(sections.map(\.0) + PrivacySection(points: points).titles, to: &body)
                AnswerSection(points: points).write(to: &body)
                for (title, figures) in sections {
                    body.element("section", ["id": identifier(title)]) { section in
                        section.element("h2", text: title)
                        for figure in figures { figure.write(to: &section) }
                    }
                    body.newLine()
                }
                PrivacySection(points: points).write(to: &body)
                MethodSection(points: points, manifest: manifest).write(to: &body)
                body.element("script") { $0.verbatim(PageScript.text) }
            }
        }
        return "<!DOCTYPE html>\n\(page.string)\n"
    }

    private static func sections(_ points: PagePoints) -> [(String, [Figure])] {
        guard !points.shown.isEmpty else { return [] }
        let servers = ServerFigures(points: points)
        return [
            ("All points", PointFigures(points: points).figures),
            ("What users feel", UserFigures(points: points).figures),
            ("While something fails", HarmFigures(points: points).figures),
            ("Fail open against fail closed", PolicyFigure(points: points).figures),
            ("Map", MapFigure(points: points).figures),
            ("Where the time goes", servers.time),
            ("Load and headroom", servers.load),
            ("Prefilter", PrefilterFigure(points: points).figures),
            ("Freshness", FreshnessFigure(points: points).figures),
            ("Sensitivity", SensitivityFigures(points: points).figures),
        ]
    }

    private static func identifier(_ title: String) -> String {
        title.lowercased().replacing(" ", with: "-")
    }

    private static func writeContents(_ titles: [String], to page: inout Markup) {
        page.element("nav", ["aria-label": "contents"]) { nav in
            for title in ["Answer"] + titles + ["Method"] {
                nav.element("a", ["href": "#" + identifier(title)], text: title)
                nav.text(" ")
            }
        }
        page.newLine()
    }

    private static func writeHeader(_ points: PagePoints, to page: inout Markup) {
        let scenario = points.result.scenario
        page.element("header") { header in
            header.element("h1", text: scenario.name)
            let count = points.result.points.count
            let replications = points.result.points.reduce(0) { $0 + $1.replications }
            header.element(
                "p", ["class": "soft"],
                text: [
                    "\(Format.count(scenario.devices)) devices",
                    "\(Format.duration(scenario.duration)) simulated",
                    count > 1
                        ? "\(count) points, \(replications) replications" : "\(replications) replications",
                    "seed \(scenario.seed)", scenario.fidelity.rawValue,
                ].joined(separator: " · "))
        }
        page.newLine()
    }
}
