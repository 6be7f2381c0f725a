import DeviceFleet
import Foundation
import Report
import Workload

/// What a replay leaves in a directory: `replay.json`, `replay.txt`, `seconds.csv`.
enum ReplayFiles {
    static func write(_ result: ReplayResult, text: String, json: String, to directory: String) throws {
        let folder = URL(fileURLWithPath: directory)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, content) in [
                ("replay.json", json), ("replay.txt", text), ("seconds.csv", ReplayText.secondsTable(result)),
            ] {
                try Data(content.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
            }
        } catch {
            throw InputError.unwritable(path: directory, reason: error.localizedDescription)
        }
    }
}
