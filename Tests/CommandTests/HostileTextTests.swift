import Foundation
import Testing

/// One hostile name through everything that shows it.
@Suite struct HostileTextTests {
    /// ESC and BEL rename a terminal, the override turns a line around, and a spreadsheet computes what begins with `=`.
    private static let name = "=1+1\\u001b]0;owned\\u0007\\u202e<b>"
    private static let marks = ["\u{1B}", "\u{7}", "\u{202E}", "<b>"]

    private func check(_ text: String, _ what: String, allows: Set<String> = []) {
        for mark in Self.marks where !allows.contains(mark) {
            #expect(!text.contains(mark), "\(what) shows \(mark.unicodeScalars.map(\.value))")
        }
        #expect(text.contains("owned"), "\(what) does not show the name at all")
    }

    @Test func noFormObeysAName() async throws {
        try await withDirectory { folder in
            let inputs = try SmallInputs(in: folder)
            let scenario = try #require(inputs.text("scenario.yaml"))
                .replacing("name: small", with: "name: \"\(Self.name)\"")
            try inputs.write(scenario, to: "hostile.yaml")
            func program(_ words: String...) async throws -> String {
                let line = words.map { "'\($0)'" }.joined(separator: " ")
                let outcome = try await Program.shell(
                    "'\(Program.path)' \(line) 2>&1 < /dev/null", in: folder)
                try #require(outcome.status == 0, "\(words): \(outcome.output)")
                return outcome.output
            }
            let run = try await program(
                "run", "hostile.yaml", "--profile", "profile.json", "--output", "out", "--threads", "2")
            check(run, "run", allows: ["<b>"])
            check(try await program("report", "out"), "report", allows: ["<b>"])
            let comparison = try await program("compare", "out", "out")
            #expect(!Self.marks.prefix(3).contains { comparison.contains($0) })
            check(try #require(inputs.text("out/report.html")), "page")
            check(try #require(inputs.text("out/scenario.resolved.yaml")), "scenario", allows: ["<b>"])
            let cells = try await program("report", "out", "--csv")
            for line in cells.split(separator: "\r\n") {
                for cell in line.split(separator: ",") { #expect(!cell.hasPrefix("="), "\(line)") }
            }
        }
    }

    /// Entries, hosts and arguments that a message quotes.
    @Test func noMessageObeysAFile() async throws {
        try await withDirectory { folder in
            let inputs = try SmallInputs(in: folder)
            let hostile = "owned\u{1B}]0;x\u{7}\u{202E}.example"
            try inputs.write("good.example\n\(hostile)\n", to: "hostile.txt")
            try inputs.write(
                "epoch_seconds,client,url\n1,a,https://\(hostile)/\n2,a,https://a.example/\n",
                to: "hostile.csv")
            try inputs.write("\(hostile): 1\n", to: "hostile.yaml")
            for words in [
                "lint hostile.txt --all", "check hostile.csv --list hostile.txt", "bloom build hostile.txt",
                "trace describe hostile.csv", "run hostile.yaml",
                "explain 'https://\(hostile)/' --list list.txt",
                "run scenario.yaml --set '\(hostile)=1'", "plan '\(hostile)'", "'--\(hostile)'",
            ] {
                let outcome = try await Program.shell(
                    "'\(Program.path)' \(words) 2>&1 < /dev/null", in: folder)
                for mark in Self.marks.prefix(3) {
                    #expect(!outcome.output.contains(mark), "\(words): \(mark.unicodeScalars.map(\.value))")
                }
            }
        }
    }
}
