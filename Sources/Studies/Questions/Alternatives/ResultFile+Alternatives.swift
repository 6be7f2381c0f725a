import Experiment

extension ResultFile {
    /// The other mechanisms beside a result.
    ///
    /// - Returns: `nil` when nobody asked for them.
    package static func alternatives(path: String) throws -> AlternativesResult? {
        let (folder, name) = (folder(of: path), ResultDirectory.alternatives)
        guard isThere(path: folder, name: name) else { return nil }
        return try read(
            path: folder, name: name, schema: AlternativesResult.schema, AlternativesResult.decode)
    }
}
