package import DeviceFleet
package import Experiment
import Foundation

/// What a replay leaves in a directory: `replay.json`, `replay.txt`, `seconds.csv`.
package enum ReplayFiles {
    private static let document = "replay.json"
    package static let documents = [document, "replay.txt", "seconds.csv"]

    /// - Parameter path: A directory, or its `replay.json`.
    /// - Returns: `nil` if a replay has left nothing there.
    package static func read(path: String) throws -> ReplayResult? {
        guard ResultFile.isThere(path: path, name: document) else { return nil }
        return try ResultFile.read(
            path: path, name: document, schema: ReplayResult.schemaName, ReplayResult.decode)
    }

    package static func write(
        _ result: ReplayResult, text: String, json: String, to directory: ResultDirectory
    ) throws {
        for (name, content) in zip(documents, [json, text, ReplayText.secondsTable(result)]) {
            try directory.write(Data(content.utf8), to: name)
        }
    }
}
