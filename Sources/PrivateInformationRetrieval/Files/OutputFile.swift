import Foundation

/// A file that appears under its name only when everything has been written.
struct OutputFile {
    private static let bufferByteCount = 1 << 20

    private let handle: FileHandle
    private let path: String
    private var buffer: [UInt8] = []
    private var byteCount = 0

    private init(handle: FileHandle, path: String) {
        self.handle = handle
        self.path = path
    }

    /// Writes a file under a temporary name beside the final one, then renames it.
    ///
    /// - Returns: Its length, in bytes.
    static func write(_ path: String, _ body: (inout OutputFile) throws -> Void) throws -> Int {
        let temporaryPath = path + ".partial"
        guard FileManager.default.createFile(atPath: temporaryPath, contents: nil),
            let handle = FileHandle(forWritingAtPath: temporaryPath)
        else { throw FileError.cannotWrite(path, reason: "'\(temporaryPath)' cannot be created") }
        var file = OutputFile(handle: handle, path: path)
        do {
            defer { try? handle.close() }
            try body(&file)
            try file.flush()
        } catch {
            try? FileManager.default.removeItem(atPath: temporaryPath)
            throw error
        }
        guard rename(temporaryPath, path) == 0 else {
            let reason = String(cString: strerror(errno))
            try? FileManager.default.removeItem(atPath: temporaryPath)
            throw FileError.cannotWrite(path, reason: reason)
        }
        return file.byteCount
    }

    mutating func append(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        byteCount += bytes.count
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    private mutating func flush() throws {
        do {
            try handle.write(contentsOf: Data(buffer))
        } catch {
            throw FileError.cannotWrite(path, reason: "\(error)")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
