import Foundation

extension WorkManifest {
    /// Folders of files that the work reads and that are not in the sweep directory, sorted; of one inside another only
    /// the outer one.
    package var inputFolders: [String] {
        get throws {
            let files = try ticket().inputs.keys
            let folders = Set(
                files.map { URL(fileURLWithPath: $0).standardizedFileURL.deletingLastPathComponent().path }
            ).filter { !Self.is($0, in: folder) }
            return folders.filter { one in !folders.contains { $0 != one && Self.is(one, in: $0) } }.sorted()
        }
    }

    private static func `is`(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder + "/")
    }
}
