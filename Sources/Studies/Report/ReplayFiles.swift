import Decoding
package import DeviceFleet
package import Experiment
import Foundation

/// Files that a replay leaves in a directory: `replay.json`, `replay.txt`, `seconds.csv`, and of a load test
/// `load-test.json`.
package enum ReplayFiles {
    private static let document = "replay.json"
    private static let verdicts = "load-test.json"
    package static let documents = [document, "replay.txt", "seconds.csv", verdicts]

    /// - Parameter path: A directory, or its `replay.json`.
    /// - Returns: `nil` if a replay has left nothing there.
    package static func read(path: String) throws -> ReplayResult? {
        guard ResultFile.isThere(path: path, name: document) else { return nil }
        return try ResultFile.read(
            path: path, name: document, schema: ReplayResult.schemaName, ReplayResult.decode)
    }

    /// - Parameter path: As in ``read(path:)``.
    /// - Returns: `nil` for a replay that was no load test.
    package static func readTest(path: String) throws -> LoadTestOutcome? {
        let folder =
            (path as NSString).lastPathComponent == document
            ? (path as NSString).deletingLastPathComponent : path
        let place = folder.isEmpty ? "." : folder
        guard ResultFile.isThere(path: place, name: verdicts) else { return nil }
        return try ResultFile.read(
            path: place, name: verdicts, schema: LoadTestOutcome.schemaName, LoadTestOutcome.decode)
    }

    /// - Parameters:
    ///   - text: As it was printed.
    ///   - test: What the replay was made for, if a plan.
    package static func write(
        _ result: ReplayResult, text: String, test: LoadTestOutcome?, to directory: ResultDirectory
    ) throws {
        let contents = [
            try JSONText.render(result), text, ReplayText.secondsTable(result),
            try test.map { try JSONText.render($0) },
        ]
        for (name, content) in zip(documents, contents) {
            // What an earlier replay left there would be taken for this one's.
            guard let content else {
                try directory.remove(name)
                continue
            }
            try directory.write(Data(content.utf8), to: name)
        }
    }
}
