import Decoding
import PrivateInformationRetrieval
package import URLFilter
import Workload

/// An input file that cannot be used, and why: exit code 65.
///
/// For errors that do not name their file themselves.
package struct UnusableInput: InputFault, CustomStringConvertible {
    package let file: String
    package let reason: String

    package init(_ file: String, _ reason: some CustomStringConvertible) {
        self.file = file
        self.reason = reason.description
    }

    package var description: String { "\(file): \(reason)" }
}

extension PrefilterFile {
    /// - Parameter path: A property list; `-` for standard input.
    package static func read(input path: String) throws -> PrefilterFile {
        let limit = maximumFileSize
        let data = try InputBytes.read(path, limit: limit)
        guard data.count <= limit else { throw InputError.tooLarge(name: path, limit: limit) }
        do {
            return try PrefilterFile(propertyList: data)
        } catch {
            throw UnusableInput(path, error)
        }
    }
}
