package import FleetModel
import URLFilter
import Workload

/// Mechanism that filters instead of the URL filter, as a scenario says it: everything but the list.
package struct MechanismSettings: Sendable {
    /// Fate of an entry with a path where only hosts are seen.
    package enum PathEntries: String, CaseIterable, Sendable {
        /// It blocks its whole host.
        case blockHost
        /// It blocks nothing.
        case ignore
    }

    /// How an entry of a rule list is looked for.
    package enum Matching: String, CaseIterable, Sendable {
        /// Search as the URL filter does it.
        case entry
        /// Search anywhere in the URL.
        case substring
    }

    package var configuration: MechanismConfiguration
    package var matching = Matching.entry
    /// Share of loads that it sees, and the hours of the day outside of which it sees none.
    package var coverage: Double
    package var coveredHours: Range<Double>?
    package var pathEntries: PathEntries
    /// Entries that it takes, the first ones of the list; `nil` for all.
    package var entryLimit: Int?
    /// Bytes an entry takes in what devices fetch.
    package var bytesPerEntry: Int

    /// Servers whose number the scenario leaves open are as many as are bought.
    mutating func size(by prices: Prices) {
        configuration.servers?.targetUtilization = prices.targetUtilization
        configuration.servers?.spareInstances = prices.spareInstances
    }

    /// The configuration for a list.
    ///
    /// - Parameters:
    ///   - hosts: See ``HostEntries``.
    func configuration(for list: BlockList, hosts: HostEntries) -> MechanismConfiguration {
        var configuration = configuration
        if let entryLimit, list.count > entryLimit {
            configuration.urls = ListedStrings((0..<entryLimit).lazy.map { Array(list[$0]) })
        }
        if matching == .substring { configuration.parts = ListedStrings(parts(of: list)) }
        if configuration.urlShare < 1 {
            let entries = pathEntries == .blockHost ? hosts.all : hosts.entries
            configuration.hosts = ListedStrings((0..<entries.count).lazy.map { Array(entries[$0]) })
        }
        return configuration
    }
}

extension MechanismSettings {
    /// Strings that it looks for anywhere in a URL: the entries that it takes, in lower case without `www.`
    /// in front.
    func parts(of list: BlockList) -> [[UInt8]] {
        (0..<min(list.count, entryLimit ?? .max)).map { position in
            let entry = Array(list[position]).map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
            return entry.starts(with: "www.".utf8) ? Array(entry.dropFirst(4)) : entry
        }
    }
}

/// The hosts of a block list, as the expansion of a URL writes them: in lower case, without `www.` in front.
struct HostEntries: Sendable {
    /// Hosts of all entries.
    let all: BlockList
    /// Hosts of the entries that are nothing else.
    let entries: BlockList
    /// The list, and the hosts that are not on it: what a filter has to know to find every URL that any of them names.
    let union: BlockList

    init(_ list: BlockList) {
        var (known, knownEntries) = (Set<[UInt8]>(), Set<[UInt8]>())
        var (all, entries, union) = (BlockList(), BlockList(), list)
        let index = BlockListIndex(list)
        for position in 0..<list.count {
            let (host, isHost) = Self.host(of: Array(list[position]))
            guard !host.isEmpty else { continue }
            if isHost, knownEntries.insert(host).inserted { entries.append(host.span) }
            guard known.insert(host).inserted else { continue }
            all.append(host.span)
            let isListed = host.withUnsafeBufferPointer { index.contains($0) }
            if !isListed { union.append(host.span) }
        }
        (self.all, self.entries, self.union) = (all, entries, union)
    }

    /// - Returns: Also whether the entry is no more than that.
    private static func host(of entry: [UInt8]) -> (host: [UInt8], isAll: Bool) {
        var rest = entry.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }[...]
        if let scheme = rest.firstRange(of: Array("://".utf8)) { rest = rest[scheme.upperBound...] }
        let end = rest.firstIndex { [0x2F, 0x3F, 0x23, 0x3A].contains($0) } ?? rest.endIndex
        let isAll = end == rest.endIndex || rest[end...].elementsEqual([0x2F])
        var host = rest[..<end]
        if host.starts(with: "www.".utf8) { host = host.dropFirst(4) }
        return (Array(host), isAll)
    }
}
