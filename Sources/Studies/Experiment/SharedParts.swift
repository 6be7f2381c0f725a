import FleetModel
import Synchronization
import URLFilter
import Workload

/// What the points of a sweep have in common, made once by whoever needs it first.
package final class SharedParts: Sendable {
    /// A block list as read, and its index.
    struct List: Sendable {
        /// What the list was read from, and how.
        var key: String
        var list: BlockList
        var report: ReadReport
        var index: BlockListIndex
        /// What the prefilter's size is chosen for; see ``KeyPolicy/countsDuplicates``.
        var itemCount: Int
    }

    /// A prefilter, and how many random strings hit it.
    struct Filter: Sendable {
        var filter: BloomFilter
        var stray: PrefilterBuilder.StrayHits
    }

    let lists = Once<List>()
    let filters = Once<Filter>()
    let unmatchable = Once<UnmatchableEntries>()
    private let keepsPages: Bool
    private let catalogs = Latest<[URLCatalog]>()
    private let webs = Once<SyntheticWeb>()

    /// - Parameter keepsPages: The points browse the same webs, most of them through the same prefilter as the point
    ///   before: what is known of pages is kept from point to point.
    package init(keepsPages: Bool = false) { self.keepsPages = keepsPages }

    func catalogs(_ key: String, _ make: () throws -> [URLCatalog]) throws -> [URLCatalog] {
        keepsPages ? try catalogs.value(key, make) : try make()
    }

    /// Replications whose web is kept: each has some 400 MB of known pages in a large fleet.
    private static let keptReplications: UInt32 = 2

    /// - Parameter key: Tells webs of a replication apart.
    func web(
        _ key: String, replication: UInt32, _ make: () throws -> SyntheticWeb
    ) throws -> SyntheticWeb {
        guard keepsPages, replication < Self.keptReplications else { return try make() }
        return try webs.value("\(replication) \(key)", make)
    }
}

/// The value that was asked for last, by key.
private final class Latest<Value: Sendable>: Sendable {
    private let last = Mutex<(key: String, value: Value)?>(nil)

    func value(_ key: String, _ make: () throws -> Value) throws -> Value {
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
final class Once<Value: Sendable>: Sendable {
    private final class Cell: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private let cells = Mutex<[String: Cell]>([:])

    func value(_ key: String, _ make: () throws -> Value) throws -> Value {
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
