import FleetModel
import Scenarios
import Synchronization
import URLFilter
package import Workload

/// Parts that the points of a sweep have in common, made once by whoever needs them first.
package final class SharedParts: Sendable {
    /// A block list as read, and its index.
    package struct List: Sendable {
        var key: ListKey
        package var list: BlockList
        var report: ReadReport
        var index: BlockListIndex
        /// Entries that the prefilter's size is chosen for; see ``KeyPolicy/countsDuplicates``.
        package var itemCount: Int
    }

    /// The file of a list, and how it is read.
    struct ListKey: Hashable, Sendable {
        var settings: BlockListSettings
        var isStrict: Bool
    }

    /// The parts of which a prefilter is made.
    struct FilterKey: Hashable, Sendable {
        var list: ListKey
        var settings: FilterSettings
        /// Entries, of which a mechanism may have more than the list: its hosts, too.
        var entryCount: Int
    }

    struct UnmatchableKey: Hashable, Sendable {
        var list: ListKey
        var system: RulesGeneration
    }

    /// The parts of which a catalog of URLs is made.
    struct CatalogKey: Hashable, Sendable {
        var filter: FilterKey
        /// The first entries of the list that are looked for anywhere in a URL; `nil` where none is.
        var substringCount: Int?
        /// The rules of each part of the groups of devices.
        var rules: [MatchingRules]
    }

    /// The numbers that a web is drawn from.
    struct WebKey: Hashable, Sendable {
        var list: ListKey
        var web: WebParameters
        var seed: UInt64
        var replication: UInt32
    }

    /// A prefilter, and how many random strings hit it.
    struct Filter: Sendable {
        var filter: BloomFilter
        var stray: PrefilterBuilder.StrayHits
    }

    let lists = Once<ListKey, List>()
    let filters = Once<FilterKey, Filter>()
    let unmatchable = Once<UnmatchableKey, UnmatchableEntries>()
    private let keepsPages: Bool
    private let catalogs = Latest<CatalogKey, [URLCatalog]>()
    private let webs = Once<WebKey, SyntheticWeb>()

    /// - Parameter keepsPages: The points browse the same webs, most of them through the same prefilter as the point
    ///   before: what is known of pages is kept from point to point.
    package init(keepsPages: Bool = false) { self.keepsPages = keepsPages }

    func catalogs(_ key: CatalogKey, _ make: () throws -> [URLCatalog]) throws -> [URLCatalog] {
        keepsPages ? try catalogs.value(key, make) : try make()
    }

    /// Replications whose web is kept: each has some 400 MB of known pages in a large fleet.
    private static let keptReplications: UInt32 = 2

    func web(_ key: WebKey, _ make: () throws -> SyntheticWeb) throws -> SyntheticWeb {
        guard keepsPages, key.replication < Self.keptReplications else { return try make() }
        return try webs.value(key, make)
    }
}

/// The value that was asked for last, by key.
private final class Latest<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let last = Mutex<(key: Key, value: Value)?>(nil)

    func value(_ key: Key, _ make: () throws -> Value) throws -> Value {
        try last.withLock { last in
            if let last, last.key == key { return last.value }
            last = nil
            let value = try make()
            last = (key, value)
            return value
        }
    }
}

/// Values by key, each made once; others that ask for the same key wait for it.
final class Once<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Cell: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private let cells = Mutex<[Key: Cell]>([:])

    func value(_ key: Key, _ make: () throws -> Value) throws -> Value {
        let cell = cells.withLock { cells in
            let cell = cells[key] ?? Cell()
            cells[key] = cell
            return cell
        }
        return try cell.value.withLock { value in
            if let value { return value }
            let made = try make()
            value = made
            return made
        }
    }
}
