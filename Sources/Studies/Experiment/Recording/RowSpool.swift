import Foundation
import Workload

/// Rows on the disk in a file without a name, which goes with the process whatever ends it.
final class RowSpool: Sendable {
    private let descriptor: Int32

    init() throws(InputError) {
        let folder = FileManager.default.temporaryDirectory.path
        var template = Array("\(folder)/urlfilter-rows-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw .unwritable(path: folder, reason: String(cString: strerror(errno)))
        }
        unlink(template)
    }

    deinit { close(descriptor) }

    func append(_ bytes: [UInt8]) throws(InputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            rest = rest.dropFirst(count)
        }
    }

    /// Hands over all rows from the first one, in pieces.
    func forEachChunk(_ body: ([UInt8]) throws -> Void) throws {
        var position: off_t = 0
        while true {
            var failed = false
            let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                let found = pread(descriptor, buffer.baseAddress, buffer.count, position)
                failed = found < 0
                count = max(0, found)
            }
            if failed { throw failure() }
            guard !chunk.isEmpty else { return }
            try body(chunk)
            position += off_t(chunk.count)
        }
    }

    private func failure() -> InputError {
        .unwritable(
            path: FileManager.default.temporaryDirectory.path, reason: String(cString: strerror(errno)))
    }
}
