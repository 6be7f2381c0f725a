import DeviceFleet
import Foundation
import Synchronization

/// Limits on what a server may take of its machine, and where it keeps its state.
struct ServerLimits: Codable, Hashable, Sendable {
    /// Open files and connections: enough for every attack that is not about them.
    var descriptors = 4_096
    /// Address space in bytes. Bounds what an attack that succeeds does to the machine under test.
    var addressSpaceByteCount = 6 << 30
    /// Largest file that can be written, bytes; nil for any.
    var fileByteCount: Int?
    /// Whether state is kept in a file.
    var keepsState = false

    /// Shell commands that set the limits. A full disk does not send a signal, so the one of the limit is ignored.
    fileprivate var prelude: String {
        let file = fileByteCount.map { "trap '' XFSZ; ulimit -f \($0 / 1024);" } ?? ""
        return "ulimit -n \(descriptors); ulimit -v \(addressSpaceByteCount / 1024); \(file)"
    }
}

/// Verb of the program that listens: how it gets a free port, and how it says where it is.
enum ServerVerb: Sendable {
    /// `serve`: a document on standard output.
    case serve
    /// `open`: a line on standard error, whose address ends in a secret.
    case open

    /// Message that `serve` prints when it serves.
    private struct Ready: Decodable {
        let url: String
    }

    fileprivate var options: [String] {
        switch self {
        case .serve: ["--port", "0", "--json"]
        case .open: ["--port", "0", "--no-browser"]
        }
    }

    /// Address in what the program has written so far; nil while it does not serve.
    fileprivate func address(output: URL, errors: URL) -> String? {
        switch self {
        case .serve:
            (try? Data(contentsOf: output)).flatMap { try? JSONDecoder().decode(Ready.self, from: $0) }?.url
        case .open:
            (try? String(contentsOf: errors, encoding: .utf8))?.firstMatch(of: #/open: (http:\S+)\n/#)
                .map { String($0.1) }
        }
    }
}

/// A started `urlfilter serve` or `urlfilter open`.
final class ServerProcess: Sendable {
    /// End of a run: an exit code, or the negative number of a signal.
    typealias Status = Int32

    /// Processes that would outlive this one if it is interrupted.
    private static let running = Mutex<Set<Int32>>([])

    private let process: Process
    private let errors: URL
    /// Directory in which it runs and keeps its state.
    let directory: URL
    let url: String
    let port: UInt16

    /// Starts the program and waits until it is ready.
    ///
    /// - Parameters:
    ///   - arguments: From the verb on, without a port.
    ///   - directory: Exists; gets what the server writes.
    init(
        program: String, _ arguments: [String], verb: ServerVerb = .serve,
        limits: ServerLimits = ServerLimits(), in directory: URL
    ) throws {
        let name = UUID().uuidString
        let (output, errors) = (
            directory.appendingPathComponent("\(name).out"), directory.appendingPathComponent("\(name).err")
        )
        let process = try Self.start(
            program, arguments + verb.options, limits, in: directory, output: output, errors: errors)
        self.process = process
        self.errors = errors
        self.directory = directory
        var ready: String?
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while ready == nil, process.isRunning, ContinuousClock.now < deadline {
            usleep(10_000)
            ready = verb.address(output: output, errors: errors)
        }
        guard let url = ready,
            let port = url.firstMatch(of: #/^http:\/\/[^:\/]+:(\d+)/#).flatMap({ UInt16($0.1) })
        else {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            _ = Self.running.withLock { $0.remove(process.processIdentifier) }
            throw ServerNotReady(status: Self.status(of: process), errors: Self.lastWords(in: errors))
        }
        self.url = url
        self.port = port
    }

    private static func start(
        _ program: String, _ arguments: [String], _ limits: ServerLimits, in directory: URL, output: URL,
        errors: URL
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments =
            ["-c", "\(limits.prelude) exec \"$0\" \"$@\"", program] + arguments
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        for url in [output, errors] { try Data().write(to: url) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        running.withLock { _ = $0.insert(process.processIdentifier) }
        return process
    }

    var isAlive: Bool { process.isRunning }

    /// CPU seconds so far; nil when the process is gone.
    var cpuSeconds: Double? { ServerUsage.seconds(ofProcess: process.processIdentifier) }

    /// Resident memory now, bytes.
    var residentByteCount: Int? { status(line: "VmRSS:") }

    /// Largest resident memory since ``resetPeak()``, bytes.
    var peakByteCount: Int? { status(line: "VmHWM:") }

    private func status(line name: String) -> Int? {
        let text = try? String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// Begins a new peak at what is resident now. A kernel that does not offer it keeps the peak since the start.
    func resetPeak() {
        let file = FileHandle(forWritingAtPath: "/proc/\(process.processIdentifier)/clear_refs")
        try? file?.write(contentsOf: Data("5".utf8))
    }

    /// Asks the server to read its data again.
    func reload() { kill(process.processIdentifier, SIGHUP) }

    /// Ends the server as a machine does that loses its power.
    func crash() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        _ = Self.running.withLock { $0.remove(process.processIdentifier) }
    }

    /// Asks the server to end as an operator does.
    ///
    /// - Returns: Nil when it did not end in time and was killed.
    func end(within seconds: Double) -> Status? {
        kill(process.processIdentifier, SIGTERM)
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        while process.isRunning, ContinuousClock.now < deadline { usleep(10_000) }
        let hasEnded = !process.isRunning
        if !hasEnded { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        _ = Self.running.withLock { $0.remove(process.processIdentifier) }
        return hasEnded ? Self.status(of: process) : nil
    }

    /// The end of what it has written to standard error.
    var lastWords: String { Self.lastWords(in: errors) }

    private static func lastWords(in errors: URL) -> String {
        String(((try? String(contentsOf: errors, encoding: .utf8)) ?? "").suffix(500))
    }

    /// How the process ended; nil while it runs.
    var status: Status? { process.isRunning ? nil : Self.status(of: process) }

    private static func status(of process: Process) -> Status {
        process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    static func killAll() { running.withLock { for id in $0 { kill(id, SIGKILL) } } }
}

/// A server that ended, or said nothing for half a minute.
struct ServerNotReady: Error, CustomStringConvertible {
    let status: ServerProcess.Status
    let errors: String

    var description: String { "the server did not start (status \(status)): \(errors)" }
}
