import Foundation
import Workload

/// The folder that was opened: nothing outside it is listed, shown or written.
///
/// What a scenario names is read as `urlfilter run` reads it, wherever it lies.
package struct OpenedFolder: Sendable {
    /// Absolute, without links.
    package let path: String

    package init(path: String) throws(OpenedFolderError) {
        guard let real = realPath(path) else { throw .missing(path) }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: real, isDirectory: &isDirectory), isDirectory.boolValue
        else { throw .missing(path) }
        self.path = real
    }

    /// The place of a file that a request names, or is about to write.
    ///
    /// - Parameter name: Relative to the folder.
    package func place(_ name: String) throws(OpenedFolderError) -> String {
        let steps = name.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = steps.allSatisfy { step in
            !step.isEmpty && step.first != "." && step.first != "-"
                && step.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
        guard isPlain, (1...16).contains(steps.count), name.utf8.count <= 1_024 else { throw .outside(name) }
        let full = path + "/" + name
        // A link on the way may lead anywhere: what exists of the way has to stay inside.
        var known = full
        while known.count > path.count {
            if let real = realPath(known) {
                guard real.hasPrefix(path == "/" ? "/" : path + "/") else { throw .outside(name) }
                return full
            }
            // A link to something that does not exist is no way to make it.
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: known)) != nil {
                throw .outside(name)
            }
            known = (known as NSString).deletingLastPathComponent
        }
        return full
    }
}

package enum OpenedFolderError: Error, Equatable, CustomStringConvertible {
    case missing(String)
    case outside(String)

    package var description: String {
        switch self {
        case .missing(let path): "\(path): there is no such folder"
        case .outside(let name):
            "\(name.prefix(80)): not a plain name in the folder that was opened"
        }
    }
}
