import Foundation
import Synchronization
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

    /// Starts the program and returns at once.
    static func start(
        _ arguments: [String], in directory: String? = nil, prelude: String = "", redirections: String = "",
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "\(prelude) exec \"$0\" \"$@\" \(redirections)", path] + arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return try RunningProgram(process)
    }
}

/// A program that runs.
final class RunningProgram: Sendable {
    private let process: Process
    private let output = Collected()
    private let errors = Collected()
    private let ended = DispatchGroup()

    fileprivate init(_ process: Process) throws {
        self.process = process
        process.standardInput = FileHandle.nullDevice
        for (collected, isOutput) in [(output, true), (errors, false)] {
            let pipe = Pipe()
            if isOutput { process.standardOutput = pipe } else { process.standardError = pipe }
            ended.enter()
            let ended = ended
            let reader = pipe.fileHandleForReading
            // A thread of its own: the shared ones may all be busy with the tests.
            Thread.detachNewThread {
                while case let part = reader.availableData, !part.isEmpty { collected.add(part) }
                ended.leave()
            }
        }
        ended.enter()
        process.terminationHandler = { [ended] _ in ended.leave() }
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

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
        let code = Int(process.terminationStatus)
        let status = process.terminationReason == .exit ? code : -code
        return Program.Outcome(status: status, output: output.text, errors: errors.text)
    }

    /// Waits until standard output has such a line.
    ///
    /// - Returns: The line; nil if the program ends, or half a minute passes, before.
    func line(_ isWanted: @Sendable (Substring) -> Bool) async throws -> String? {
        for _ in 0..<600 {
            if let line = output.text.split(separator: "\n").first(where: isWanted) { return String(line) }
            if !process.isRunning { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        return output.text.split(separator: "\n").first(where: isWanted).map(String.init)
    }
}

private final class Collected: Sendable {
    private let data = Mutex(Data())

    var text: String { data.withLock { String(decoding: $0, as: UTF8.self) } }

    func add(_ part: Data) { data.withLock { $0.append(part) } }
}

/// A directory of a test, gone after it.
func withDirectory<Result>(_ body: (_ path: String) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "urlfilter-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory.path)
}
