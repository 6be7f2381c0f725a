import Foundation

/// A party that `urlfilter serve` runs in a process of its own.
final class PartyProcess: Sendable {
    /// Longest that one may need until it serves: assumption, for databases of millions of entries.
    private static let patience = Duration.seconds(600)

    /// Base URL.
    let url: String
    private let process: Process

    private struct Ready: Decodable {
        let url: String
    }

    /// Starts it and returns when it says that it is ready. State is kept in memory.
    ///
    /// - Parameters:
    ///   - executable: Of this program.
    ///   - arguments: After `serve`: the party, and its options.
    ///   - messages: File for what it says besides, which nobody wants to read unless it fails.
    init(executable: URL, _ arguments: [String], messages: URL) throws {
        try Data().write(to: messages)
        let process = Process()
        process.executableURL = executable
        process.arguments = ["serve"] + arguments + ["--memory", "--json"]
        let output = Pipe()
        // Another process that starts meanwhile must not keep it open.
        for end in [output.fileHandleForReading, output.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        self.process = process
        guard let ready = Self.ready(process, output.fileHandleForReading) else {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let text = (try? Data(contentsOf: messages)).map { String(decoding: $0, as: UTF8.self) }
            throw PartyProcessError.ended(arguments[0], text ?? "")
        }
        url = ready.url
    }

    var identifier: Int32 { process.processIdentifier }

    /// The port at which it listens.
    var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    private static func ready(_ process: Process, _ output: FileHandle) -> Ready? {
        let deadline = ContinuousClock.now.advanced(by: patience)
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            var polled = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&polled, 1, 200) > 0 {
                let part = output.availableData
                guard !part.isEmpty else { return nil }
                line += part
            } else if !process.isRunning || ContinuousClock.now > deadline {
                return nil
            }
        }
        return try? JSONDecoder().decode(Ready.self, from: line)
    }

    /// Ends it at once, as a crash does.
    func crash() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
    }

    /// Ends it at once, and waits for its end.
    func end() {
        crash()
        process.waitUntilExit()
    }
}

/// Why a server of ours does not run.
enum PartyProcessError: Error, Equatable, CustomStringConvertible {
    /// - Parameter message: What it said.
    case ended(String, _ message: String)

    var description: String {
        switch self {
        case .ended(let party, let message):
            "'serve \(party)' did not start: \(message.split(separator: "\n").joined(separator: "; "))"
        }
    }
}
