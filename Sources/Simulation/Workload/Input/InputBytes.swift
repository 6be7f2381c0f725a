package import Foundation

/// A document that is read as a whole: JSON, YAML, a property list.
package enum InputBytes {
    /// Reads as ``ByteSource`` does: a pipe that nobody writes to is noted.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - limit: One chunk too many is read, which is enough to be refused.
    ///   - waiting: Where a note goes when nothing comes.
    package static func read(
        _ path: String, limit: Int, waiting: WaitingNote = WaitingNote()
    ) throws(InputError) -> Data {
        let source = try ByteSource(path: path, bounds: .none, waiting: waiting)
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: ByteSource.chunkSize)
        while bytes.count <= limit {
            let count = try chunk.withUnsafeMutableBufferPointer { buffer throws(InputError) in
                try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }
}
