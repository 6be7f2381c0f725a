import Experiment
import Foundation
import Questions
import Report
import Testing

/// Markdown of answers, read back by a parser of its own: the tables have the cells of the terminal's.
@Suite struct MarkdownTests {
    /// A document as a reader of Markdown takes it apart.
    private struct Parsed {
        var headings: [String] = []
        var items: [String] = []
        /// Head first.
        var tables: [[[String]]] = []
        var others: [String] = []

        init(_ text: String) {
            var isTable = false
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
                let wasTable = isTable
                isTable = line.hasPrefix("| ")
                if isTable {
                    let cells = Self.cells(line)
                    if !wasTable { tables.append([]) }
                    if cells.allSatisfy({ ["---", "---:"].contains($0) }) {
                        #expect(tables.last?.count == 1, "the rule is the second line: \(line)")
                    } else {
                        tables[tables.count - 1].append(cells)
                    }
                } else if line.hasPrefix("#") {
                    headings.append(Self.plain(line.drop { $0 == "#" || $0 == " " }))
                } else if line.hasPrefix("- ") {
                    items.append(Self.plain(line.dropFirst(2)))
                } else if !line.isEmpty {
                    others.append(Self.plain(line[...]))
                }
            }
        }

        /// Cells of a row: a bar behind a backslash is text.
        private static func cells(_ line: String) -> [String] {
            var cells: [String] = [""]
            var isEscaped = false
            for character in line.dropFirst() {
                if character == "|", !isEscaped {
                    cells.append("")
                } else {
                    cells[cells.count - 1].append(character)
                }
                isEscaped = character == "\\" && !isEscaped
            }
            return cells.dropLast().map { plain($0[...]).trimmingCharacters(in: .whitespaces) }
        }

        /// Without backslashes before punctuation, and without what makes text bold.
        private static func plain(_ text: Substring) -> String {
            var result = ""
            var isEscaped = false
            for character in text {
                if character == "\\", !isEscaped {
                    isEscaped = true
                } else {
                    // Nothing that means something stands there unescaped.
                    #expect(isEscaped || !"`_[]<>#|~&".contains(character), "\(text)")
                    if isEscaped || character != "*" { result.append(character) }
                    isEscaped = false
                }
            }
            return result
        }
    }

    /// Rows of a terminal's table that begins with a head, cell by cell.
    private static func rows(_ text: String, from head: String, count: Int) throws -> [[String]] {
        let lines = text.split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.contains(head) }, "\(head) in \(text)")
        return lines[(first + 1)..<(first + 1 + count)].map { line in
            line.replacing("→ ", with: "").components(separatedBy: "  ")
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
    }

    private static func trial(_ size: Int, _ verdict: String, p99: Double, met: Int) -> String {
        """
        { "size": \(size), "verdict": { "\(verdict)": {} }, "replications": 29, "objectives": [
            { "expression": "lookup.latency p99 < 800ms", "metric": "lookup.latency", "statistic": "p99",
              "unit": "s", "limit": 0.8, "observed": \(p99), "passed": \(verdict == "passes"),
              "verdict": "\(verdict == "passes" ? "pass" : "fail")" }],
          "days": { "met": \(met), "missed": \(29 - met), "objectives": [
            { "expression": "lookup.latency p99 < 800ms", "unit": "s", "missed": \(29 - met) }] },
          "utilizations": [] }
        """
    }

    /// - Parameter sizes: Tried, of which the middle one is the answer.
    private func capacity(_ name: String, sizes: Int) throws -> CapacityResult {
        let answer = sizes / 2 * 100 + 100
        let trials = (0..<sizes).map { index in
            let size = index * 100 + 100
            return Self.trial(
                size, size <= answer ? "passes" : "fails", p99: Double(size) / 1_000,
                met: size <= answer ? 29 : 3)
        }
        let json = """
            { "schema": "urlfilter.capacity/1", "scenario": "\(name)", "subject": "devices", "goal": "largest",
              "daysShare": 0.9, "confidence": 0.95, "replicationSeconds": 86400, "firstGuess": 1234,
              "outcome": { "answer": \(answer), "next": \(answer + 100), "isUndecided": false,
                "isInterrupted": false, "trials": [\(trials.joined(separator: ","))] } }
            """
        return try JSONDecoder().decode(CapacityResult.self, from: Data(json.utf8))
    }

    @Test(arguments: [(Document.Level.brief, 8), (.full, 20)])
    func aTableIsThatOfTheTerminal(level: Document.Level, count: Int) throws {
        let result = try capacity("a school", sizes: 20)
        let parsed = Parsed(Document(result).markdown(level))
        #expect(parsed.headings.first == "a school: how many devices?")
        let table = try #require(parsed.tables.first)
        #expect(parsed.tables.count == 1 && table.count == count + 1)
        #expect(Set(table.map(\.count)).count == 1)
        let text = Document(result).text(level)
        let rows = try Self.rows(text, from: "busiest service", count: count)
        let cells = table.dropFirst().map { row in row.map { $0.replacing("✓ ", with: "") } }
        #expect(Array(cells) == rows, "\(text)")
        #expect(table.filter { $0[0].hasPrefix("✓ ") }.map { $0[0] } == ["✓ 1 100"])
        #expect(parsed.items.contains { $0.hasPrefix("answer: 1 100 devices; 1 200 misses") })
        // What one screen leaves out is counted, and said only there.
        #expect(text.contains("and 12 more sizes") == (level == .brief))
        #expect(parsed.others.contains { $0.contains("and 12 more sizes") } == (level == .brief))
    }

    /// A name is a name, whatever it looks like.
    @Test(arguments: [
        "a|b", "<script>", "# x", "`code` _and_ *stars*", "[link](http://x)", "a\\nb", "\\\\", "&amp;",
    ])
    func namesMeanNothing(name: String) throws {
        let written = Document(try capacity(name, sizes: 4)).markdown(.full)
        let parsed = Parsed(written)
        let json = try JSONDecoder().decode([String].self, from: Data("[\"\(name)\"]".utf8))
        let shown = json[0].replacing("\n", with: " ")
        #expect(parsed.headings.first == "\(shown): how many devices?", "\(written)")
        #expect(parsed.tables.first?.count == 5)
        #expect(!written.contains("<script>"))
    }

    @Test(arguments: [40, 60, 100]) func oneScreenIsOneScreen(width: Int) throws {
        let text = Document(try capacity("a school with a long name", sizes: 40)).text(.brief, width: width)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(width < 100 || lines.count <= 24, "\(text)")
        // Rows of tables are folded by what knows the terminal; sentences are broken here.
        let sentences = lines.filter { $0.first?.isNumber != true && !$0.contains("  ") }
        #expect(sentences.count > 2 && sentences.allSatisfy { $0.count <= width }, "\(text)")
        let full = Document(try capacity("a school with a long name", sizes: 40)).text(.brief)
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        #expect(words(text) == words(full))
    }

    /// A sweep of points that differ in two settings, one of which decides three quarters of what is let through.
    private func sweep(_ count: Int) throws -> RunResult {
        let paths = ["devices[pupils].count", "services.pir.cores"]
        var result = try SampleResult.result(
            points: (0..<count).map { index in
                try SampleResult.point(
                    [paths[0]: "\(index * 10 + 10)", paths[1]: "\(index + 1)"], scale: 1 + Double(index) / 10)
            })
        func estimate(_ value: Double) -> String {
            """
            { "value": \(value), "interval": { "low": \(value - 0.125), "high": \(value + 0.125), "confidence": 0.95,
              "method": "m" } }
            """
        }
        let shares = zip(paths, [0.75, 0.25]).map {
            #"{ "path": "\#($0)", "first": \#(estimate($1)), "total": \#(estimate($1)) }"#
        }
        let json = """
            { "design": "grid", "plannedPoints": \(count + 1), "rows": [],
              "settings": [{ "path": "\(paths[0])", "values": "10..60", "isWhole": true },
                { "path": "\(paths[1])", "values": "1,2", "isWhole": false }],
              "sensitivity": [{ "name": "url.leaked", "statistic": "count", "unit": "count", "noise": 0.0625,
                "shares": [\(shares.joined(separator: ","))], "note": "no metamodel" }] }
            """
        result.sweep = try JSONDecoder().decode(SweepSummary.self, from: Data(json.utf8))
        return result
    }

    @Test func pointsOfASweepAreThoseOfTheTerminal() throws {
        let result = try sweep(6)
        let document = Document(result)
        let (parsed, text) = (Parsed(document.markdown(.full)), document.text(.full, width: 1_000))
        #expect(parsed.headings.prefix(2) == ["small", "What was varied"])
        #expect(parsed.tables.count == 2)
        let points = try #require(parsed.tables.first)
        #expect(
            points.count == 7
                && Array(points[0].prefix(4)) == [
                    "point", "devices[pupils] count", "services.pir cores", "gateway.utilization mean",
                ])
        let rows = try Self.rows(text, from: "  cores  ", count: 6)
        #expect(Array(points.dropFirst()) == rows, "\(text)")
        #expect(points[6].prefix(4) == ["6", "60", "6", "46.5 ± 2.00 %"])
        // What is the same everywhere is said once.
        let alike = try #require(parsed.items.first { $0.hasPrefix("the same at every point: ") })
        #expect(alike.contains("lookup.latency p99 < 800ms pass 151 ms"))
        #expect(text.contains("6 of 7 points, grid"))
        #expect(text.contains("FAIL: 6 of 12 objective checks missed"))
        #expect(
            parsed.tables[1][1] == [
                "url.leaked count", "devices[pupils].count", "0.750 [0.625, 0.875]", "0.750 [0.625, 0.875]",
                "0.062",
            ])
        #expect(document.text(.full, width: 60).split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test func fewPointsStandSideBySide() throws {
        let document = Document(try sweep(2))
        let table = try #require(Parsed(document.markdown(.full)).tables.first)
        #expect(
            table.prefix(3) == [
                ["point", "1", "2"], ["devices[pupils].count", "10", "20"], ["services.pir.cores", "1", "2"],
            ])
        #expect(table.contains(["url.leaked count == 0", "FAIL 500", "FAIL 500"]))
        let rows = try Self.rows(document.text(.full), from: "point  ", count: table.count - 1)
        #expect(Array(table.dropFirst()) == rows)
    }

    /// A run for an issue or a mail: the figures of its screen, and in full those of its details.
    @Test func aRunHasTheFiguresOfItsText() throws {
        let result = try SampleResult.result(points: [try SampleResult.point()])
        let document = Document(result, more: "the end")
        for level in [Document.Level.brief, .full] {
            let (parsed, text) = (Parsed(document.markdown(level)), document.text(level, width: 1_000))
            #expect(parsed.headings.first == result.scenario.name)
            let cells = parsed.tables.flatMap { $0.flatMap(\.self) }.filter { !$0.isEmpty }
            #expect(cells.count > 10)
            for cell in cells where cell.contains(where: \.isNumber) {
                #expect(text.contains(cell), "\(cell) is not in \(text)")
            }
        }
    }
}
