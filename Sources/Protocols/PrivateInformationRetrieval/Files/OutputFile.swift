import Crypto
import Foundation

/// A file that appears under its name only when everything has been written.
struct OutputFile {
    /// Size and hash of a finished file.
    struct Content: Hashable {
        let byteCount: Int
        /// SHA-256, in hexadecimal digits.
        let hash: String
    }

    private static let bufferByteCount = 1 << 20
    /// Ends the name of a file that is being written.
    static let temporarySuffix = ".partial"

    private let handle: FileHandle
    private let path: String
    private var buffer: [UInt8] = []
    private var byteCount = 0
    private var hash = SHA256()

    private init(handle: FileHandle, path: String) {
        self.handle = handle
        self.path = path
        buffer.reserveCapacity(Self.bufferByteCount)
    }

    /// Writes a file under a temporary name beside the final one, then renames it.
    ///
    /// - Parameters:
    ///   - mode: Who may do what with the file, as far as the umask allows it.
    ///   - beforeRenaming: Called when everything is written and nothing is visible yet.
    static func write(
        _ path: String, mode: mode_t = 0o666, beforeRenaming: () throws -> Void = {},
        _ body: (inout OutputFile) throws -> Void
    ) throws -> Content {
        let temporaryPath = path + temporarySuffix
        let descriptor = open(temporaryPath, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw FileError.cannotWrite(path, reason: "'\(temporaryPath)' cannot be created: \(reason)")
        }
        let handle = FileHandle(fileDescriptor: descriptor)
        var file = OutputFile(handle: handle, path: path)
        do {
            defer { try? handle.close() }
            try body(&file)
            try file.flush()
            try beforeRenaming()
        } catch {
            try? FileManager.default.removeItem(atPath: temporaryPath)
            throw error
        }
        guard rename(temporaryPath, path) == 0 else {
            let reason = String(cString: strerror(errno))
            try? FileManager.default.removeItem(atPath: temporaryPath)
            throw FileError.cannotWrite(path, reason: reason)
        }
        return Content(byteCount: file.byteCount, hash: file.hash.finalize().hexadecimal)
    }

    /// Writes a copy of a file in the same way.
    static func copy(_ source: String, to path: String) throws -> Content {
        var input = try ByteInput(path: source)
        return try write(path) { file in
            while case let piece = try input.read(upTo: bufferByteCount), !piece.isEmpty {
                try file.append(piece)
            }
        }
    }

    /// Reads size and hash of a file; nil if it cannot be read.
    static func content(of path: String) -> Content? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        var hash = SHA256()
        var byteCount = 0
        do {
            while let piece = try handle.read(upToCount: bufferByteCount), !piece.isEmpty {
                hash.update(data: piece)
                byteCount += piece.count
            }
        } catch {
            return nil
        }
        return Content(byteCount: byteCount, hash: hash.finalize().hexadecimal)
    }

    mutating func append(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        byteCount += bytes.count
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    private mutating func flush() throws {
        try buffer.withUnsafeBytes { bytes in
            hash.update(bufferPointer: bytes)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(
                    handle.fileDescriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    throw FileError.cannotWrite(path, reason: String(cString: strerror(errno)))
                }
                rest = rest.dropFirst(count)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    var hexadecimal: String {
        var digits: [UInt8] = []
        for byte in self {
            for digit in [byte >> 4, byte & 15] { digits.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
