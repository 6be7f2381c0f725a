import Decoding
package import Foundation
import Workload

/// A result that an earlier run wrote.
package enum ResultFile {
    /// Summaries of large sweeps are a few megabytes.
    private static let maximumBytes = 256 << 20

    private struct Head: Decodable { var schema: String? }

    /// - Parameter path: A result directory, or its `summary.json`.
    package static func read(path: String) throws -> RunResult {
        try read(path: path, name: "summary.json", schema: RunResult.schema, RunResult.decode)
    }

    /// Whether a path is such a file, or a directory with one.
    ///
    /// - Parameter name: Of the file in a directory.
    package static func isThere(path: String, name: String) -> Bool {
        let file = (path as NSString).lastPathComponent == name ? path : path + "/" + name
        return FileManager.default.fileExists(atPath: file)
    }

    /// - Parameters:
    ///   - path: A directory, or the file.
    ///   - name: Of the file in a directory.
    package static func read<Document>(
        path: String, name: String, schema: String, _ decode: (Data) throws -> Document
    ) throws -> Document {
        var file = path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw ResultFileError.missing(path)
        }
        if isDirectory.boolValue {
            file = path + "/" + name
            guard FileManager.default.fileExists(atPath: file) else { throw ResultFileError.noSummary(path) }
        }
        guard let data = try? InputBytes.read(file, limit: maximumBytes) else {
            throw ResultFileError.missing(file)
        }
        guard data.count <= maximumBytes else { throw ResultFileError.tooLarge(file, maximum: maximumBytes) }
        guard let head = try? JSONReader.read(Head.self, from: data) else {
            throw ResultFileError.notJSON(file)
        }
        guard head.schema == schema else {
            throw ResultFileError.schema(file, found: head.schema ?? "none", expected: schema)
        }
        do {
            return try decode(data)
        } catch let error as DecodingError {
            throw ResultFileError.malformed(file, place: Self.place(of: error))
        }
    }

    /// - Parameter path: Of a result directory, or its `summary.json`.
    package static func folder(of path: String) -> String {
        path.hasSuffix(".json") ? URL(fileURLWithPath: path).deletingLastPathComponent().path : path
    }

    /// The manifest beside a result.
    ///
    /// - Returns: `nil` when there is none that can be read: a result is complete without it.
    package static func manifest(path: String) -> RunManifest? {
        let file = folder(of: path) + "/manifest.json"
        guard let data = try? InputBytes.read(file, limit: maximumBytes) else {
            return nil
        }
        return try? JSONReader.read(RunManifest.self, from: data)
    }

    private static func place(of error: DecodingError) -> String {
        let path: [any CodingKey]
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            path = context.codingPath
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        @unknown default: path = []
        }
        return path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
}

package enum ResultFileError: InputFault, Equatable, CustomStringConvertible {
    case missing(String)
    case noSummary(String)
    case tooLarge(String, maximum: Int)
    case notJSON(String)
    case schema(String, found: String, expected: String)
    case malformed(String, place: String)
    case damaged(String, reason: String)

    package var description: String {
        switch self {
        case .missing(let path): "\(path): there is no such file, or it cannot be read"
        case .noSummary(let path):
            "\(path): no summary.json in it; give a directory that 'run --output' wrote and that is finished"
        case .tooLarge(let path, let maximum): "\(path): is larger than \(maximum) bytes"
        case .notJSON(let path): "\(path): not a JSON document"
        case .schema(let path, let found, let expected):
            "\(path): schema is '\(found)'; this program reads '\(expected)': run it again, if another version wrote it"
        case .malformed(let path, let place):
            "\(path): '\(place)' is missing, has the wrong type or is nothing that a run writes"
        case .damaged(let path, let reason):
            "\(path): is damaged (\(reason)); remove it, or choose another directory"
        }
    }
}
