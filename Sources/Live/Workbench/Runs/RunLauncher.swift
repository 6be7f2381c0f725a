package import Foundation

/// Starts the program that simulates. Runs are processes of their own: what one needs in memory is gone with it, and
/// its result is what the same command leaves.
package protocol RunLauncher: Sendable {
    /// - Parameters:
    ///   - arguments: After the program's name.
    ///   - folder: Where it works.
    ///   - line: Gets each line of its messages.
    func launch(
        _ arguments: [String], in folder: String, line: @escaping @Sendable (String) -> Void
    ) throws -> any LaunchedRun
}

/// A run under way.
package protocol LaunchedRun: Sendable {
    /// Asks it to end with what it has.
    func interrupt()
    /// - Returns: Its exit code.
    func end() async -> Int32
}

/// The program `urlfilter` beside this one.
package struct ProgramLauncher: RunLauncher {
    private let program: URL

    package init(program: URL) { self.program = program }

    package func launch(
        _ arguments: [String], in folder: String, line: @escaping @Sendable (String) -> Void
    ) throws -> any LaunchedRun {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        var environment = ProcessInfo.processInfo.environment
        environment["URLFILTER_PROGRESS_SECONDS"] = "0.5"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let messages = Pipe()
        for end in [messages.fileHandleForReading, messages.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardError = messages
        let (ends, mark) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            mark.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
            mark.finish()
        }
        try process.run()
        let reader = messages.fileHandleForReading
        Thread.detachNewThread {
            Self.read(reader, line)
        }
        return ProgramRun(identifier: process.processIdentifier, ends: ends)
    }

    /// Longest line that is kept whole; messages are sentences.
    private static let longestLine = 8_192

    private static func read(_ reader: FileHandle, _ line: (String) -> Void) {
        var rest = Data()
        while true {
            let part = reader.availableData
            guard !part.isEmpty else { break }
            rest += part
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
            rest = rest.suffix(longestLine)
        }
        if !rest.isEmpty { line(String(decoding: rest, as: UTF8.self)) }
    }
}

private struct ProgramRun: LaunchedRun {
    let identifier: Int32
    let ends: AsyncStream<Int32>

    func interrupt() { kill(identifier, SIGINT) }

    func end() async -> Int32 { await ends.first { _ in true } ?? -1 }
}
