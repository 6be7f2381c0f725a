import Foundation
import Synchronization

/// Lines of the listing by file, so that only files that changed are read again.
///
/// It holds what the last listing met, and so no more than that.
final class ListingCache: Sendable {
    struct Stamp: Equatable, Sendable {
        var size: UInt64
        var date: Date
    }

    private struct Entry {
        var stamp: Stamp
        var line: FolderListing.Line?
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameter read: Makes the line of a file that is new, or changed.
    func line(
        _ path: String, _ stamp: Stamp, read: () -> FolderListing.Line?
    ) -> FolderListing.Line? {
        if let known = entries.withLock({ $0[path] }), known.stamp == stamp { return known.line }
        let line = read()
        entries.withLock { $0[path] = Entry(stamp: stamp, line: line) }
        return line
    }

    func keep(only paths: Set<String>) {
        entries.withLock { entries in entries = entries.filter { paths.contains($0.key) } }
    }
}
