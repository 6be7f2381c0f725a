import DeviceFleet
import Experiment
import Foundation
import Report
import Workload

/// What a replay leaves in a directory: `replay.json`, `replay.txt`, `seconds.csv`.
enum ReplayFiles {
    private static let document = "replay.json"

    /// - Parameter path: A directory, or its `replay.json`.
    /// - Returns: `nil` if a replay has left nothing there.
    static func read(path: String) throws -> ReplayResult? {
        guard ResultFile.isThere(path: path, name: document) else { return nil }
        return try ResultFile.read(
            path: path, name: document, schema: ReplayResult.schemaName, ReplayResult.decode)
    }

    static func write(_ result: ReplayResult, text: String, json: String, to directory: String) throws {
        let folder = URL(fileURLWithPath: directory)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, content) in [
                (document, json), ("replay.txt", text), ("seconds.csv", ReplayText.secondsTable(result)),
            ] {
                try Data(content.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
            }
        } catch {
            throw InputError.unwritable(path: directory, reason: error.localizedDescription)
        }
    }
}
