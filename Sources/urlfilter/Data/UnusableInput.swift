import Decoding
import PrivateInformationRetrieval
import URLFilter

/// An input file that cannot be used, and why: exit code 65.
///
/// For errors that do not name their file themselves.
struct UnusableInput: InputFault, CustomStringConvertible {
    let file: String
    let reason: String

    init(_ file: String, _ reason: some CustomStringConvertible) {
        self.file = file
        self.reason = reason.description
    }

    var description: String { "\(file): \(reason)" }
}

extension PrefilterFile {
    /// - Parameter path: A property list; `-` for standard input.
    static func read(input path: String) throws -> PrefilterFile {
        do {
            return try read(path: path == "-" ? "/dev/stdin" : path)
        } catch PrefilterFileError.unreadable {
            throw UnusableInput(path, "there is no such file, or it cannot be read")
        } catch {
            throw UnusableInput(path, error)
        }
    }
}
