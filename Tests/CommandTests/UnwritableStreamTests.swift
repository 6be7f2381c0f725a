import Foundation
import TestSupport
import Testing

/// Messages that nobody takes cost nothing but themselves; results that nobody takes are told by the exit code.
struct UnwritableStreamTests {
    /// Closed, a full disk, a reader that went away.
    static let lostErrors = ["2>&-", "2>/dev/full", "2> >(true)"]

    @Test(arguments: lostErrors)
    func unwritableMessagesChangeNoResult(_ redirection: String) async throws {
        try await withSmallInputs { inputs in
            let built = try await Program.run(
                ["bloom", "build", "list.txt", "--seed", "7", "--output", "f.plist"], on: inputs,
                redirections: redirection)
            #expect(built.status == 0)
            #expect(inputs.text("f.plist")?.hasPrefix("<?xml") == true)
            let ran = try await Program.run(
                inputs.run("--output", "out"), on: inputs, redirections: redirection)
            #expect(ran.status == 0)
            #expect(inputs.exists("out/report.html"))
            let missing = try await Program.run(["lint", "no.txt"], on: inputs, redirections: redirection)
            #expect(missing.status == 65)
            let usage = try await Program.run(["lint"], on: inputs, redirections: redirection)
            #expect(usage.status == 64)
        }
    }

    /// A pipe that is full before the program begins, and a reader that never reads.
    @Test func aReaderOfMessagesThatDoesNotReadHoldsNothingUp() async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(
                inputs.run("--output", "out"), on: inputs,
                prelude: """
                    mkfifo pipe; exec 8<>pipe; dd if=/dev/zero of=pipe bs=4096 count=1000 oflag=nonblock 2>/dev/null;
                    """,
                redirections: "2>pipe")
            #expect(outcome.status == 0)
            #expect(inputs.exists("out/report.html"))
        }
    }

    @Test(arguments: [">&-", ">/dev/full"])
    func unwritableResultsAreTold(_ redirection: String) async throws {
        try await withSmallInputs { inputs in
            for arguments in [
                ["explain", "https://example.com/"], ["lint", "list.txt", "--json"], ["--help"],
                ["--version"],
                inputs.run("--output", "out"),
            ] {
                let outcome = try await Program.run(arguments, on: inputs, redirections: redirection)
                #expect(outcome.status == 1, "\(arguments)")
                let lines = outcome.errors.split(separator: "\n")
                let complaint = lines.filter { $0.hasPrefix("urlfilter: standard output cannot be written:") }
                #expect(complaint.count == 1, "\(arguments) said \(outcome.errors)")
            }
            #expect(inputs.exists("out/report.html"), "the result directory is complete all the same")
        }
    }

    /// As of `urlfilter lint list.txt | head -1`, once `head` has ended.
    private static let readerGone = "mkfifo gone; exec 8<>gone 9>gone 8<&-;"

    @Test func aReaderThatWentAwayEndsTheProgramQuietly() async throws {
        try await withSmallInputs { inputs in
            for arguments in [["explain", "https://example.com/"], inputs.run("--output", "out", "-q")] {
                let outcome = try await Program.run(
                    arguments, on: inputs, prelude: "rm -f gone; " + Self.readerGone, redirections: ">&9")
                #expect(outcome.status == 141, "\(arguments)")
                #expect(outcome.errors.isEmpty)
            }
            #expect(inputs.exists("out/report.html"))
        }
    }

    /// A closed descriptor is the next one that an opened file gets.
    @Test func messagesNeverGoIntoAFile() async throws {
        try await withSmallInputs { inputs in
            let arguments = ["trace", "import", "trace.csv", "--output"]
            _ = try await Program.run(arguments + ["expected.csv"], on: inputs)
            for (number, redirection) in [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"].enumerated() {
                _ = try await Program.run(
                    arguments + ["\(number).csv"], on: inputs, redirections: redirection)
                #expect(inputs.text("\(number).csv") == inputs.text("expected.csv"), "\(redirection)")
            }
        }
    }

    /// What is told of the list that is read again goes to a disk that is full, or nowhere.
    @Test(arguments: ["2>/dev/full", "2>&-"])
    func aServerWithoutALogReloadsAndEnds(_ redirection: String) async throws {
        try await withSmallInputs { inputs in
            let server = try Program.start(
                ["serve", "all", "--list", "list.txt", "--memory", "--log-level", "trace"],
                in: inputs.folder, redirections: redirection)
            #expect(await server.line { $0.hasPrefix("ready:") } != nil)
            let list = try #require(inputs.text("list.txt"))
            let path = inputs.folder + "/list.txt"
            unlink(path)
            mkfifo(path, 0o600)
            // That the list is asked for a second time shows that the server outlived the first.
            for _ in 0..<2 {
                server.signal(SIGHUP)
                #expect(await Self.deliver(list, to: path))
                #expect(await Self.hasNoReader(path))
            }
            // A reload that never ends holds nothing up either.
            server.signal(SIGHUP)
            server.signal(SIGTERM)
            #expect(await server.outcome().status == 0)
        }
    }

    /// Waits until the reader of a pipe has seen its end: what is written next is for another one.
    ///
    /// - Returns: False when patience has ended.
    private static func hasNoReader(_ path: String) async -> Bool {
        await Patience.until {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK)
            if descriptor >= 0 { close(descriptor) }
            return descriptor < 0
        }
    }

    /// - Returns: Whether somebody opened the pipe to read before patience ended.
    private static func deliver(_ text: String, to path: String) async -> Bool {
        var written = 0
        let isOpened = await Patience.until {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK)
            guard descriptor >= 0 else { return false }
            written = write(descriptor, text, text.utf8.count)
            close(descriptor)
            return true
        }
        return isOpened && written == text.utf8.count
    }
}
