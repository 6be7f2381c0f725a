import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Parties
import PrivateInformationRetrieval
import Questions
import Report
import Scenarios
import URLFilter
import Workload

extension Bloom {
    /// `urlfilter bloom tune`: which prefilter costs least, for a list, a trace and prices.
    struct Tune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tune",
            abstract: "Find the prefilter that costs least for your list, your traffic and your prices.",
            discussion: """
                Lists the plane bitCount x hashCount by theory, finds the optimum of the total
                cost, builds it and Apple's default with several hash seeds, and runs the
                trace through both: hits per string and per URL, lookups after the device's
                caches, servers for the busiest hour, and money per month.

                Money is what has to stand there: whole servers of gateway, issuer and PIR that
                carry the busiest hour at the target utilization, one of each to spare, their
                memory, what they send, and the prefilters that devices download, as often as
                the list changes and devices fetch. What harm is worth you may add.

                Beside chance, which is that of hash seeds, it says what nobody knows: whose
                machines answer, what part of the browsing asks, when apps start again. The
                closed forms are evaluated at 40 draws of these. --know NAME, --chance-only.

                Examples:
                  urlfilter bloom tune list.txt --trace access.log.gz --devices 20000
                  urlfilter bloom tune hosts.gz --trace visits.csv --prices small-hoster \\
                    --price-core-hour 0.03 --devices 2000000 --json
                  urlfilter bloom tune list.txt --trace visits.csv --republish 1h \\
                    --churn threat --price-waited-second 0.001
                  urlfilter bloom tune list.txt --trace visits.csv --shards 4,8,16
                  urlfilter bloom tune list.txt --trace visits.csv --rules iOS27=80%,iOS26=20%

                Without a trace: 'urlfilter trace generate' writes one of a browsing profile.
                --json prints one document, schema urlfilter.bloom-tune/2, with the whole plane.
                """.flowing)

        @Argument(help: ArgumentHelp("Block list.", valueName: "list"))
        var list: String

        @Option(help: "Trace of real requests; every format that 'run' reads.")
        var trace: String

        @OptionGroup var options: ListOptions

        @Option(
            help: ArgumentHelp(
                "How devices expand URLs: iOS26, documented or iOS27; or a mix of them, 'iOS27=80%,iOS26=20%'.",
                valueName: "rules"), transform: RulesMix.init(text:))
        var rules = RulesMix(.iOS27)

        @Option(
            help: ArgumentHelp(
                "Devices of the fleet, for example 2M; each behaves like the trace's average client. Default: its"
                    + " clients."),
            transform: CountOption.parse)
        var devices: Int?

        @Flag(help: "The trace holds all that its clients load in a day, however short it is.")
        var wholeDays = false

        @OptionGroup var money: PriceOptions

        @OptionGroup var costs: TuneCostOptions

        @Option(help: "Hash seeds that the optimum and Apple's default are built with, at least 2.")
        var seeds = 5

        @Option(
            help: ArgumentHelp(
                "Shard counts to compare, powers of two. Default: half, as many as and twice the usual.",
                valueName: "n,n"),
            transform: Self.shardCounts)
        var shards: [Int] = []

        @Option(
            help: ArgumentHelp(
                "Encryption parameters to compare; the first one is used for the tuning.",
                valueName: "name,name"
            ), transform: { $0.split(separator: ",").map(String.init) })
        var rlweParameters: [String] = [PIRDatabase.defaultParameters]

        @OptionGroup var insecure: InsecureOption

        @Option(
            help: "Cost profile of the first parameters; measured and written there if it does not exist."
        )
        var profile: String?

        @OptionGroup(title: "What nobody knows") var ignorance: IgnoranceOptions

        @OptionGroup var threads: ThreadsOption

        @OptionGroup var answer: AnswerOptions

        @Flag(help: "Print one JSON document instead of text.")
        var json = false

        @Flag(name: .shortAndLong, help: "No progress on standard error.")
        var quiet = false

        func validate() throws {
            try answer.require(json: json)
            guard trace != "-" || rules.parts.count == 1 else {
                throw ValidationError("--trace: standard input is read once; a mix of --rules needs a file")
            }
            try NumberOption.require(seeds, "--seeds", in: 2...1000)
            try NumberOption.require(devices, "--devices", in: 1...1_000_000_000)
            guard !rlweParameters.isEmpty else { throw ValidationError("--rlwe-parameters names no set") }
            try insecure.require(rlweParameters)
        }

        func run() async throws {
            let progress = ProgressLine(isQuiet: quiet)
            let (entries, _) = try options.read(list, removingDuplicates: true)
            let index = BlockListIndex(entries)
            var traffic: [(share: Double, traffic: TuningTraffic)] = []
            for part in rules.parts {
                progress.show("reading \(trace)")
                let reader = try TraceReader(path: trace, isReadAgain: rules.parts.count > 1)
                traffic.append(
                    (
                        part.share,
                        try TuningTraffic(
                            reader, list: index, rules: part.generation.rules, countsWholeDays: wholeDays)
                    ))
                progress.finish()
                if !quiet, traffic.count == 1 { Terminal.note("\(reader.report)") }
            }
            let (costProfile, _) = try ProfileCache.profile(
                of: ProfileSubject(entries, rlweParameters: rlweParameters[0], shardCount: nil), file: profile
            ) { progress.show($0) }
            let prices = try money.prices(over: Prices.Preset.largeCloud.prices, costs.prices)
            var cost = try TuningCost(
                devices: devices ?? traffic[0].traffic.clientCount, editions: costs.editions, prices: prices,
                lookup: TuningCost.Lookup(costProfile),
                servers: .init(
                    coresPerInstance: costs.cores, keys: costs.keyPlace ?? .stored, costProfile),
                waiting: costs.waiting)
            var sources = costs.sources.merging(prices.sources) { own, _ in own }
            let known = traffic[0].traffic.meanDay
            cost.meanDay = costs.meanDay ?? known ?? 1
            sources["meanDay"] =
                costs.meanDay != nil
                ? "given"
                : known != nil ? "the trace's weekdays" : "assumption: the trace's days are mean days"
            sources["devices"] = devices == nil ? "the trace's clients" : "given"
            let assumptions = try assumptions(of: cost)
            let tuner = PrefilterTuner(list: entries, traffic: traffic, cost: cost)
            let named = [
                (name: "optimum", design: try tuner.optimum()),
                (name: "Apple's default", design: try tuner.appleDefault()),
            ]
            let total = named.count * seeds
            let observed = try await tuner.observe(
                named.map(\.design), seeds: seeds, confidence: Self.confidence,
                threads: threads.count
            ) { progress.show("built and run \($0) of \(total) prefilters") }
            let databases = try databases(of: entries, tuner: tuner, optimum: named[0].design, progress)
            progress.finish()
            var result = try tuner.result(
                .init(list: list, keys: options.keys, trace: trace, rules: rules.description),
                sources: sources, choices: named,
                observed: observed, databases: databases, confidence: Self.confidence)
            if !ignorance.chanceOnly {
                result.plausibility = try TuningPlausibility(
                    result, tuner, assumptions, points: ignorance.plausible, confidence: Self.confidence)
            }
            try answer.show(Document(result), result, json: json)
        }

        /// - Throws: `ScenarioError` for a word of `--know` that is no assumption of a tuning.
        private func assumptions(of cost: TuningCost) throws -> [TuningPlausibility.Assumption] {
            let all = TuningPlausibility.Assumption.all(
                cost, told: costs.told.union(profile == nil ? [] : ["machine"]))
            let left = Set(try all.map(\.input).without(ignorance.known).map(\.name))
            return all.filter { left.contains($0.input.name) }
        }

        private static let confidence = 0.95

        private func databases(
            of entries: BlockList, tuner: PrefilterTuner, optimum: PrefilterTuner.Design,
            _ progress: ProgressLine
        ) throws -> [TuningResult.Database] {
            let usual = try DatabaseChoice.usualShardCount(entries: entries.count)
            let counts = shards.isEmpty ? Set([max(1, usual / 2), usual, usual * 2]).sorted() : shards
            return try rlweParameters.flatMap { parameters in
                try counts.map { count in
                    progress.show("measuring \(parameters) with \(count) shards")
                    let (profile, _) = try ProfileCache.profile(
                        of: ProfileSubject(entries, rlweParameters: parameters, shardCount: count), file: nil
                    ) { _ in }
                    return try DatabaseChoice.result(profile, tuner: tuner, design: optimum)
                }
            }
        }

        private static func shardCounts(_ text: String) throws -> [Int] {
            try text.split(separator: ",").map { part in
                guard let count = Int(part) else { throw ValidationError("'\(part)' is no number") }
                try NumberOption.requireShardCount(count, "--shards")
                return count
            }
        }
    }
}
