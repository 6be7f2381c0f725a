package import ArgumentParser
import Foundation
import Timing

/// Common part of the two programs: one place that runs a command, and turns errors into a sentence and an exit code.
package enum Program {
    package static let version = Machine.programVersion

    /// Parses the command line, runs the command that it names, and ends the program unless all went well.
    ///
    /// - Parameter arguments: Instead of those of the process.
    package static func run(_ root: any ParsableCommand.Type, _ arguments: [String]? = nil) async {
        do {
            let words = arguments ?? Array(CommandLine.arguments.dropFirst())
            if let word = UnknownCommand(words[...], of: root) { throw ValidationError("\(word)") }
            var command = try root.parseAsRoot(arguments)
            Interrupts.listen()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            leave(with: error, of: root)
        }
    }

    private static func leave(with error: any Error, of root: any ParsableCommand.Type) -> Never {
        let status = ExitStatus(of: error)
        if status == .readerGone { Foundation.exit(status.rawValue) }
        // The parser's own errors know their text and their code; ours are one sentence.
        if status == .failure, error is ExitCode || root.exitCode(for: error) != .failure {
            leave(with: root.fullMessage(for: error), root.exitCode(for: error), of: root)
        }
        Terminal.complain("\(error)")
        Foundation.exit(status.rawValue)
    }

    /// - Parameter text: Help and version, which are results; for other codes a message.
    private static func leave(
        with text: String, _ code: ExitCode, of root: any ParsableCommand.Type
    ) -> Never {
        guard !text.isEmpty else { Foundation.exit(code.rawValue) }
        guard code.isSuccess else {
            Terminal.note(text)
            Foundation.exit(code.rawValue)
        }
        do {
            try Terminal.print(text + "\n")
            Foundation.exit(code.rawValue)
        } catch {
            leave(with: error, of: root)
        }
    }
}
