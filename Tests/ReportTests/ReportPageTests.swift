import Experiment
import Foundation
import Report
import RunMetrics
import Scenarios
import Testing

/// The HTML report, read back by an XML parser.
@Suite struct ReportPageTests {
    private func page(_ points: [PointResult]) throws -> ParsedPage {
        ParsedPage(
            ReportPage.render(try SampleResult.result(points: points), manifest: try SampleResult.manifest()))
    }

    private var grid: [PointResult] {
        get throws {
            try (0..<6).map { index in
                try SampleResult.point(
                    [
                        "filter.shouldFailClosed": index % 2 == 0 ? "false" : "true",
                        "services.pir.cores": "\(index)",
                    ],
                    scale: 1 + Double(index) / 10)
            }
        }
    }

    @Test func thePageIsWellFormed() throws {
        for points in [[], [try SampleResult.point()], try grid] {
            let page = try page(points)
            #expect(page.isWellFormed, "\(page.complaint)")
        }
    }

    @Test func nothingComesFromOutsideThePage() throws {
        let page = try page(try grid)
        for element in page.elements {
            #expect(!["link", "img", "iframe", "object", "image", "use"].contains(element.name))
            for (name, value) in element.attributes where name != "xmlns" {
                #expect(!["src", "srcset", "data"].contains(name))
                if name == "href" { #expect(value.hasPrefix("#")) }
                #expect(!name.hasPrefix("on"))
                #expect(!value.contains("//"), "\(element.name) \(name)=\(value)")
            }
        }
        // One script, which touches nothing but the tables of the page.
        #expect(page.all("script").count == 1)
        let script = page.all("script").map(\.text).joined()
        for word in [
            "//", "fetch", "XMLHttpRequest", "import", "innerHTML", "eval", "location", "&", "<", ">",
        ] {
            #expect(!script.contains(word), "\(word)")
        }
        let style = page.all("style").map(\.text).joined()
        #expect(!style.contains("@import") && !style.contains("//"))
        // The only URLs of the style are hatchings defined in the page.
        let names = Set(page.all("pattern").compactMap { $0.attributes["id"] })
        for part in style.components(separatedBy: "url(").dropFirst() {
            #expect(names.contains(String(part.dropFirst().prefix { $0 != ")" })))
        }
    }

    @Test func everyEntryOfTheContentsLeadsToASection() throws {
        for points in [[try SampleResult.point()], try grid] {
            let page = try page(points)
            let sections = page.all("section").compactMap { $0.attributes["id"] }
            let links = page.all("a").compactMap { $0.attributes["href"]?.dropFirst() }.map(String.init)
            #expect(links.sorted() == sections.sorted())
            #expect(links.contains("map") && links.contains("while-something-fails"))
            #expect(links.contains("all-points") == (points.count > 1))
        }
    }

    @Test func theMapShowsTheWholeRunItsBusiestIntervalAndTheOneWithMostFailures() throws {
        let page = try page([try SampleResult.point()])
        let labels = page.all("label").map { $0.text.replacing("\u{A0}", with: " ") }
        // Both have their most in the fourth interval of 900 s.
        #expect(labels == ["whole run, mean", "busiest interval, with most failures, 45.0 min to 1.00 h"])
        #expect(page.all("input").count { $0.attributes["checked"] != nil } == 1)
    }

    @Test func noLineEndsInsideANumber() throws {
        var result = try SampleResult.result(points: [try SampleResult.point()])
        result.modelled = ["1 234 567 of 12 3456, 151 ± 2 ms"]
        var manifest = try SampleResult.manifest()
        manifest.arguments = ["urlfilter", "run", "1 234"]
        let page = ReportPage.render(result, manifest: manifest)
        #expect(page.contains("<li>1\u{A0}234\u{A0}567 of 12 3456, 151\u{A0}±\u{A0}2\u{A0}ms</li>"))
        // A command stays as a shell takes it.
        #expect(page.contains("<code>urlfilter run '1 234'</code>"))
    }

    @Test func everyFigureHasItsData() throws {
        let page = try page(try grid)
        let figures = page.all("figure").count
        #expect(figures >= 11)
        #expect(page.all("figcaption").count == figures)
        #expect(page.all("details").count { $0.parents.contains("figure") } == figures)
        #expect(page.all("table").count { $0.parents.contains("figure") } == figures)
        #expect(page.figureNumbers.count == figures)
        for numbers in page.figureNumbers { #expect(!numbers.isEmpty) }
        // Each drawing says what it shows to those who cannot see it, and exists for narrow screens, too.
        let drawings = page.all("svg").filter { $0.attributes["role"] == "img" }
        #expect(drawings.allSatisfy { $0.attributes["aria-label"]?.isEmpty == false })
        #expect(
            drawings.count { $0.attributes["class"] == "wide" }
                == drawings.count { $0.attributes["class"] == "narrow" })
    }

    @Test func theTablesHoldTheNumbersOfTheDocument() throws {
        let point = try SampleResult.point()
        let page = try page([point])
        let numbers = Set(page.figureNumbers.joined())
        let shown = point.metrics.filter { metric in
            metric.name.hasPrefix("url.") && metric.statistic == "rate"
                || metric.name.hasSuffix(".utilization")
                || metric.unit == .bytes && metric.statistic != "mean"
        }
        #expect(shown.count > 15)
        for metric in shown {
            #expect(numbers.contains(metric.value), "\(metric.name) \(metric.statistic)")
            if let interval = metric.interval {
                #expect(numbers.isSuperset(of: [interval.low, interval.high]), "\(metric.name)")
            }
        }
        let curve = try #require(point.latencyCurve)
        #expect(numbers.isSuperset(of: curve.values + curve.shares))
        #expect(numbers.isSuperset(of: curve.low ?? []) && numbers.isSuperset(of: curve.high ?? []))
        for column in try #require(point.series).columns where !column.name.hasPrefix("url.") {
            #expect(numbers.isSuperset(of: column.values.compactMap(\.self)), "\(column.name)")
        }
    }

    @Test func objectivesAreSentencesWithWordsForTheVerdict() throws {
        let text = try page([try SampleResult.point()]).text
        for part in [
            "✗ FAIL: 1 of 2 objective checks missed", "✓ pass", "✗ FAIL",
            "99 % of the URLs that waited for a lookup had their verdict within 151 ms;"
                + " asked was < 800ms.", "watch <this>", "urlfilter run 'a b.yaml'",
            "outage of pir, 16.7 min to 26.7 min",
        ] { #expect(text.contains(part), "\(part)") }
        // A terminal's mark, which would stand behind the mark of the list.
        #expect(!text.contains("! watch"))
    }

    @Test func bothPoliciesShareAFigureOnlyWhenNothingElseDiffers() throws {
        let title = "Let through and wrongly blocked, fail open and fail closed."
        #expect(!(try page(try grid).text.contains(title)))
        let pair = try ["false", "true"].map { try SampleResult.point(["filter.shouldFailClosed": $0]) }
        #expect(try page(pair).text.contains(title))
        #expect(!(try page([try SampleResult.point()]).text.contains(title)))
    }

    @Test func everyVariedSettingHasAFigure() throws {
        let text = try page(try grid).text
        #expect(text.contains("Sensitivity to services.pir.cores."))
        #expect(text.contains("Sensitivity to filter.shouldFailClosed."))
        #expect(!(try page([try SampleResult.point()]).text.contains("Sensitivity to")))
    }

    @Test func textFromOutsideStaysText() throws {
        var result = try SampleResult.result(points: [
            try SampleResult.point([SampleResult.hostile: SampleResult.hostile]),
            try SampleResult.point([SampleResult.hostile: "2"]),
        ])
        result.scenario.name = SampleResult.hostile
        result.blocklist.file = SampleResult.hostile
        result.modelled = [SampleResult.hostile]
        result.scenario.settings[0].value = SampleResult.hostile
        result.points[0].warnings[0].message = SampleResult.hostile
        result.points[0].objectives[0].expression = SampleResult.hostile
        result.points[0].recoveries[0].fault = SampleResult.hostile
        result.points[0].analytic[0].formula = SampleResult.hostile
        var manifest = try SampleResult.manifest()
        manifest.arguments.append(SampleResult.hostile)
        manifest.host = SampleResult.hostile
        let page = ParsedPage(ReportPage.render(result, manifest: manifest))
        #expect(page.isWellFormed, "\(page.complaint)")
        #expect(page.all("script").count == 1 && page.all("b").isEmpty)
        #expect(page.text.contains("</style><script src=http://x.example/></script>"))
    }
}
