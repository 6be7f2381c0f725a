import EventSimulation
import FleetModel
import Workload

/// Requests that found a core free at their server: where a request is not interrupted, they took what the work takes,
/// whatever came later.
///
/// What a request finds depends on those before it alone. So long ones are as likely among them as among all, while of
/// requests that meet no other one *until they end* the short ones are more likely.
struct FreeStarts: Sendable {
    struct Request: Sendable {
        let start: Int64
        let end: Int64
        let endpoint: LoggedEndpoint
    }

    /// A core is sure to be free with fewer others than this.
    private let limit: Int
    /// How exact times are, nanoseconds.
    private let resolution: Int64
    /// The latest ends, ascending: as many as matter.
    private var ends: [Int64] = []
    /// Requests that, as exact as times are, one that is yet to come may have been before; and others so far.
    private var undecided: [(request: Request, others: Int)] = []

    init(limit: Int, resolution: Int64) {
        self.limit = max(1, limit)
        self.resolution = resolution
    }

    /// A request that begins no earlier than those before it.
    ///
    /// - Parameter endpoint: `nil` for one that is only in the way of others.
    /// - Returns: Those before it that are now known to have found a core free.
    mutating func add(start: Int64, end: Int64, endpoint: LoggedEndpoint?) -> [Request] {
        let found = close(before: start)
        for place in undecided.indices { undecided[place].others += 1 }
        let limit = limit
        undecided.removeAll { $0.others >= limit }
        let others = ends.count - (ends.firstIndex { $0 > start - resolution } ?? ends.count)
        if let endpoint, others < limit {
            undecided.append((Request(start: start, end: end, endpoint: endpoint), others))
        }
        insert(end)
        return found
    }

    /// Those that the last requests leave.
    mutating func finish() -> [Request] { close(before: .max) }

    private mutating func close(before start: Int64) -> [Request] {
        let count = undecided.prefix { $0.request.start < start - resolution }.count
        guard count > 0 else { return [] }
        defer { undecided.removeFirst(count) }
        return undecided.prefix(count).map { $0.request }
    }

    private mutating func insert(_ end: Int64) {
        if ends.count == limit {
            guard let least = ends.first, end > least else { return }
            ends.removeFirst()
        }
        ends.insert(end, at: ends.firstIndex { $0 > end } ?? ends.count)
    }
}

extension StationConfiguration {
    /// A request is sure to find a core free with fewer others than this: cores of all instances where the balancer
    /// looks for the emptiest one, else those of one.
    var freeLimit: Int {
        switch balancing {
        case .pooled, .leastOutstanding: serverCount
        case .roundRobin, .random, .powerOfTwo, .stickyByUser: cores
        }
    }
}
