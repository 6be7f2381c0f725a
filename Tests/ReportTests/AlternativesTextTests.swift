import Experiment
import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import Testing

/// The table of the architectures and its page, from values made by hand.
@Suite struct AlternativesTextTests {
    private static func figure(_ metric: String, _ unit: String, _ value: Double, _ half: Double?) -> String {
        let names = metric.split(separator: " ")
        let interval = half.map {
            """
            "interval": { "low": \(max(0, value - $0)), "high": \(value + $0), "confidence": 0.95, "method": "t" },
            """
        }
        return """
            { "name": "\(names[0])", "statistic": "\(names[1])", "unit": "\(unit)", "better": "lower",
              "value": \(value), \(interval ?? "") "method": "Student's t", "samples": 6, "perReplication": [] }
            """
    }

    private static func row(
        _ architecture: ArchitectureChoice, leaked: Double, verdict: String, money: Double, reads: String,
        unasked: String = ""
    ) -> String {
        func cause(_ name: String, _ count: Double) -> String {
            #"{ "cause": "\#(name)", "count": \#(count), "share": \#(count / 100) }"#
        }
        let leaks = [("undecided", 94.0), ("stale", 3), ("notCovered", 2), ("grain", 1)].map(cause)
        let harms = """
            [{ "harm": "leaked", "causes": [\(leaks.joined(separator: ", "))] },
             { "harm": "falselyBlocked", "causes": [\(cause("wildcard", 7))] }]
            """
        let objective = """
            { "expression": "url.leaked rate < 10%", "metric": "url.leaked", "statistic": "rate", "unit": "1",
              "limit": 0.1, "observed": \(leaked), "passed": \(verdict == "meets all"),
              "verdict": "\(verdict == "meets all" ? "pass" : "fail")" }
            """
        let facts = String(decoding: (try? JSONEncoder().encode(architecture.facts)) ?? Data(), as: UTF8.self)
        let machines =
            #"[{ "service": "servers", "instances": 3, "coresPerInstance": 2, "memoryPerInstance": 0 }]"#
        return """
            { "architecture": "\(architecture.rawValue)", "facts": \(facts), "replications": 6, "finished": true,
              "machines": \(machines),
              "figures": [\(figure("url.leaked rate", "1", leaked, 0.01)),
                \(figure("url.leaked.outsideFaults rate", "1", leaked / 40, 0.0001)),
                \(figure("page.broken.outsideFaults count", "count", 10, 1)),
                \(figure("url.falselyBlocked count", "count", 0, 2)),
                \(figure("page.broken count", "count", 40, 4)),
                \(figure("page.added p95", "s", 0.2, 0.0021)),
                \(figure("operator.cores max", "count", 0.006, 0.0009))],
              "harms": \(harms), "moneyPerMonth": \(money), "reads": {\(reads)},
              "objectives": [\(objective)], "unasked": [\(unasked)], "differences": [], "warnings": [], "modelled": [],
              "verdict": "\(verdict)" }
            """
    }

    private func result(
        choice: String = #"{ "recommended": "urlFilter", "leftOut": [] }"#, more: [String] = []
    ) throws -> AlternativesResult {
        let address = #"["clientAddress", "host"]"#
        let rows =
            [
                Self.row(.urlFilter, leaked: 0.02, verdict: "meets all", money: 12.5, reads: ""),
                Self.row(.wholeList, leaked: 0, verdict: "meets all", money: 1, reads: ""),
                Self.row(
                    .dnsFilter, leaked: 0.3, verdict: "fails", money: 3, reads: "\"resolver\": \(address)"),
            ] + more
        let prices = String(
            decoding: try JSONEncoder().encode(Prices.Preset.largeCloud.prices.with(["coreHour": 0.04])),
            as: UTF8.self)
        let json = """
            { "schema": "urlfilter.alternatives/6",
              "scenario": { "name": "made <b>", "seed": 1, "fidelity": "calibrated", "devices": 20,
                "duration": 86400, "warmUp": 0, "warmUpMethod": "fixed", "drain": 30,
                "failurePolicy": "fail open",
                "architecture": "urlFilter", "varied": ["the loads"], "heldFixed": ["the list"], "settings": [] },
              "blocklist": { "file": "l", "format": "plain", "entries": 10, "duplicates": 0, "dropped": 0,
                "changed": 0, "keys": "normalized", "hasTestEntry": false, "unmatchable": [] },
              "traces": [],
              "prices": \(prices), "choice": \(choice),
              "rows": [\(rows.joined(separator: ","))] }
            """
        return try JSONDecoder().decode(AlternativesResult.self, from: Data(json.utf8))
    }

    /// Equal reasons are said once, and what an objective is not asked of is named.
    @Test func reasonsAreSaidOnce() throws {
        let more = [
            Self.row(.splitTunnel, leaked: 0.3, verdict: "fails", money: 3, reads: ""),
            Self.row(
                .contentFilter, leaked: 0, verdict: "not judged", money: 3, reads: "",
                unasked: #""url.leaked rate < 10%""#),
        ]
        let text = Document(try result(more: more)).text(.brief)
            .replacing("\n", with: " ")
        #expect(
            text.contains(
                "DNS filter and split tunnel fail: url.leaked rate < 10% (is 30.0 %, 94.0 % because no answer came)."
            ), "\(text)")
        #expect(
            text.contains(
                "Asked only of those that have what it is about: url.leaked rate < 10% (URL filter, whole list,"
                    + " DNS filter, split tunnel)."), "\(text)")
    }

    @Test func oneLineForEachArchitectureAndTheAnswerBelow() throws {
        let text = Document(try result()).text(.brief)
        let lines = text.split(separator: "\n").map(String.init)
        let filter = try #require(lines.first { $0.hasPrefix("URL filter") })
        // 40 pages of 20 devices in a day.
        for part in ["2.0 ±1 %", "< 0.10", "2.0 ±0.2", "200 ±2", "met"] {
            #expect(filter.contains(part), "\(part)")
        }
        // A fortieth of the leaks and a quarter of the pages have nothing to do with the faults.
        for part in ["0.050 ±0.01 %", "0.50 ±0.05"] { #expect(filter.contains(part), "\(part)") }
        #expect(lines.contains { $0.hasPrefix("DNS filter") && $0.hasSuffix("failed") })
        #expect(lines.contains("Meet all objectives: URL filter, whole list."))
        let whole = text.replacing("\n", with: " ")
        #expect(
            whole.contains(
                "DNS filter fails: url.leaked rate < 10% (is 30.0 %, 94.0 % because no answer came)."))
        // A yardstick is not to be had, so that it is nobody's advice.
        #expect(
            whole.contains("the platform has, take the URL filter") && !whole.contains("take the whole list"))
        #expect(whole.contains("USD 12.5 a month. It needs an app of one's own or of a vendor's and Apple's"))
        #expect(whole.contains("Money, USD: 0.0400 an hour of a core (given)"))
        #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines.max { $0.count < $1.count } ?? "")")
    }

    @Test func theSecondTableSaysWhatEachTakes() throws {
        let text = Document(try result()).text(.full)
        let lines = text.split(separator: "\n").map(String.init)
        func row(_ name: String) throws -> [String] {
            let all = lines.filter { $0.hasPrefix(name + " ") }
            return try #require(all.count > 1 ? all[1] : nil).split(separator: "  ").map {
                $0.trimmingCharacters(in: .whitespaces)
            }.filter { !$0.isEmpty }
        }
        #expect(
            try row("URL filter")
                == ["URL filter", "12.5", "app, approval", "yes", "yes", "that ask", "URLs", "no", "nothing"])
        #expect(
            try row("DNS filter")
                == ["DNS filter", "3.00", "a profile", "yes", "yes", "most", "hosts", "no", "hosts"])
        #expect(try row("whole list")[2] == "not to be had")
        // Every fact is followed by its source.
        let facts = lines.drop { !$0.hasPrefix("FACTS") }
        #expect(facts.contains("    block page: no [Apple, Network Extension: URL filters]"))
        #expect(text.contains("  URL filter: servers 3 × 2"))
    }

    @Test func whatCannotBeHadIsLeftOutWithTheReason() throws {
        let choice = """
            { "have": ["mdm", "app"], "recommended": "dnsFilter", "leftOut": [
              { "architecture": "urlFilter", "missing": ["approval"] },
              { "architecture": "packetFilter", "missing": ["macs"] },
              { "architecture": "builtInList", "missing": ["supervised"] },
              { "architecture": "httpProxy", "missing": ["supervised"] }] }
            """
        let text = Document(try result(choice: choice)).text(.brief)
            .replacing("\n", with: " ")
        for part in [
            "Of those that you can have (mdm, app), take the DNS filter", "It needs nothing but a profile",
            "Left out for want of Apple's approval of the app's relay: URL filter.",
            "Left out for want of Macs: packet filter.",
            "Left out for want of supervised devices: built-in list, HTTP proxy.",
        ] { #expect(text.contains(part), "\(part)") }
        let none = try result(choice: #"{ "have": [], "leftOut": [] }"#)
        #expect(
            Document(none).text(.brief).replacing("\n", with: " ").contains(
                "Of those that you can have (nothing of what they need), none meets all objectives."))
    }

    private static let criteria = [
        "What each does.", "What each takes and gives.",
        "Right and wrong.", "What people feel.", "What it costs.", "Who learns what.",
        "How fresh it is, and how it fails.",
    ]

    @Test func thePageHasAFigureForEachCriterion() throws {
        let page = ParsedPage(
            Document(try result()).page(arguments: ["urlfilter", "alternatives", "a b.yaml"]))
        #expect(page.isWellFormed, "\(page.complaint)")
        for part in [
            "made <b>: which architecture?", "2 of 3", "listed, let through", "pages take longer",
            "DNS resolver: network address of the device, name of the site",
            "urlfilter alternatives 'a b.yaml'",
        ] { #expect(page.text.contains(part), "\(part)") }
        #expect(Self.titles(page) == Self.criteria)
        #expect(Set(page.figureNumbers.joined()).isSuperset(of: [0.02, 0.3, 0.2, 0.006, 7, 94, 12.5, 40]))
    }

    @Test func theReportOfTheScenarioHasTheSameFiguresInASection() throws {
        let scenario = try SampleResult.result(points: [try SampleResult.point()])
        let plain = ParsedPage(ReportPage.render(scenario, manifest: nil))
        let page = ParsedPage(ReportPage.render(scenario, manifest: nil, alternatives: try result()))
        let own = ParsedPage(Document(try result()).page(arguments: ["urlfilter"]))
        #expect(page.isWellFormed, "\(page.complaint)")
        #expect(Self.titles(page) == Self.titles(plain) + Self.criteria)
        #expect(page.figureNumbers == plain.figureNumbers + own.figureNumbers)
        let section = { (page: ParsedPage) in page.all("section").compactMap { $0.attributes["id"] } }
        #expect(section(page).filter { !section(plain).contains($0) } == ["other-mechanisms"])
        #expect(page.all("a").count { $0.attributes["href"] == "#other-mechanisms" } == 1)
        for part in [
            "filtered by 3 architectures", "Meet all objectives: URL filter, whole list.",
            "DNS filter fails: url.leaked rate < 10% (is 30.0 %, 94.0 % because no answer came).",
            "Money, USD: 0.0400 an hour of a core",
        ] { #expect(page.text.contains(part), "\(part)") }
    }

    /// The tables of the page are those of the terminal, cell by cell.
    @Test func thePageHasTheTablesOfTheTerminal() throws {
        let result = try result()
        let page = ParsedPage(Document(result).page(arguments: ["urlfilter"]))
        let text = Document(result).text(.brief)
        let shown = text.split(separator: "\n").filter { line in
            result.rows.contains { line.hasPrefix($0.facts.name + "  ") }
        }.map {
            $0.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        var tables: [[String]] = []
        for element in page.elements where element.parents.contains("tbody") {
            if element.name == "tr" {
                tables.append([])
            } else if !element.text.isEmpty {
                tables[tables.count - 1].append(element.text.replacing("\u{A0}", with: " "))
            }
        }
        #expect(shown.count == 2 * result.rows.count)
        #expect(Array(tables.prefix(shown.count)) == shown)
    }

    /// Who reads most with the address is drawn where hosts are, below "URLs" and above "prefixes".
    @Test func whoLearnsWhatIsDrawnInSteps() throws {
        let page = ParsedPage(Document(try result()).page(arguments: ["urlfilter"]))
        let texts = page.all("text").map(\.text)
        for step in ["nothing", "prefixes", "hosts", "URLs"] {
            // Once in the drawing for wide screens, once in that for narrow ones.
            #expect(texts.count { $0 == step } == 2, "\(step)")
        }
        #expect(texts.count { $0 == "DNS resolver" } == 2 && texts.count { $0 == "nobody" } == 4)
        #expect(page.figureNumbers[5] == [0, 0, 2])
    }

    private static func titles(_ page: ParsedPage) -> [String] {
        page.all("strong").filter { $0.parents.last == "figcaption" }.map(\.text)
    }
}
