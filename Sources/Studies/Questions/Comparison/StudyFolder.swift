import Decoding
import Foundation

/// A folder of scenarios that are compared together.
package enum StudyFolder {
    /// The scenarios of a folder, by name.
    ///
    /// - Returns: `nil` if the path is no folder, or a folder that a run wrote.
    package static func scenarios(in path: String) throws(StudyFolderError) -> [String]? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue,
            !FileManager.default.fileExists(atPath: path + "/summary.json")
        else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let scenarios = names.filter { $0.hasSuffix(".yaml") }.sorted()
        guard !scenarios.isEmpty else { throw .empty(path) }
        return scenarios.map { path + "/" + $0 }
    }
}

package enum StudyFolderError: InputFault, Equatable, CustomStringConvertible {
    case empty(String)

    package var description: String {
        switch self {
        case .empty(let path): "\(path): holds no scenario; a study needs at least one file *.yaml"
        }
    }
}
