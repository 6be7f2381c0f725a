import Decoding

/// Why a file cannot be read any further, or an output cannot be written.
///
/// A single bad line is not one of these unless the reader is strict: it is
/// counted in a ``ReadReport`` and reading goes on.
package enum InputError: InputFault, Equatable {
    case missing(path: String)
    case isDirectory(path: String)
    /// What comes out of it is gone when it is to be read again.
    case isPipe(path: String)
    case unreadable(path: String, reason: String)
    /// The compressed stream stops before its end mark. The offset counts
    /// bytes of the file as stored.
    case truncated(name: String, compression: ByteSource.Compression, offset: Int)
    /// The compressed stream contradicts itself near the offset, which counts
    /// bytes of the file as stored.
    case corrupt(name: String, compression: ByteSource.Compression, offset: Int, detail: String)
    /// A document that has to be held in memory is larger than allowed, in bytes.
    case tooLarge(name: String, limit: Int)
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
        case .tooLarge(let name, let limit):
            "\(name): larger than \(limit) bytes, the most that is read as one document"
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
