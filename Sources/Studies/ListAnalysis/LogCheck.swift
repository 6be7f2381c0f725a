package import Experiment
import FleetModel
import URLFilter
import Wording
package import Workload

/// Which requests of a log a block list would have blocked, and by which entries. As JSON `urlfilter.check/1`.
///
/// By the list itself, without a prefilter: what is blocked in the end, whatever false hits cost on the way.
package struct LogCheck: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.check/1"

    /// Requests and clients under one generation of rules.
    package struct Share: Codable, Hashable, Sendable {
        package var rules: RulesGeneration
        package var blockedRequests: Int
        /// Clients with at least one blocked request.
        package var blockedClients: Int
        /// Requests that an entry plainly means and cannot match.
        package var lostRequests: Int
    }

    /// Why an entry deserves a look before it goes live.
    package struct Doubt: Codable, Hashable, Sendable {
        package enum Kind: String, Codable, Sendable {
            /// It means requests of the log and lets them through, because it is written in a way that no device makes.
            case cannotMatch
            /// A name without a path that blocks many hosts: perhaps a network of servers that many sites use.
            case manyHosts
            /// A large part of all clients meets it.
            case popular
            /// The list names single pages of the host too, which this entry makes pointless.
            case pathsOfTheSameHost
            /// Some generations of rules never make this string.
            case notOnEveryOS
        }

        package var kind: Kind
        package var message: String
    }

    package struct Entry: Codable, Hashable, Sendable {
        package var entry: String
        /// Blocked, under the generation that blocks most.
        package var requests: Int
        /// Meant and let through, under the generation that loses most.
        package var lostRequests: Int
        package var clients: Int
        package var hosts: Int
        /// Generations that block any of them.
        package var rules: [RulesGeneration]
        /// First URLs that it blocked.
        package var examples: [String]
        package var doubts: [Doubt]
    }

    package var schema = Self.schemaName
    package var logs: [String]
    package var list: String
    package var listEntries: Int
    package var requests: Int
    package var clients: Int
    /// Requests whose URL no device could expand.
    package var unreadable: Int
    /// Requests of which the log has the host and not the path, so that entries with a path cannot be seen to block.
    package var hostsOnly: Int
    package var shares: [Share]
    /// Entries that mean something in the log: those that let it through first, then those with doubts, then by
    /// requests.
    package var entries: [Entry]
}

/// Counts what a list blocks, record by record, in memory that the length of the log does not decide.
package struct LogChecker {
    /// Distinct values that are counted exactly per entry; beyond it the count is good to 2 %.
    private static let exactCount = 4096
    /// Distinct URLs whose answer is remembered. Further ones are looked up again.
    private static let rememberedURLs = 250_000
    private static let exampleCount = 3
    /// Hosts, from so many of which on a name without a path covers many.
    private static let manyHosts = 10
    /// The share of at least so many clients, from which on an entry is popular.
    private static let popular = (share: 0.2, clients: 5)

    private struct Tally {
        var requests: [Int]
        var lost: [Int]
        var clients = DistinctCounter(exactUpTo: LogChecker.exactCount)
        var hosts = DistinctCounter(exactUpTo: LogChecker.exactCount)
        var examples: [String] = []
    }

    /// An entry that means a URL, by the bits of the generations.
    private struct Block: Hashable {
        var position: Int
        /// It blocks the URL.
        var generations: UInt8 = 0
        /// It cannot match.
        var lost: UInt8 = 0
    }

    private let index: BlockListIndex
    private let generations: [RulesGeneration]
    /// Entries that cannot match, by generation.
    private let unmatchable: [UnmatchableEntries]
    /// Lookups in the list, by generation.
    private var lookups: [ListedURLs]
    private var known: [String: [Block]?] = [:]
    private var tallies: [Int: Tally] = [:]
    private var blockedRequests: [Int]
    private var lostRequests: [Int]
    private var blockedClients: [DistinctCounter]
    private var clients = DistinctCounter(exactUpTo: 1 << 20)
    private var requests = 0
    private var unreadable = 0

    /// - Parameter generations: At least one, at most eight.
    package init(_ index: BlockListIndex, generations: [RulesGeneration]) {
        self.index = index
        self.generations = generations
        lookups = generations.map { ListedURLs(index, rules: $0.rules) }
        unmatchable = generations.map { UnmatchableEntries(index.list, rules: $0.rules) }
        lostRequests = Array(repeating: 0, count: generations.count)
        blockedRequests = Array(repeating: 0, count: generations.count)
        blockedClients = Array(repeating: DistinctCounter(exactUpTo: 1 << 20), count: generations.count)
    }

    package mutating func add(_ record: TraceRecord) {
        requests += 1
        clients.add(record.client)
        guard let blocks = blocks(of: record.url) else { return unreadable += 1 }
        guard !blocks.isEmpty else { return }
        let host = String(AddressParts(record.url).host, radix: 16)
        let none = Array(repeating: 0, count: generations.count)
        var (blocked, lost): (UInt8, UInt8) = (0, 0)
        for block in blocks {
            blocked |= block.generations
            lost |= block.lost
            var tally = tallies.removeValue(forKey: block.position) ?? Tally(requests: none, lost: none)
            for bit in generations.indices {
                tally.requests[bit] += Int(block.generations >> bit & 1)
                tally.lost[bit] += Int(block.lost >> bit & 1)
            }
            tally.clients.add(record.client)
            tally.hosts.add(host)
            if tally.examples.count < Self.exampleCount, !tally.examples.contains(record.url) {
                tally.examples.append(record.url)
            }
            tallies[block.position] = tally
        }
        for bit in generations.indices {
            lostRequests[bit] += Int(lost >> bit & 1)
            guard blocked >> bit & 1 == 1 else { continue }
            blockedRequests[bit] += 1
            blockedClients[bit].add(record.client)
        }
    }

    /// - Returns: `nil` for a URL that cannot be expanded.
    private mutating func blocks(of url: String) -> [Block]? {
        if let blocks = known[url] { return blocks }
        let blocks = look(up: url)
        if known.count < Self.rememberedURLs { known[url] = .some(blocks) }
        return blocks
    }

    private mutating func look(up url: String) -> [Block]? {
        var blocks: [Block] = []
        func place(of position: Int) -> Int {
            if let place = blocks.firstIndex(where: { $0.position == position }) { return place }
            blocks.append(Block(position: position))
            return blocks.count - 1
        }
        for bit in generations.indices {
            guard let entries = lookups[bit].entries(matching: url) else { return nil }
            for position in entries { blocks[place(of: position)].generations |= 1 << bit }
            guard entries.isEmpty else { continue }
            var url = url
            if let position = url.withUTF8({ unmatchable[bit].meaning($0) }) {
                blocks[place(of: position)].lost |= 1 << bit
            }
        }
        return blocks
    }

    package func result(logs: [String], list: String, hostsOnly: Int = 0) -> LogCheck {
        let pathCounts = pathCounts()
        let entries = tallies.map { position, tally in
            entry(index.list.string(at: position), tally, pathCounts)
        }
        return LogCheck(
            logs: logs, list: list, listEntries: index.list.count, requests: requests, clients: clients.count,
            unreadable: unreadable, hostsOnly: hostsOnly,
            shares: generations.indices.map { bit in
                LogCheck.Share(
                    rules: generations[bit], blockedRequests: blockedRequests[bit],
                    blockedClients: blockedClients[bit].count, lostRequests: lostRequests[bit])
            },
            entries: entries.sorted {
                ($0.lostRequests, $0.doubts.count, $0.requests, $1.entry)
                    > ($1.lostRequests, $1.doubts.count, $1.requests, $0.entry)
            })
    }

    /// How many entries with a path the list has for each host that is blocked as a whole.
    private func pathCounts() -> [String: Int] {
        var counts: [String: Int] = [:]
        for position in tallies.keys {
            let entry = index.list.string(at: position)
            if !entry.contains("/") { counts[entry] = 0 }
        }
        guard !counts.isEmpty else { return [:] }
        index.list.forEachEntry { entry in
            guard let slash = entry.indices.first(where: { entry[$0] == UInt8(ascii: "/") }),
                slash + 1 < entry.count
            else { return }
            let host = entry.extracting(0..<slash).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            }
            if counts[host] != nil { counts[host, default: 0] += 1 }
        }
        return counts
    }

    private func entry(_ text: String, _ tally: Tally, _ pathCounts: [String: Int]) -> LogCheck.Entry {
        let rules = generations.indices.filter { tally.requests[$0] > 0 }.map { generations[$0] }
        var doubts: [LogCheck.Doubt] = []
        func doubt(_ kind: LogCheck.Doubt.Kind, _ message: String) {
            doubts.append(.init(kind: kind, message: message))
        }
        let losing = generations.indices.filter { tally.lost[$0] > 0 }
        if let first = losing.first {
            doubt(.cannotMatch, "\(title(losing)) it cannot match: \(obstacle(of: text, generations[first]))")
        }
        let hosts = tally.hosts.count
        if !text.contains("/"), hosts >= Self.manyHosts {
            doubt(.manyHosts, "covers \(Format.count(hosts)) hosts of the log")
        }
        let share = Double(tally.clients.count) / Double(max(clients.count, 1))
        if share >= Self.popular.share, tally.clients.count >= Self.popular.clients {
            doubt(.popular, "\(Format.share(share)) of all clients meet it")
        }
        if let count = pathCounts[text], count > 0 {
            doubt(
                .pathsOfTheSameHost,
                "the list also names \(Format.count(count)) pages of it: were only those meant?")
        }
        if rules.count < generations.count, losing.isEmpty {
            doubt(.notOnEveryOS, "blocks on \(rules.map(\.title).joined(separator: ", ")) only")
        }
        return LogCheck.Entry(
            entry: text, requests: tally.requests.max() ?? 0, lostRequests: tally.lost.max() ?? 0,
            clients: tally.clients.count, hosts: hosts,
            rules: rules, examples: tally.examples, doubts: doubts)
    }

    private func title(_ places: [Int]) -> String {
        places.count == generations.count
            ? "" : "on \(places.map { generations[$0].title }.joined(separator: ", "))"
    }

    private func obstacle(of entry: String, _ generation: RulesGeneration) -> String {
        var linter = EntryLinter(rules: generation.rules)
        var entry = entry
        return entry.withUTF8 { linter.obstacle(of: $0) }.map { "\($0.cause)" }
            ?? "no device makes this string"
    }
}
