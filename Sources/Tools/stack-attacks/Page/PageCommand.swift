import ArgumentParser
import Foundation
import Timing

/// Attacks on the page of `urlfilter open`.
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Attack a started 'urlfilter open', as a page of another site or a program may.",
        discussion: """
            Each attack meets a page of its own, with files whose names are markup and
            links that lead out of the folder. Exit code 2: one of them got something,
            or the page's program took more than its memory, or did not end cleanly.

            Examples:
              stack-attacks page
              stack-attacks page --only page.guesses --seconds 60
            """)

    /// Largest resident memory of the program, bytes: of a list at its limit, with room.
    private static let memoryLimit = 256 << 20
    private static let endSeconds = 20.0

    @Option(
        help: ArgumentHelp(
            "The program under attack. Default: urlfilter beside this program.", valueName: "file"))
    var program: String?

    @Option(help: ArgumentHelp("Only attacks whose names begin with this.", valueName: "name"))
    var only = ""

    @Option(help: "Seconds of guessing.")
    var seconds = 1.0

    func validate() throws {
        guard (0.1...86_400).contains(seconds) else {
            throw ValidationError("--seconds is \(seconds); it must be in 0.1...86400")
        }
        guard PageAttack.all.contains(where: { $0.name.hasPrefix(only) }) else {
            throw ValidationError("no attack begins with '\(only)'")
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stack-attacks-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let interrupts = [SIGINT, SIGTERM].map { AttackCommand.end(at: $0, removing: directory) }
        defer { for source in interrupts { source.cancel() } }
        let path = AttackCommand.path(of: program)
        print("attack          tried  seconds  memory  verdict  answers")
        var failed = 0
        let attacks = PageAttack.all.filter { $0.name.hasPrefix(only) }
        for attack in attacks {
            let home = directory.appendingPathComponent(attack.name)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            if !attempt(attack, on: try PageTarget(program: path, in: home, seconds: seconds)) { failed += 1 }
        }
        print("\(attacks.count - failed) of \(attacks.count) withstood")
        if failed > 0 { throw ExitCode(2) }
    }

    /// - Returns: Whether it was withstood.
    private func attempt(_ attack: PageAttack, on target: PageTarget) -> Bool {
        let begin = ContinuousClock.now
        attack.run(target)
        let spent = (ContinuousClock.now - begin).seconds
        let peak = target.server.peakByteCount ?? 0
        if peak > Self.memoryLimit { target.log.problem("\(Text.bytes(peak)) of memory") }
        if let status = target.server.status {
            target.log.problem("the program has died (status \(status)): \(target.server.lastWords)")
        } else if target.server.end(within: Self.endSeconds) != 0 {
            target.log.problem("SIGTERM did not end it cleanly")
        }
        let found = target.log.current
        print(
            attack.name.padding(toLength: 14, withPad: " ", startingAt: 0),
            String(format: "%6d  %7.1f", found.tried, spent), "", Text.bytes(peak),
            found.problems.isEmpty ? "   pass  " : "   FAIL  ", Text.counts(found.answers))
        for sentence in found.notes { print("  \(sentence)") }
        for problem in found.problems { print("  FAIL \(attack.summary): \(problem)") }
        return found.problems.isEmpty
    }
}
