import ArgumentParser
import PrivateInformationRetrieval
import Workload

/// `urlfilter pir`: the database that devices ask under encryption.
struct PIR: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pir",
        abstract: "Process a keyword database and ask it under encryption.",
        subcommands: [Process.self, Inspect.self, Query.self])

    /// Apple's configuration file, with what its keys did not mean.
    struct ConfigurationFile {
        let path: String
        let configuration: ProcessConfiguration
        let unknownKeys: [String]

        /// - Parameter path: `-` for standard input.
        init(path: String) throws {
            self.path = path
            let bytes = try InputBytes.read(path, limit: ProcessConfiguration.maximumByteCount)
            do {
                (configuration, unknownKeys) = try ProcessConfiguration.read(json: bytes)
            } catch {
                throw UnusableInput(path, error)
            }
            for key in unknownKeys {
                Terminal.note("\(path): key '\(key)' means nothing here; it is ignored")
            }
        }
    }
}

/// A small input file as a whole.
enum InputBytes {
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - limit: One chunk too many is read, which is enough to be refused.
    static func read(_ path: String, limit: Int) throws -> [UInt8] {
        let source = try ByteSource(path: path)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: ByteSource.chunkSize)
        while bytes.count <= limit {
            let count = try chunk.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }
}
