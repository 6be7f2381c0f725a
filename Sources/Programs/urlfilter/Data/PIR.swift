import ArgumentParser
import CommandSupport
import PrivateInformationRetrieval
import Workload

/// `urlfilter pir`: the database that devices ask under encryption.
struct PIR: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pir",
        abstract: "Process a keyword database and ask it under encryption.",
        subcommands: [Process.self, Inspect.self, Query.self, Compare.self])

    /// Apple's configuration file, with what its keys did not mean.
    struct ConfigurationFile {
        let path: String
        let configuration: ProcessConfiguration
        let unknownKeys: [UnknownKey]

        /// - Parameter path: `-` for standard input.
        init(path: String) throws {
            self.path = path
            let bytes = try ConfigurationInput.read(path, limit: ProcessConfiguration.maximumByteCount)
            do {
                (configuration, unknownKeys) = try ProcessConfiguration.read(json: Array(bytes))
            } catch {
                throw UnusableInput(path, error)
            }
            for key in unknownKeys {
                Terminal.note("\(path): \(key)")
            }
        }
    }
}
