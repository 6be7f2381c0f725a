import Decoding
import Foundation

/// The bytes of a file or of standard input, decompressed on the way, and in UTF-8 if they are text in UTF-16.
///
/// Whether the data are gzip or Zstandard is read from their first bytes, not
/// from the name. Everything is streamed: the memory used is two chunks plus
/// the decompressor's window (32 KiB for gzip, at most 128 MiB for Zstandard),
/// however far the data expand.
///
///     let source = try ByteSource(path: "lists/school.txt.gz", bounds: .list)
///     var chunk = [UInt8](repeating: 0, count: ByteSource.chunkSize)
///     while case let count = try chunk.withUnsafeMutableBytes(source.read), count > 0 { … }
///
/// It reads once from front to back; there is no seeking. A class, because it
/// owns a file descriptor.
package final class ByteSource {
    /// A good size for the buffer given to ``read(into:)``, in bytes.
    package static let chunkSize = 256 * 1024

    /// Name of this source in reports: the path, or `standard input`.
    package let name: String
    package let compression: Compression
    package let bounds: InputBounds
    private var producedCount = 0
    /// Read to recognise UTF-16, and not passed on yet.
    private var head: [UInt8]?
    private var text: UTF16Text?

    /// Whether the data are UTF-16, which is known once something is read.
    package var isUTF16: Bool { text != nil }

    private let descriptor: Int32?
    private let ownsDescriptor: Bool
    private let decoder: (any StreamDecoder)?
    /// Bytes as stored that are read and not yet consumed: `stored[storedStart..<storedEnd]`.
    private var stored: [UInt8]
    private var storedStart = 0
    private var storedEnd: Int
    private var storedIsComplete: Bool
    /// Bytes as stored that came from the file so far.
    private var storedCount: Int

    /// Opens a file, or standard input for the path `-`.
    ///
    /// - Parameters:
    ///   - bounds: What is beyond them is an error.
    ///   - isReadAgain: The same path is opened more than once, so that it has to be a file.
    ///   - waiting: Where a note goes when nothing comes.
    package convenience init(
        path: String, bounds: InputBounds, isReadAgain: Bool = false, waiting: WaitingNote = WaitingNote()
    ) throws(InputError) {
        guard path != "-" else {
            waiting.awaitInput(of: STDIN_FILENO, name: "standard input")
            do throws(InputDescriptor.Fault) {
                _ = try InputDescriptor.isPipe(STDIN_FILENO)
            } catch {
                throw InputError(error, path: "standard input")
            }
            try self.init(descriptor: STDIN_FILENO, name: "standard input", owns: false, bounds: bounds)
            return
        }
        let descriptor: Int32
        let isPipe: Bool
        var first: UInt8?
        do throws(InputDescriptor.Fault) {
            (descriptor, isPipe) = try InputDescriptor.open(path)
        } catch {
            throw InputError(error, path: path)
        }
        do throws(InputDescriptor.Fault) {
            if isPipe, !isReadAgain { first = try waiting.awaitWriter(of: descriptor, name: path) }
        } catch {
            close(descriptor)
            throw InputError(error, path: path)
        }
        guard !isPipe || !isReadAgain else {
            close(descriptor)
            throw .isPipe(path: path)
        }
        try self.init(descriptor: descriptor, name: path, owns: true, bounds: bounds, first: first)
    }

    /// Reads bytes that are in memory already, compressed or not.
    package convenience init(
        bytes: [UInt8], name: String, bounds: InputBounds = .none
    ) throws(InputError) {
        try self.init(
            descriptor: nil, name: name, owns: false, bounds: bounds, stored: bytes, count: bytes.count)
    }

    private convenience init(
        descriptor: Int32, name: String, owns: Bool, bounds: InputBounds, first: UInt8? = nil
    ) throws(InputError) {
        var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        var count = 0
        if let first { (buffer[0], count) = (first, 1) }
        do throws(InputError) {
            // The longest magic number is 4 bytes; a pipe may deliver fewer at once.
            while count < 4 {
                let got = try readDescriptor(descriptor, into: &buffer, from: count, name: name)
                if got == 0 { break }
                count += got
            }
        } catch {
            if owns { close(descriptor) }
            throw error
        }
        try self.init(
            descriptor: descriptor, name: name, owns: owns, bounds: bounds, stored: buffer, count: count)
    }

    private init(
        descriptor: Int32?, name: String, owns: Bool, bounds: InputBounds, stored: [UInt8], count: Int
    ) throws(InputError) {
        self.name = name
        self.bounds = bounds
        self.descriptor = descriptor
        self.ownsDescriptor = owns
        self.stored = stored
        self.storedEnd = count
        self.storedCount = count
        self.storedIsComplete = descriptor == nil
        let compression = Compression(magic: stored[..<count])
        self.compression = compression
        do throws(StreamFault) {
            decoder =
                switch compression {
                case .none: nil
                case .gzip: try GzipDecoder()
                case .zstd: try ZstdDecoder()
                }
        } catch {
            if let descriptor, owns { close(descriptor) }
            throw .corrupt(name: name, compression: compression, offset: 0, detail: error.detail)
        }
    }

    deinit {
        if let descriptor, ownsDescriptor { close(descriptor) }
    }

    /// Fills the front of `buffer` with the next decompressed bytes.
    ///
    /// - Returns: How many bytes were written; 0 only at the end of the data
    ///   or for an empty buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        let count = try readText(into: buffer)
        producedCount += count
        guard producedCount <= bounds.byteCount else {
            throw .tooLarge(name: name, limit: bounds.byteCount)
        }
        if decoder != nil, producedCount > InputBounds.freeExpansion,
            producedCount / InputBounds.largestExpansion > storedOffset
        {
            throw .expands(name: name, from: storedOffset, to: producedCount)
        }
        return count
    }

    /// Passes on what is there, but for UTF-16.
    private func readText(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        if head == nil {
            let start = try readHead()
            text = UTF16Text(head: start)
            head = start
            text?.append(start)
        }
        guard text != nil else {
            guard let start = head, !start.isEmpty else { return try readUnlimited(into: buffer) }
            let count = min(start.count, buffer.count)
            buffer.copyBytes(from: start[..<count])
            head = Array(start[count...])
            return count
        }
        while text?.isEmpty == true {
            var stored = [UInt8](repeating: 0, count: Self.chunkSize)
            let count = try stored.withUnsafeMutableBufferPointer { bytes throws(InputError) in
                try readUnlimited(into: UnsafeMutableRawBufferPointer(bytes))
            }
            if count == 0 {
                text?.finish()
                break
            }
            text?.append(stored[..<count])
        }
        return text?.take(into: buffer) ?? 0
    }

    private func readHead() throws(InputError) -> [UInt8] {
        var start = [UInt8](repeating: 0, count: UTF16Text.markLength)
        var count = 0
        while count < start.count {
            let got = try start.withUnsafeMutableBufferPointer { [count] bytes throws(InputError) in
                let free = UnsafeMutableBufferPointer(rebasing: bytes[count...])
                return try readUnlimited(into: UnsafeMutableRawBufferPointer(free))
            }
            if got == 0 { break }
            count += got
        }
        return Array(start[..<count])
    }

    private func readUnlimited(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        guard let decoder else { return try readPlain(into: buffer) }
        while true {
            if storedStart == storedEnd && !storedIsComplete { try refill() }
            let remaining = storedStart..<storedEnd
            let progress: StreamProgress
            do throws(StreamFault) {
                progress = try stored.withUnsafeBufferPointer { bytes throws(StreamFault) in
                    let input = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[remaining]))
                    return try decoder.decode(input, into: buffer)
                }
            } catch {
                throw .corrupt(
                    name: name, compression: compression, offset: storedOffset, detail: error.detail)
            }
            storedStart += progress.consumed
            if progress.produced > 0 { return progress.produced }
            if storedStart == storedEnd && storedIsComplete && progress.consumed == 0 {
                guard decoder.mayEnd else {
                    throw .truncated(name: name, compression: compression, offset: storedCount)
                }
                return 0
            }
            if progress.consumed == 0 && !remaining.isEmpty {
                throw .corrupt(
                    name: name, compression: compression, offset: storedOffset,
                    detail: "the data lead nowhere")
            }
        }
    }

    /// Position of the next byte to consume in the file as stored.
    private var storedOffset: Int { storedCount - (storedEnd - storedStart) }

    private func readPlain(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        if storedStart < storedEnd {
            let count = min(buffer.count, storedEnd - storedStart)
            buffer.copyBytes(from: stored[storedStart..<storedStart + count])
            storedStart += count
            return count
        }
        guard let descriptor, !storedIsComplete else { return 0 }
        let count = try readBytes(descriptor, into: buffer, name: name)
        storedCount += count
        storedIsComplete = count == 0
        return count
    }

    private func refill() throws(InputError) {
        guard let descriptor else { return }
        let count = try readDescriptor(descriptor, into: &stored, from: 0, name: name)
        storedStart = 0
        storedEnd = count
        storedCount += count
        storedIsComplete = count == 0
    }
}

private func readDescriptor(
    _ descriptor: Int32, into buffer: inout [UInt8], from start: Int, name: String
) throws(InputError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { bytes throws(InputError) in
        let free = UnsafeMutableBufferPointer(rebasing: bytes[start...])
        return try readBytes(descriptor, into: UnsafeMutableRawBufferPointer(free), name: name)
    }
}

private func readBytes(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, name: String
) throws(InputError) -> Int {
    do throws(InputDescriptor.Fault) {
        return try InputDescriptor.read(descriptor, into: buffer)
    } catch {
        throw InputError(error, path: name)
    }
}
