import ArgumentParser
import CommandSupport
import Decoding
import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Report
import Timing
import Wording
import Workload

extension PIR {
    /// `urlfilter pir process`: what Apple's PIRProcessDatabase does.
    struct Process: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "process",
            abstract: "Process a keyword database into shards that a PIR server loads.",
            usage: "urlfilter pir process <config.json> [--update <directory>] [<options>]",
            discussion: """
                CONFIG is the JSON file of Apple's PIRProcessDatabase; paths in it are
                relative to the working directory. The same input, configuration and seed
                give the same files. inputDatabase may also be a block list (.txt, .list,
                .hosts, .csv), and may be compressed with gzip or Zstandard.

                A file appears when it is complete. After Ctrl-C (exit code 130), or a crash,
                the same command goes on where it stopped: finished shards are noted in a
                .journal file beside them.

                --update writes a new version of the database in a directory (which may be
                the output directory itself) and keeps all parameters, so that clients keep
                their configuration and keys; only shards with other rows are rewritten. When
                the new rows do not fit it says why, writes nothing and ends with exit code
                65; with --allow-new-parameters it then makes all shards anew.

                Example CONFIG:
                  {"databaseType": "keyword", "inputDatabase": "input.txtpb",
                   "outputDatabase": "url-SHARD_ID.bin",
                   "outputPirParameters": "url-SHARD_ID.params.txtpb",
                   "rlweParameters": "n_4096_logq_27_28_28_logt_5",
                   "sharding": {"entryCountPerShard": 50000}}
                "sharding": {"shardCount": 4} makes so many. Apple's tool requires databaseType
                on its main branch; here it may be left out.

                Examples:
                  urlfilter bloom build list.txt --pir-data input.txtpb
                  urlfilter pir process url-config.json
                  urlfilter pir process url-config.json --update .

                --json prints one document, schema urlfilter.pir-process/1.
                """.flowing)

        @Argument(help: ArgumentHelp("Configuration, JSON.", valueName: "config.json"))
        var config: String

        @Option(
            help: ArgumentHelp(
                "Keep the parameters of the processed database in this directory.", valueName: "directory"))
        var update: String?

        @Flag(help: "With --update: make all shards anew if the parameters cannot be kept.")
        var allowNewParameters = false

        @OptionGroup var insecure: InsecureOption

        @OptionGroup var keyOptions: KeyOptions

        @Flag(help: "Use a block list although half of it is of no use, or a tenth is lost.")
        var allowUnusable = false

        @Flag(help: "Make shards again that an earlier run finished.")
        var startOver = false

        @Flag(inversion: .prefixedNo, help: "Process shards on all cores.")
        var parallel = true

        @Option(help: "Decides in which of its buckets a keyword stands; no answer depends on it.")
        var seed: UInt64 = 0

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func validate() throws {
            if allowNewParameters, update == nil {
                throw ValidationError("--allow-new-parameters needs --update")
            }
            if startOver, update != nil { throw ValidationError("--start-over cannot be used with --update") }
        }

        func run() throws {
            let file = try ConfigurationFile(path: config)
            if let name = file.configuration.encryption.name {
                do {
                    try insecure.require([name])
                } catch {
                    throw UnusableInput(config, "rlweParameters: \(error.message)")
                }
            }
            try checkFiles(file)
            let journal = file.configuration.journalPath
            let lock = try OutputLock(path: journal + ".lock", for: file.configuration.outputDatabase)
            defer { lock.release() }
            let started = ContinuousClock.now
            let (summaries, parametersKept) = try PIRInputError.naming(file) { try process(file) }
            let summary = PIRProcessSummary(
                configuration: config, encryptionParameters: file.configuration.encryption.name ?? "unnamed",
                seed: seed, seconds: (ContinuousClock.now - started).seconds,
                unknownKeys: file.unknownKeys.map(\.path),
                previous: update, parametersKept: parametersKept, shards: summaries)
            try Terminal.print(json ? JSONText.render(summary) : PIRText.render(summary))
            noteLeftovers(file.configuration, shardCount: summaries.count)
        }

        private func checkFiles(_ file: ConfigurationFile) throws(FileConflict) {
            let configuration = file.configuration
            var files = FileRoles()
            try files.reads(file.path, as: "the configuration")
            try files.reads(configuration.inputDatabase, as: "inputDatabase")
            for (pattern, name) in [
                (configuration.outputDatabase, "outputDatabase"),
                (configuration.outputPirParameters, "outputPirParameters"),
            ] {
                // How many shards there will be is known when the rows are; what could be destroyed is there now.
                for path in ShardNames.present(pattern) + [ProcessConfiguration.path(pattern, shard: 0)] {
                    try files.writes(path, as: name)
                }
            }
            try files.writes(configuration.outputEvaluationKeyConfig, as: "outputEvaluationKeyConfig")
            try files.writes(configuration.journalPath, as: "the journal")
        }

        private func process(
            _ file: ConfigurationFile
        ) throws -> (summaries: [ShardSummary], parametersKept: Bool?) {
            let processor = try DatabaseProcessor(file.configuration, seed: seed)
            let progress = ShardProgress()
            let interrupts = InterruptHandler { _ in
                progress.finish()
                PartialFiles.remove(of: file.configuration)
                Terminal.note(
                    "interrupted: \(progress.finishedCount) shards are finished; the same command goes on there"
                )
                Interrupts.endNow()
            }
            defer {
                progress.finish()
                interrupts.cancel()
            }
            progress.note("reading \(file.configuration.inputDatabase)")
            let rows = try PIRRows.read(
                file.configuration.inputDatabase, keys: keyOptions.keys, allowingUnusable: allowUnusable)
            progress.note("\(Format.count(rows.count)) rows read")
            if let update {
                do {
                    let previous = PreviousDatabase(file.configuration, directory: update)
                    let summaries = try processor.update(
                        rows, previous: previous, parallel: parallel, progress: progress.show)
                    return (summaries, true)
                } catch let error as DatabaseUpdateError {
                    guard allowNewParameters, case .parametersWouldChange = error else { throw error }
                    progress.finish()
                    Terminal.note("\(error); all shards are made anew")
                }
            }
            let summaries = try processor.run(
                rows, parallel: parallel, startsOver: startOver, progress: progress.show)
            return (summaries, update == nil ? nil : false)
        }

        /// Servers, and `pir query`, find shards by counting files.
        private func noteLeftovers(_ configuration: ProcessConfiguration, shardCount: Int) {
            guard configuration.namesEveryShard else { return }
            let next = ProcessConfiguration.path(configuration.outputPirParameters, shard: shardCount)
            if FileManager.default.fileExists(atPath: next) {
                Terminal.note(
                    "\(next) is left from an earlier run with more shards; remove it, it would be counted")
            }
        }
    }
}

/// Files that are named after a pattern with a place for the shard's number.
private enum ShardNames {
    /// - Parameter suffix: Stands behind the pattern.
    /// - Returns: Paths of the files that are there.
    static func present(_ pattern: String, suffix: String = "") -> [String] {
        let url = URL(fileURLWithPath: pattern)
        let parts = url.lastPathComponent.components(separatedBy: ProcessConfiguration.shardPlaceholder)
        let folder = url.deletingLastPathComponent()
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path),
            let first = parts.first, let last = parts.last
        else { return [] }
        return names.filter { $0.hasPrefix(first) && $0.hasSuffix(last + suffix) }
            .map { folder.appendingPathComponent($0).path }
    }
}

/// Temporary files of shards that were being written when the process was interrupted.
private enum PartialFiles {
    private static let suffix = ".partial"

    static func remove(of configuration: ProcessConfiguration) {
        for pattern in [
            configuration.outputDatabase, configuration.outputPirParameters, configuration.journalPath,
        ] {
            for path in ShardNames.present(pattern, suffix: suffix) { unlink(path) }
        }
    }
}
