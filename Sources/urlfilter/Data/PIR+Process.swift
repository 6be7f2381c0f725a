import ArgumentParser
import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Report
import Synchronization

extension PIR {
    /// `urlfilter pir process`: what Apple's PIRProcessDatabase does.
    struct Process: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Process a keyword database into shards that a PIR server loads.",
            usage: "urlfilter pir process <config.json> [<options>]",
            discussion: """
                CONFIG is the JSON file of Apple's PIRProcessDatabase; paths in it are
                relative to the working directory. The same input, configuration and seed
                give the same files. A file appears when it is complete: Ctrl-C leaves the
                shards that are finished, and exit code 130.

                Example CONFIG:
                  {"inputDatabase": "input.txtpb", "outputDatabase": "url-SHARD_ID.bin",
                   "outputPirParameters": "url-SHARD_ID.params.txtpb",
                   "rlweParameters": "n_4096_logq_27_28_28_logt_5",
                   "sharding": {"entryCountPerShard": 50000}}

                Examples:
                  urlfilter bloom build list.txt --pir-data input.txtpb
                  urlfilter pir process url-config.json

                --json prints one document, schema urlfilter.pir-process/1.
                """)

        @Argument(help: ArgumentHelp("Configuration, JSON.", valueName: "config.json"))
        var config: String

        @Flag(inversion: .prefixedNo, help: "Process shards on all cores.")
        var parallel = true

        @Option(help: "Decides in which of its buckets a keyword stands; no answer depends on it.")
        var seed: UInt64 = 0

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        func run() throws {
            let file = try ConfigurationFile(path: config)
            let started = ContinuousClock.now
            let summaries = try PIRInputError.naming(file) { try process(file) }
            let summary = PIRProcessSummary(
                configuration: config, encryptionParameters: file.configuration.encryption.name ?? "unnamed",
                seed: seed, seconds: (ContinuousClock.now - started).seconds, unknownKeys: file.unknownKeys,
                shards: summaries)
            Terminal.print(json ? try JSONText.render(summary) : PIRText.render(summary))
            noteLeftovers(file.configuration, shardCount: summaries.count)
        }

        private func process(_ file: ConfigurationFile) throws -> [DatabaseProcessor.ShardSummary] {
            let processor = try DatabaseProcessor(file.configuration, seed: seed)
            let progress = ProgressLine(isQuiet: false)
            let finished = Mutex(0)
            let interrupts = InterruptHandler { _ in
                progress.finish()
                PartialFiles.remove(of: file.configuration)
                Terminal.note("interrupted: \(finished.withLock { $0 }) shards are finished and stay")
                _exit(ExitStatus.interrupted.rawValue)
            }
            defer { interrupts.cancel() }
            progress.show("reading \(file.configuration.inputDatabase)")
            let summaries = try processor.run(parallel: parallel) { state in
                switch state {
                case .rowsRead(let count):
                    progress.show("\(Format.count(count)) rows read")
                case .shardFinished(_, let total):
                    let count = finished.withLock { count in
                        count += 1
                        return count
                    }
                    progress.show("shard \(count)/\(total)")
                }
            }
            progress.finish()
            return summaries
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

/// Temporary files of shards that were being written when the process was interrupted.
private enum PartialFiles {
    private static let suffix = ".partial"

    static func remove(of configuration: ProcessConfiguration) {
        for pattern in [configuration.outputDatabase, configuration.outputPirParameters] {
            let url = URL(fileURLWithPath: pattern)
            let parts = url.lastPathComponent.components(separatedBy: ProcessConfiguration.shardPlaceholder)
            let folder = url.deletingLastPathComponent()
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path),
                let first = parts.first, let last = parts.last
            else { continue }
            for name in names where name.hasPrefix(first) && name.hasSuffix(last + suffix) {
                try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
