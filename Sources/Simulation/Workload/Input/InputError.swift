package import Decoding

/// Why a file cannot be read any further, or an output cannot be written.
///
/// A single bad line is not one of these unless the reader is strict: it is
/// counted in a ``ReadReport`` and reading goes on.
package enum InputError: InputFault, Equatable {
    case missing(path: String)
    case isDirectory(path: String)
    /// A pipe that is to be read again: what comes out of it is gone by then.
    case isPipe(path: String)
    /// A device, or a pipe that nobody writes to.
    case endless(path: String, InputDescriptor.Fault)
    case unreadable(path: String, reason: String)
    /// The compressed stream stops before its end mark. The offset counts
    /// bytes of the file as stored.
    case truncated(name: String, compression: ByteSource.Compression, offset: Int)
    /// The compressed stream contradicts itself near the offset, which counts
    /// bytes of the file as stored.
    case corrupt(name: String, compression: ByteSource.Compression, offset: Int, detail: String)
    /// There are more bytes than are read, decompressed; the line, where lines are counted, is the one that was not
    /// finished.
    case tooLarge(name: String, limit: Int, line: Int? = nil)
    /// There are more lines than are read.
    case tooLong(name: String, lineLimit: Int)
    /// Compressed data that become many times larger than lists and logs do.
    case expands(name: String, from: Int, to: Int)
    /// There are more lines than can be told apart in memory.
    case tooManyLines(name: String, limit: Int)
    /// A line that cannot be used, met by a strict reader.
    case badLine(ReadReport.Example)
    case unwritable(path: String, reason: String)

    package var isOfInput: Bool {
        if case .unwritable = self { return false }
        return true
    }
}

extension InputError {
    init(_ fault: InputDescriptor.Fault, path: String) {
        self =
            switch fault {
            case .missing: .missing(path: path)
            case .isDirectory: .isDirectory(path: path)
            case .isDevice, .nobodyWrites: .endless(path: path, fault)
            case .refused(let reason): .unreadable(path: path, reason: reason)
            }
    }
}

extension InputError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path):
            path.isEmpty ? "the name of an input is empty; name a file" : "\(path): there is no such file"
        case .isDirectory(let path):
            "\(path): this is a directory; name a file in it"
        case .isPipe(let path):
            "\(path): this is a pipe, and it is read more than once; write it to a file first"
        case .unreadable(let path, let reason):
            "\(path): cannot be read: \(reason)"
        case .truncated(let name, let compression, let offset):
            "\(name): the \(compression.rawValue) data stop at byte \(offset), before their end mark; "
                + "the file is incomplete"
        case .corrupt(let name, let compression, let offset, let detail):
            "\(name): the \(compression.rawValue) data are damaged near byte \(offset): \(detail)"
        case .endless(let path, let fault):
            "\(path): \(fault)"
        case .tooLarge(let name, let limit, nil):
            "\(name): larger than \(limit) bytes, the most that is read as one document"
        case .tooLarge(let name, let limit, let line?):
            "\(name): larger than \(limit) bytes, the most that is read of such a file; reading stopped in line "
                + "\(line); split the file"
        case .tooLong(let name, let limit):
            "\(name): more than \(limit) lines, the most that are read of such a file; split it"
        case .expands(let name, let from, let to):
            "\(name): the first \(from) bytes became \(to), more than \(InputBounds.largestExpansion) times as "
                + "many; if that is meant, decompress the file and name the result"
        case .tooManyLines(let name, let limit):
            "\(name): more than \(limit) entries and faulty lines, the most that can be named one by one; "
                + "split the file"
        case .badLine(let example):
            example.description
        case .unwritable(let path, let reason):
            "\(path): cannot be written: \(reason)"
        }
    }
}
