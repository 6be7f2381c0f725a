package import Foundation

/// A file in the folder `Vectors` of the tests of a module; a README beside it names the sources.
package enum VectorFile {
    struct Missing: Error {
        let name: String
    }

    /// - Parameter bundle: `.module` of the tests.
    package static func data(_ name: String, in bundle: Bundle) throws -> Data {
        guard let url = bundle.url(forResource: "Vectors/\(name)", withExtension: nil) else {
            throw Missing(name: name)
        }
        return try Data(contentsOf: url)
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type, from name: String, in bundle: Bundle,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        return try decoder.decode(type, from: data(name, in: bundle))
    }
}
