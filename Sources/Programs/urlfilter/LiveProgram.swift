import ArgumentParser
import CommandSupport
import Foundation

/// The program beside this one that serves and talks over a network: `urlfilter-live`.
///
/// It links an HTTP server, an HTTP client and TLS, which take longer to build than all the rest; who simulates needs
/// none of them. Users type `urlfilter` for both.
enum LiveProgram {
    private static let name = "urlfilter-live"

    /// - Parameter words: The command line without the program.
    static func takes(_ words: ArraySlice<String>) -> Bool {
        let words = words.first == "help" ? words.dropFirst() : words
        guard let first = words.first else { return false }
        if LiveVerb(rawValue: first) != nil { return true }
        let mayTalk = first == "measure" || first == "pir" && words.dropFirst().first == "query"
        return mayTalk
            && words.contains {
                $0 == "--against" || $0.hasPrefix("--against=") || first == "measure" && $0 == "--ports"
            }
    }

    /// Becomes the other program, with the same words.
    static func takeOver() -> Never {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let path = folder?.appendingPathComponent(name).path ?? name
        let words = [path] + CommandLine.arguments.dropFirst()
        var arguments = words.map { strdup($0) } + [nil]
        execv(path, &arguments)
        Terminal.complain(
            "servers and what talks to them are a second program, and \(path) "
                + (errno == ENOENT
                    ? "is not built yet: swift build -c release --product \(name)"
                    : "cannot be started: \(String(cString: strerror(errno)))"))
        Foundation.exit(ExitStatus.failure.rawValue)
    }
}

/// A verb of the other program, which stands here for lists of commands.
protocol LiveCommand: ParsableCommand {
    var words: [String] { get }
}

extension LiveCommand {
    func run() { LiveProgram.takeOver() }
}

struct Open: LiveCommand {
    static let configuration = CommandConfiguration(commandName: "open", abstract: LiveVerb.open.abstract)
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct Serve: LiveCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: LiveVerb.serve.abstract)
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct Replay: LiveCommand {
    static let configuration = CommandConfiguration(commandName: "replay", abstract: LiveVerb.replay.abstract)
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct DoctorCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: LiveVerb.doctor.rawValue, abstract: LiveVerb.doctor.abstract)
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct WatchCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: LiveVerb.watch.rawValue, abstract: LiveVerb.watch.abstract)
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct Validate: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: LiveVerb.validate.abstract)
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}
