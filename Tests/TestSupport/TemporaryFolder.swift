package import Foundation

/// A folder that goes with the last reference to it, or when it is removed.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/urlfilter-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { remove() }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    package var url: URL { URL(fileURLWithPath: path) }
    package var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

    package func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }
}
