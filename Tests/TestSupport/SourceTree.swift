package import Foundation

/// The files that the tests were built from.
package enum SourceTree {
    /// Root of the repository.
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
