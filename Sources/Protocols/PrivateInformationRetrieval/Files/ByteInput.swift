import Decoding
import Foundation

/// Bytes read one after another from a file or from memory, in pieces of 256 KiB.
struct ByteInput {
    /// Delivers the next piece; an empty one means the end.
    private let refill: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var position = 0
    private var reachedEnd = false
    /// Bytes consumed so far.
    private(set) var offset = 0
    /// Line feeds consumed so far, plus one.
    private(set) var line = 1

    init(path: String) throws {
        let handle: FileHandle
        do throws(InputDescriptor.Fault) {
            let (descriptor, isPipe) = try InputDescriptor.open(path)
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            if isPipe, let first = try InputDescriptor.awaitWriter(of: descriptor, note: .zero) {
                buffer = [first]
            }
        } catch {
            guard error != .missing else { throw FileError.cannotOpen(path) }
            throw FileError.cannotRead(path, reason: error.description)
        }
        refill = {
            try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, filled in
                do {
                    filled = try InputDescriptor.read(
                        handle.fileDescriptor, into: UnsafeMutableRawBufferPointer(buffer))
                } catch InputDescriptor.Fault.refused(let reason) {
                    throw FileError.cannotRead(path, reason: reason)
                }
            }
        }
    }

    init(_ bytes: [UInt8]) {
        refill = { [] }
        buffer = bytes
    }

    /// - Parameter refill: Delivers the next piece; an empty one means the end.
    init(refill: @escaping () throws -> [UInt8]) { self.refill = refill }

    /// The next byte without consuming it; nil at the end.
    mutating func peek() throws -> UInt8? {
        if position < buffer.count { return buffer[position] }
        guard !reachedEnd else { return nil }
        buffer = try refill()
        position = 0
        reachedEnd = buffer.isEmpty
        return buffer.first
    }

    /// Consumes the next byte; nil at the end.
    mutating func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        offset += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    /// Shows the bytes that have been delivered and not consumed, without asking for more.
    ///
    /// - Parameter body: Returns how many of them, and how many line feeds among these, to consume.
    mutating func consumeDelivered(
        _ body: (UnsafeRawBufferPointer) throws -> (byteCount: Int, lineFeedCount: Int)
    ) rethrows {
        let consumed = try buffer.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[position...]))
        }
        position += consumed.byteCount
        offset += consumed.byteCount
        line += consumed.lineFeedCount
    }

    /// Consumes up to `count` bytes; fewer come back only at the end. Memory grows with what is really there.
    mutating func read(upTo count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, try peek() != nil {
            let piece = buffer[position..<min(buffer.count, position + count - bytes.count)]
            bytes.append(contentsOf: piece)
            position += piece.count
            offset += piece.count
        }
        return bytes
    }
}

/// Why a file cannot be read or written.
package enum FileError: Error, Hashable {
    case cannotOpen(String)
    case cannotRead(String, reason: String)
    case cannotWrite(String, reason: String)
    case tooLarge(String, byteCount: Int, limit: Int)
}

extension FileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path): "\(path): there is no such file, or it cannot be read"
        case .cannotRead(let path, let reason): "\(path): reading stopped: \(reason)"
        case .cannotWrite(let path, let reason): "\(path): writing stopped: \(reason)"
        case .tooLarge(let path, let byteCount, let limit):
            "\(path): the file has \(byteCount) bytes; at most \(limit) are allowed"
        }
    }
}
