import Foundation
import Testing

/// `--help` of each command in a terminal, and whether its examples can be pasted.
struct HelpTextTests {
    private static let helps = CommandHelps()

    /// Every command with its help at a width.
    private static func texts(width: Int) async throws -> [(command: String, lines: [String])] {
        var (found, rest): ([(String, [String])], [[String]]) = ([], [[]])
        while let path = rest.popLast() {
            let text = try await Program.run(path + ["--help"], environment: ["COLUMNS": "\(width)"]).output
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            found.append((path.joined(separator: " "), lines))
            rest += try await helps.help(path).subcommands.subtracting(["help"]).sorted().map { path + [$0] }
        }
        return found
    }

    /// A paragraph that was broken by hand and again by the parser has lines that the next word would fit into.
    @Test(arguments: [80, 100]) func textIsBrokenOnceWhereTheTerminalEnds(width: Int) async throws {
        let texts = try await Self.texts(width: width)
        #expect(texts.count > 30)
        for (command, lines) in texts {
            // The parser does not break the usage.
            for line in lines where !line.hasPrefix("USAGE: ") {
                // A word may be longer than a line.
                let words = line.split(separator: " ")
                #expect(line.count <= width || words.count == 1, "\(command): \(line)")
            }
            let introduction = lines.prefix { $0 != "USAGE:" && !$0.hasPrefix("USAGE: ") }
            for (line, next) in zip(introduction, introduction.dropFirst()) {
                guard let first = line.first, first != " ", let word = next.split(separator: " ").first,
                    next.first != " "
                else { continue }
                #expect(line.count + 1 + word.count >= width, "\(command): \(line)")
            }
        }
    }

    @Test func examplesFitIntoAnyTerminalAndAreRight() async throws {
        var count = 0
        for (command, lines) in try await Self.texts(width: 300) {
            for (index, line) in lines.enumerated() where line.hasPrefix("  urlfilter ") {
                count += 1
                var call = line
                var place = index
                while call.hasSuffix("\\") {
                    place += 1
                    call = String(call.dropLast()) + lines[place].drop { $0 == " " }
                    #expect(lines[place].hasPrefix("    "), "\(command): \(lines[place])")
                }
                #expect(lines[index...place].allSatisfy { $0.count < 80 }, "\(command): \(line)")
                // What is pasted is one command: quotes are closed, and its words are known.
                #expect(call.count { $0 == "'" }.isMultiple(of: 2), "\(command): \(call)")
                let problems = try await Self.helps.problems(in: call)
                #expect(problems.isEmpty, "\(command): \(call) \(problems)")
                if place + 1 < lines.count {
                    #expect(!lines[place + 1].hasPrefix("    "), "no \\ before: \(lines[place + 1])")
                }
            }
        }
        #expect(count > 60)
    }
}
