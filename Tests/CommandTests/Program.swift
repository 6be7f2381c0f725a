import Foundation
import Synchronization
import TestSupport
import Testing

/// The built `urlfilter`, run as a process of its own.
enum Program {
    /// How a run ended, and what it wrote.
    struct Outcome: Sendable {
        /// Exit code, or the number of the signal that ended it, negative.
        let status: Int
        let output: String
        let errors: String
    }

    /// The executable beside the bundle of the tests: both are products of the same build.
    static let path: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("urlfilter")
            .path
    }()

    /// Runs the program and waits for its end.
    ///
    /// - Parameters:
    ///   - directory: Where it runs, and where relative paths lead.
    ///   - prelude: Shell commands before it, for limits and redirections of its own, such as `ulimit -n 64;`.
    ///   - redirections: Shell redirections after it, such as `2>&-`.
    static func run(
        _ arguments: [String], in directory: String? = nil, prelude: String = "", redirections: String = "",
        environment: [String: String] = [:]
    ) async throws -> Outcome {
        let process = try start(
            arguments, in: directory, prelude: prelude, redirections: redirections, environment: environment)
        return await process.outcome()
    }

    /// Closes what was inherited: sockets of tests in this process, whose ports a program would keep open as long as it runs.
    private static let closing =
        "for fd in /proc/$$/fd/*; do fd=${fd##*/}; ((fd > 2)) && eval \"exec $fd>&-\"; done;"

    /// Runs a line of shell that knows the program by its name.
    static func shell(_ line: String, in directory: String) async throws -> Outcome {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try await RunningProgram(
            ["/bin/bash", "-c", "\(closing) cd \"$0\" && PATH=\"$1:$PATH\"; \(line)", directory, folder],
            environment: ProcessInfo.processInfo.environment
        ).outcome()
    }

    /// Starts the program and returns at once.
    static func start(
        _ arguments: [String], in directory: String? = nil, prelude: String = "", redirections: String = "",
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try RunningProgram(
            [
                "/bin/bash", "-c",
                "\(closing) cd \"$1\" && shift; \(prelude) exec \"$0\" \"$@\" \(redirections)", path,
                directory ?? ".",
            ] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    }
}

/// A program that runs.
final class RunningProgram: Sendable {
    let identifier: pid_t
    private let output = Collected()
    private let errors = Collected()
    private let status = Mutex<Int?>(nil)
    private let ended = DispatchGroup()

    /// `Foundation.Process` is not used: one that starts while another does inherits its pipes, and with some hundred
    /// processes at once those never close.
    ///
    /// - Parameter command: Path of the executable, and its arguments.
    fileprivate init(_ command: [String], environment: [String: String]) throws {
        let (identifier, readers) = try Self.spawn(command, environment.map { "\($0)=\($1)" })
        self.identifier = identifier
        for (collected, reader) in zip([output, errors], readers) {
            // A thread of its own: the shared ones may all be busy with the tests.
            thread { while case let part = reader.availableData, !part.isEmpty { collected.add(part) } }
        }
        thread { [self] in
            var code: Int32 = 0
            while waitpid(identifier, &code, 0) < 0, errno == EINTR {}
            let signal = Int(code & 0x7f)
            status.withLock { $0 = signal == 0 ? Int(code >> 8 & 0xff) : -signal }
        }
    }

    private func thread(_ body: @escaping @Sendable () -> Void) {
        ended.enter()
        Thread.detachNewThread { [ended] in
            body()
            ended.leave()
        }
    }

    /// One start at a time, so that no program gets the pipes of another.
    private static let starting = Mutex(())

    private static func spawn(
        _ command: [String], _ environment: [String]
    ) throws -> (pid_t, readers: [FileHandle]) {
        try starting.withLock { _ in
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            var readers: [FileHandle] = []
            var writers: [Int32] = []
            defer { for writer in writers { close(writer) } }
            for stream: Int32 in [1, 2] {
                var ends: [Int32] = [0, 0]
                guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                readers.append(FileHandle(fileDescriptor: ends[0], closeOnDealloc: true))
                writers.append(ends[1])
                posix_spawn_file_actions_adddup2(&actions, ends[1], stream)
            }
            var identifier: pid_t = 0
            let code = withCStrings(command) { command in
                withCStrings(environment) {
                    posix_spawn(&identifier, command[0]!, &actions, nil, command, $0)
                }
            }
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
            return (identifier, readers)
        }
    }

    /// What it has written to standard output, and to standard error, so far.
    var written: (output: String, errors: String) { (output.text, errors.text) }

    func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits for its end.
    func outcome() async -> Program.Outcome {
        await withCheckedContinuation { continuation in
            let ended = ended
            Thread.detachNewThread {
                ended.wait()
                continuation.resume()
            }
        }
        return Program.Outcome(
            status: status.withLock { $0 } ?? 0, output: output.text, errors: errors.text)
    }

    /// Waits until standard output has such a line.
    ///
    /// - Returns: The line; nil if the program ends, or patience ends, before.
    func line(_ isWanted: @Sendable (Substring) -> Bool) async -> String? {
        var line: String? { output.text.split(separator: "\n").first(where: isWanted).map(String.init) }
        _ = await Patience.until { line != nil || status.withLock { $0 } != nil }
        return line
    }
}

private final class Collected: Sendable {
    private let data = Mutex(Data())

    var text: String { data.withLock { String(decoding: $0, as: UTF8.self) } }

    func add(_ part: Data) { data.withLock { $0.append(part) } }
}

/// The strings as C has them, with a null pointer at the end.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
) rethrows -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return try body(pointers + [nil])
}

/// A directory of a test, gone after it.
func withDirectory<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder.path)
}
