import ArgumentParser
import CommandSupport
import LiveStack
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import Workload

/// Data that a PIR server serves.
struct ServedData: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Block list in any format that 'bloom build' reads; processed in memory.", valueName: "list"))
    var list: String?

    @Option(
        help: ArgumentHelp(
            "Instead: service-config.json of Apple's example server, with files of 'pir process'.",
            valueName: "file"))
    var config: String?

    @OptionGroup var listOptions: ListOptions

    @Option(help: "Name that devices ask for: bundle identifier, then .url.filtering.")
    var usecase = PIRDatabase.usecaseName

    @Option(help: "Encryption parameters.")
    var rlweParameters = PIRDatabase.defaultParameters

    @OptionGroup var insecure: InsecureOption

    @Option(help: "Shards, a power of two. Default: 50,000 entries per shard.")
    var shards: Int?

    @Option(help: "Decides in which of its buckets an entry stands; no answer depends on it.")
    var seed: UInt64 = 0

    func validate() throws {
        if (list == nil) == (config == nil) { throw ValidationError("give either --list or --config") }
        try NumberOption.requireShardCount(shards, "--shards")
        try insecure.require([rlweParameters])
    }

    var file: String? { config ?? list }

    @Sendable func load() throws -> LiveData {
        if let config { return try ServiceFile.load(config) }
        guard let path = list else { throw ValidationError("give either --list or --config") }
        let entries = try listOptions.read(path).list.removingDuplicates().list
        return try LiveData(
            list: entries, usecase: usecase, rlweParameters: rlweParameters, shardCount: shards, seed: seed)
    }
}

/// Apple's `service-config.json`.
enum ServiceFile {
    /// - Parameter withDatabase: False reads only the users.
    static func load(_ path: String, withDatabase: Bool = true) throws -> LiveData {
        do {
            let bytes = try ConfigurationInput.read(path, limit: ServiceConfiguration.maximumByteCount)
            let (configuration, unknownKeys) = try ServiceConfiguration.read(json: Array(bytes))
            for key in unknownKeys {
                Terminal.note("\(path): \(key)")
            }
            return try LiveData(configuration, withDatabase: withDatabase)
        } catch let error as ProcessConfigurationError {
            throw UnusableInput(path, error)
        } catch let error as UserTokenError {
            throw UnusableInput(path, error)
        }
    }
}
