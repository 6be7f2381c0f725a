import RandomStreams

/// YAML text line by line: anchors and aliases, nesting, keys twice, tags, merge keys, scalars of all kinds and sizes.
enum YAMLGrammar: Grammar {
    private struct Line {
        var indent: String
        /// With the colon and blanks behind it, or the dash of a list; empty for anything else.
        var key: String
        var value: String

        var text: String { indent + key + value }

        init(_ text: Substring) {
            let body = text.drop { $0 == " " }
            indent = String(text.prefix(text.count - body.count))
            let isComment = body.hasPrefix("#")
            if !isComment, let colon = body.firstIndex(of: ":"), !body[..<colon].contains("{") {
                let start = body[colon...].dropFirst().drop { $0 == " " }.startIndex
                key = String(body[..<start])
                value = String(body[start...])
            } else {
                key = ""
                value = String(body)
            }
        }
    }

    private static let tags = [
        "!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "!!binary ", "!!seq ", "!!map ", "!!set ",
        "!own ",
        "!<tag:yaml.org,2002:str> ", "! ",
    ]
    private static let scalars = [
        "~", "null", "yes", "0o17", "0x1F", "1_000", "-.inf", ".NaN", "2001-01-01",
        "\"\\u0000\\x41\\U0001F600\"",
        "''", "[]", "{}", "1:30:00", "=", "<<", "'a''b'", "1e9999", "\u{FEFF}a", "\"\\\n  folded\"",
    ]

    static func varied(_ seed: [UInt8], _ other: [UInt8], _ stream: inout RandomStream) -> [UInt8]? {
        guard let text = String(validating: seed, as: UTF8.self) else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Line($0) }
        repeat { vary(&lines, &stream) } while stream.once(in: 2)
        return Array(lines.map(\.text).joined(separator: "\n").utf8)
    }

    private static func vary(_ lines: inout [Line], _ stream: inout RandomStream) {
        let settings = lines.indices.filter { !lines[$0].key.isEmpty }
        guard !settings.isEmpty else { return }
        let place = stream.pick(settings)
        let line = lines[place]
        switch stream.index(below: 14) {
        case 0: lines.insert(line, at: place)
        case 1: lines.remove(at: place)
        case 2: lines.swapAt(place, stream.pick(settings))
        case 3:
            let other = stream.pick(settings)
            lines[min(place, other)].value = "&a " + lines[min(place, other)].value
            lines[max(place, other)].value = "*a"
        case 4:
            var merge = line
            merge.key = "<<: "
            merge.value = stream.pick(["*a", "{ \(line.key.prefix { $0 != ":" }): 1 }", "[*a, *b]", "x"])
            lines.insert(merge, at: place)
        case 5: lines[place].value = stream.pick(tags) + line.value
        case 6:
            let depth = stream.pick([1, 2, 10, 100, 500, 2000])
            let (open, close) = stream.pick([("[", "]"), ("{a: ", "}"), ("- ", "")])
            lines[place].value =
                String(repeating: open, count: depth) + line.value + String(repeating: close, count: depth)
        case 7:
            lines[place].value = String(repeating: stream.pick(["x", "9", "\\", "'", "&"]), count: 100_000)
        case 8:
            let block = stream.pick(["|", ">", "|-", ">+", "|2", "|9"])
            lines[place].value = "\(block)\n\(line.indent)  \(line.value)\n\(line.indent)  "
        case 9: lines[place].value = "\"" + line.value + "\""
        case 10: lines[place].value = stream.pick(scalars)
        case 11:
            // Each of the lists has the one before nine times: a few hundred bytes that stand for a billion.
            var bomb = "&b0 [x]"
            for level in 1...(1 + stream.index(below: 12)) {
                let copies = Array(repeating: "*b\(level - 1)", count: 8).joined(separator: ", ")
                bomb = level == 1 ? "[\(bomb), &b1 [\(copies)]" : bomb + ", &b\(level) [\(copies)]"
            }
            lines[place].value = bomb + "]"
        case 12:
            lines.insert(Line(stream.pick(["---", "...", "%YAML 1.1", "? [a, b]", ": c", "\t"])), at: place)
        default: lines[place].indent += stream.pick([" ", "  ", "\t"])
        }
    }
}
