/// What `--help` of the built program says about a command.
struct CommandHelp: Sendable {
    let subcommands: Set<String>
    /// With their dashes.
    let options: Set<String>

    init(_ text: String) {
        var (subcommands, options, isList) = (Set<String>(), Set<String>(), false)
        for line in text.split(separator: "\n") {
            if let first = line.first, first != " " { isList = line.hasSuffix("SUBCOMMANDS:") }
            guard line.hasPrefix("  "), !line.hasPrefix("   ") else { continue }
            let entry = line.dropFirst(2)
            if entry.hasPrefix("-") {
                // What stands before the explanation: names and their values.
                let names = entry.prefix(upTo: entry.firstRange(of: "  ")?.lowerBound ?? entry.endIndex)
                for match in names.matches(of: /(?:^|[ \/,])(--?[A-Za-z][\w-]*)/) {
                    options.insert(String(match.output.1))
                }
            } else if isList, let word = entry.prefixMatch(of: /[a-z][a-z-]*/) {
                subcommands.insert(String(word.output))
            }
        }
        self.subcommands = subcommands
        self.options = options
    }
}

/// The help of each command, asked once.
actor CommandHelps {
    private var known: [[String]: CommandHelp] = [:]
    private var topics: Set<String>?

    func help(_ path: [String]) async throws -> CommandHelp {
        if let help = known[path] { return help }
        let help = CommandHelp(try await Program.run(path + ["--help"]).output)
        known[path] = help
        return help
    }

    /// What is wrong with the calls of the program in a line of shell.
    func problems(in line: String) async throws -> [String] {
        var found: [String] = []
        for call in line.matches(of: /(?:^|[ "\/])urlfilter ([^#|;&<>]*)/) {
            found += try await problems(inCall: call.output.1.split(separator: " ").map(String.init))
        }
        return found
    }

    /// - Parameter words: What follows the program's name. Alternatives of a subcommand may be separated by `/`, a
    ///   comma or "or".
    private func problems(inCall words: [String]) async throws -> [String] {
        if words.first == "help", words.count > 1 { return try await problems(inTopic: words[1]) }
        var paths: [[String]] = [[]]
        var rest = words[...]
        while !(try await help(paths[0]).subcommands).isEmpty {
            let names = rest.prefix { $0.wholeMatch(of: /[a-z][a-z-]*,?|\//) != nil }
            let alternatives = alternatives(in: names)
            guard !alternatives.isEmpty else { break }
            let known = try await help(paths[0]).subcommands
            for name in alternatives where !known.contains(name) {
                return ["'\(name)' is no subcommand of 'urlfilter \(paths[0].joined(separator: " "))'"]
            }
            paths = alternatives.map { paths[0] + [$0] }
            rest = alternatives.count > 1 ? rest[names.endIndex...] : rest.dropFirst()
        }
        // The parser's own, which help does not list.
        var options: Set = ["--generate-completion-script"]
        for path in paths { options.formUnion(try await help(path).options) }
        let used = rest.compactMap { $0.prefixMatch(of: /--?[A-Za-z][\w-]*/).map { String($0.output) } }
        return used.filter { !options.contains($0) }.map {
            "'urlfilter \(paths[0].joined(separator: " "))' has no option \($0)"
        }
    }

    /// `urlfilter help TOPIC`.
    private func problems(inTopic word: String) async throws -> [String] {
        if topics == nil { topics = try await Manual.topics() }
        let isKnown =
            word == "topics" || word == word.uppercased() || topics?.contains(word) == true
        return isKnown ? [] : ["'\(word)' is no article"]
    }

    /// One name, or those of a list such as `build / check / inspect` or `relay, gateway or all`.
    private func alternatives(in words: ArraySlice<String>) -> [String] {
        guard let first = words.first else { return [] }
        var names = [first.filter { $0 != "," }]
        var (goesOn, rest) = (first.hasSuffix(","), words.dropFirst())
        while let word = rest.popFirst() {
            if word == "/" || word == "or" {
                goesOn = true
            } else if goesOn {
                names.append(word.filter { $0 != "," })
                goesOn = word.hasSuffix(",")
            } else {
                break
            }
        }
        return names
    }
}
