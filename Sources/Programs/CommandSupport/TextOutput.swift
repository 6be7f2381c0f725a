import Workload

/// Standard output for results of many lines: collects them, so that a million lines are not a million calls.
package struct TextOutput: ~Copyable {
    private static let bufferSize = 64 * 1024
    private var buffer = ""

    package init() {}

    package mutating func write(_ text: String) throws(StandardOutputError) {
        buffer += text
        if buffer.utf8.count >= Self.bufferSize { try flush() }
    }

    /// Passes on what is left. Has to come last.
    package mutating func flush() throws(StandardOutputError) {
        guard !buffer.isEmpty else { return }
        try Terminal.print(buffer)
        buffer = ""
    }
}

/// A file that a command is asked to write: complete or not at all, or standard output for `-`.
package enum OutputFile {
    package static let standardOutput = "-"

    /// Bits of a prefilter, which every device gets.
    package static func write(_ bytes: some Collection<UInt8>, to path: String) throws {
        if path == standardOutput {
            try Terminal.write(bytes)
        } else {
            try AtomicFile.write(to: path) { try $0.write(bytes) }
        }
    }

    /// Text with URLs, which only its owner may read.
    ///
    /// - Parameter body: Gets a function that appends text to the file.
    package static func write(to path: String, _ body: ((String) throws -> Void) throws -> Void) throws {
        if path == standardOutput {
            try body { try Terminal.print($0) }
        } else {
            try AtomicFile.write(to: path, isPrivate: true) { file in try body { try file.write($0) } }
        }
    }
}
