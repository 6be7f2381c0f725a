import ArgumentParser
import Decoding

/// A word on the command line that stands where a command is expected and is none.
///
/// The parser would call it an unexpected argument, and not say which commands there are.
struct UnknownCommand: CustomStringConvertible {
    private let word: String
    /// Commands before it, with the program's name.
    private let path: [String]
    private let known: [String]

    /// - Parameter words: The command line without the program.
    /// - Returns: `nil` where all words that name commands are known.
    init?(_ words: ArraySlice<String>, of root: any ParsableCommand.Type) {
        var (command, rest, path) = (root, words, [root._commandName])
        while true {
            let children = command.configuration.subcommands
            // The parser's own `help` is in no list.
            guard !children.isEmpty, let word = rest.popFirst(), !word.hasPrefix("-"), word != "help" else {
                return nil
            }
            guard let next = children.first(where: { $0._commandName == word }) else {
                (self.word, self.path, known) = (word, path, children.map { $0._commandName })
                return
            }
            (command, path) = (next, path + [word])
        }
    }

    var description: String {
        let whole = path.joined(separator: " ")
        return "'\(whole)' has no command '\(ForeignText.printable(word))'; "
            + (Spelling.closest(to: word, among: known).map { "did you mean '\($0)'?" }
                ?? "there are \(known.joined(separator: ", "))")
    }
}
