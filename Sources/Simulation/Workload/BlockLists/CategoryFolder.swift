import Foundation

/// A category of the lists of the Université Toulouse Capitole: a folder with the files `domains`, `urls` and
/// `expressions`.
struct CategoryFolder {
    struct File {
        var path: String
        var isExpressions: Bool
    }

    let path: String
    let files: [File]

    /// - Returns: `nil` unless it is a folder with one of the first two.
    init?(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return nil
        }
        let folder = URL(filePath: path, directoryHint: .isDirectory)
        files = ["domains", "urls", "expressions"].compactMap { name in
            let file = folder.appending(path: name).path
            return FileManager.default.fileExists(atPath: file)
                ? File(path: file, isExpressions: name == "expressions") : nil
        }
        guard files.contains(where: { !$0.isExpressions }) else { return nil }
        self.path = path
    }
}
