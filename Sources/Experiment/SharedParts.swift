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

    package init() {}
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
