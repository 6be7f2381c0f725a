package import Foundation
import URLFilter
import Workload

/// A configuration file of JSON, in which each key may stand once: of two values nobody says which one counts.
package enum ConfigurationInput {
    /// - Throws: ``UnusableInput`` for a key that is there twice.
    package static func read(_ path: String, limit: Int) throws -> Data {
        let bytes = try InputBytes.read(path, limit: limit)
        if let repeated = (try? ProfileDocument(bytes))?.repeatedKeys.first {
            throw UnusableInput(path, "\(repeated.path) \(repeated.message)")
        }
        return bytes
    }
}
