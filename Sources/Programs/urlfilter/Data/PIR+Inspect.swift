import ArgumentParser
import CommandSupport
import Decoding
import Foundation
import HomomorphicEncryption
import ListAnalysis
import PrivateInformationRetrieval
import Report
import Workload

extension PIR {
    /// `urlfilter pir inspect`: what processed files hold, and what asking them costs.
    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Show dimensions, load, headroom, noise and message sizes of processed files.",
            discussion: """
                FILE is a processing configuration (JSON; all shards it names are read), a
                processed database, or a parameter file. The parameters of url-0.bin are
                looked for in url-0.params.txtpb, unless --parameters names them. Files that
                are given together must belong to one usecase.

                Load is the used share of the buckets' bytes. 'room for' counts rows with
                random keywords that were added until one found no place; beyond that the
                parameters have to change, and clients fetch a new configuration. Noise is
                the smallest budget, in bits, of --trials queries for rows of the shard.

                Examples:
                  urlfilter pir inspect url-config.json
                  urlfilter pir inspect url-0.bin --trials 20 --json

                --json prints one document, schema urlfilter.pir-inspect/1.
                """.flowing)

        @Argument(help: ArgumentHelp("Configuration, processed database or parameters.", valueName: "file"))
        var files: [String]

        @Option(help: ArgumentHelp("Parameters of the one database that is given.", valueName: "file"))
        var parameters: String?

        @Option(help: "Test queries per database, 0 to 10000.")
        var trials = 1

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func validate() throws {
            if files.isEmpty { throw ValidationError("name a file") }
            try NumberOption.require(trials, "--trials", in: 0...10_000)
            if parameters != nil, files.count != 1 {
                throw ValidationError("--parameters goes with one database")
            }
        }

        func run() throws {
            let shards = try files.flatMap(shardFiles)
            let progress = ProgressLine(isQuiet: false)
            var inspector = ShardInspector(trials: trials)
            for (number, shard) in shards.enumerated() {
                progress.show("shard \(number + 1)/\(shards.count)")
                try PIRInputError.naming(
                    database: shard.database ?? shard.parameters, parameters: shard.parameters
                ) { try inspector.inspect(shard) }
            }
            progress.finish()
            let inspection = try PIRInputError.naming(
                database: shards[0].parameters, parameters: shards[0].parameters
            ) { try inspector.finish() }
            try Terminal.print(
                json ? JSONText.render(inspection) : PIRInspectionText.render(inspection))
        }

        /// The shards that a file on the command line stands for.
        private func shardFiles(_ path: String) throws -> [ShardFile] {
            switch try FileKind(path: path) {
            case .configuration:
                let configuration = try ConfigurationFile(path: path).configuration
                var shards: [ShardFile] = []
                repeat {
                    shards.append(ShardFile(configuration, shard: shards.count))
                } while PIRExchange.hasShard(shards.count, configuration)
                return shards
            case .parameters: return [ShardFile(database: nil, parameters: path)]
            case .database:
                return [
                    ShardFile(database: path, parameters: try parameters ?? Self.parametersFile(of: path))
                ]
            }
        }

        private static func parametersFile(of database: String) throws -> String {
            var stem = database
            if let dot = stem.lastIndex(of: "."), !stem[dot...].contains("/") { stem = String(stem[..<dot]) }
            let names = [".params.txtpb", ".params.binpb", ".params.pb"].map { stem + $0 }
            guard let name = names.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
                throw UnusableInput(
                    database, "there is no \(names[0]) beside it; name its parameters with --parameters")
            }
            return name
        }
    }
}

/// The files of one shard.
struct ShardFile {
    /// Nil if only the parameters are looked at.
    let database: String?
    let parameters: String
}

extension ShardFile {
    init(_ configuration: ProcessConfiguration, shard: Int) {
        self.init(
            database: ProcessConfiguration.path(configuration.outputDatabase, shard: shard),
            parameters: ProcessConfiguration.path(configuration.outputPirParameters, shard: shard))
    }
}

/// Kind of a file, by its first byte: text that is JSON, a processed database of version 1, or a message.
private enum FileKind {
    case configuration, database, parameters

    init(path: String) throws {
        let start = try InputBytes.read(path, limit: 0).prefix(64)
        let first = start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch first {
        case UInt8(ascii: "{"): self = .configuration
        // A message starts with the tag of a field, which is above 7.
        case 1: self = .database
        default: self = .parameters
        }
    }
}

/// Reads shards one after another and gathers what `pir inspect` shows.
private struct ShardInspector {
    let trials: Int
    private var shards: [PIRInspection.Shard] = []
    private var parameters: [PIRParameters] = []
    private var context: BFVContext?
    private var generator = SystemRandomNumberGenerator()

    init(trials: Int) { self.trials = trials }

    mutating func inspect(_ file: ShardFile) throws {
        let parameters = try PIRParameters(
            MessageFile.read(WirePirParameters.self, path: file.parameters))
        if context?.parameters != parameters.encryption {
            context = try BFVContext(parameters: parameters.encryption)
        }
        var shard = PIRInspection.Shard(parametersFile: file.parameters, parameters: parameters)
        if let database = file.database {
            let stored = try StoredShard(
                databasePath: database, parametersPath: file.parameters, context: context)
            shard.databaseFile = database
            shard.contents = PIRInspection.Contents(
                stored, headroom: stored.headroom(using: &generator))
            if trials > 0, stored.rowCount > 0 {
                let server = try PIRShardServer(
                    databasePath: database, parametersPath: file.parameters, context: context)
                let result = try stored.trials(trials, server: server, using: &generator)
                shard.trials = result.count
                shard.smallestNoiseBudget = result.smallestNoiseBudget.flatMap { $0.isFinite ? $0 : nil }
            }
        }
        shards.append(shard)
        self.parameters.append(parameters)
    }

    func finish() throws -> PIRInspection {
        let configuration = try PIRConfiguration(shards: parameters)
        guard let key = EvaluationKeyConfiguration.union(parameters.map(\.evaluationKey)) else {
            throw PIRError.differentParameters
        }
        return try PIRInspection(
            parameters: parameters,
            messages: MessageSizes(configuration: configuration, evaluationKey: key, context: context),
            shards: shards)
    }
}
