package import Experiment
import FleetModel
package import URLFilter
package import Workload

/// Treatment of one URL by a device, for each generation of rules: the result of `urlfilter explain`.
///
/// As JSON it is the document `urlfilter.explain/1`. Keys are added, never renamed, within a version. What is
/// unknown is absent: `hit` without a prefilter, `listed` without a list, `verdict` when a hit would have to be
/// asked for and there is no list.
package struct Explanation: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.explain/1"

    /// The source of the prefilter, and its shape.
    package struct Prefilter: Codable, Hashable, Sendable {
        /// Absent: built in memory from the list.
        package var file: String?
        package var bitCount: UInt32
        package var hashCount: UInt32
        package var murmurSeed: UInt32

        package init(file: String?, parameters: BloomParameters) {
            self.file = file
            bitCount = parameters.bitCount
            hashCount = parameters.hashCount
            murmurSeed = parameters.murmurSeed
        }
    }

    package struct List: Codable, Hashable, Sendable {
        package var file: String
        package var keys: KeyPolicy
        package var entries: Int

        package init(file: String, keys: KeyPolicy, entries: Int) {
            self.file = file
            self.keys = keys
            self.entries = entries
        }
    }

    package struct LookupString: Codable, Hashable, Sendable {
        package var string: String
        /// Whether the prefilter has it, perhaps falsely.
        package var hit: Bool?
        /// Whether it is an entry of the list.
        package var listed: Bool?

        package var isFalseHit: Bool { hit == true && listed == false }
        /// Whether it is in the list and not in the prefilter: the two do not belong together, and no device
        /// asks for it.
        package var isMissed: Bool { hit == false && listed == true }
    }

    /// Fate of the URL under one generation of rules.
    package struct Outcome: Codable, Hashable, Sendable {
        package var rules: RulesGeneration
        /// Strings to look up, in the order in which the rules make them.
        package var lookupStrings: [LookupString]
        /// The hits, which go to the PIR server together; one query each.
        package var batch: [String]
        package var falseHits: [String]
        /// `allowedByPrefilter`, `allowedByServer` or `blockedByServer`.
        package var verdict: String?
        /// The entries that block, in the order of the batch.
        package var because: [String]
        /// An entry that cannot match under the rules and plainly means this URL, which is allowed for that reason.
        package var unmatchable: String?

        package var blocks: Bool { verdict == Verdict.blockedByServer.rawValue }
    }

    package var schema = Self.schemaName
    package var url: String
    /// Form that a browser gives ``url`` before a filter sees it; absent where that is the same.
    package var readAs: String?
    package var prefilter: Prefilter?
    package var list: List?
    package var outcomes: [Outcome]

    /// - Parameters:
    ///   - filter: Nil: nothing is known about hits.
    ///   - index: Nil: nothing is known about the list.
    package init(
        url: String, generations: [RulesGeneration], filter: BloomFilter? = nil, prefilter: Prefilter? = nil,
        index: BlockListIndex? = nil, list: List? = nil
    ) throws(URLParsingError) {
        self.url = url
        let browser = try BrowserURL(url)
        readAs = browser.isChanged ? browser.text : nil
        let url = browser.text
        self.prefilter = prefilter
        self.list = list
        outcomes = []
        var buffer = LookupStringBuffer()
        var unmatchable: [RulesGeneration: UnmatchableEntries] = [:]
        for generation in generations {
            try buffer.expand(url, rules: generation.rules)
            var outcome = Outcome(generation, buffer, filter: filter, index: index)
            if let index, !outcome.blocks {
                let entries =
                    unmatchable[generation.system]
                    ?? UnmatchableEntries(index.list, rules: generation.rules)
                unmatchable[generation.system] = entries
                var url = url
                outcome.unmatchable = url.withUTF8(entries.meaning).map(index.list.string(at:))
            }
            outcomes.append(outcome)
        }
    }
}

extension Explanation.Outcome {
    fileprivate init(
        _ generation: RulesGeneration, _ buffer: LookupStringBuffer, filter: BloomFilter?,
        index: BlockListIndex?
    ) {
        rules = generation
        lookupStrings = (0..<buffer.count).map { position in
            Explanation.LookupString(
                string: buffer.string(at: position),
                hit: filter.map { filter in buffer.withString(at: position) { filter.mayContain($0) } },
                listed: index.map { index in buffer.withString(at: position) { index.contains($0) } })
        }
        let hits = lookupStrings.filter { $0.hit == true }
        batch = hits.map(\.string)
        falseHits = hits.filter(\.isFalseHit).map(\.string)
        because = hits.filter { $0.listed == true }.map(\.string)
        if filter == nil {
            verdict = nil
        } else if hits.isEmpty {
            verdict = Verdict.allowedByPrefilter.rawValue
        } else if index != nil {
            verdict = Verdict(anyListed: !because.isEmpty).rawValue
        }
    }
}
