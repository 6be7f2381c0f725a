import Synchronization
import URLFilter
import Workload

/// A trace after its URLs were tested: who loads what when, 16 bytes per record.
///
/// Replaying it takes a few nanoseconds per URL that misses the prefilter.
struct CompiledTrace: Sendable {
    struct Record: Sendable, BitwiseCopyable {
        /// Time as in the trace, nanoseconds since 1970.
        var time: Int64
        /// Number of the client, in order of appearance.
        var client: UInt32
        /// Below ``CompiledTrace/firstHit`` the number of lookup strings of a URL that is nothing but counted, else the
        /// place of its outcome in ``CompiledTrace/outcomes``.
        var outcome: UInt32
    }

    static let firstHit = UInt32(LookupStringBuffer.maximumCount) + 1

    var records: [Record] = []
    /// The different outcomes of URLs that hit or are meant.
    var outcomes: [URLOutcome] = []
}

/// Turns trace records into compiled ones. Memory grows with clients and with distinct URLs that hit.
struct TraceCompiler {
    private let catalog: URLCatalog
    private var clients: [String: UInt32] = [:]
    private var places: [[HitKey]: UInt32] = [:]
    private(set) var outcomes: [URLOutcome] = []
    private var buffer = LookupStringBuffer()

    init(_ catalog: URLCatalog) { self.catalog = catalog }

    mutating func compile(_ record: TraceRecord) -> CompiledTrace.Record {
        let client = clients[record.client] ?? UInt32(clients.count)
        if client == clients.count { clients[record.client] = client }
        let outcome = catalog.outcome(ofURL: Array(record.url.utf8), buffer: &buffer)
        return CompiledTrace.Record(time: record.time, client: client, outcome: number(of: outcome))
    }

    private mutating func number(of outcome: URLOutcome) -> UInt32 {
        guard outcome.goesOn else { return UInt32(outcome.stringCount) }
        // The strings of equal batches may differ in number, because the strings that miss do.
        let name =
            outcome.keys + [HitKey(digest: UInt64(outcome.stringCount) << 1, isListed: outcome.isMeant)]
        if let known = places[name] { return known }
        let number = CompiledTrace.firstHit + UInt32(outcomes.count)
        outcomes.append(outcome)
        places[name] = number
        return number
    }
}

/// The compiled forms of one trace, by catalog, for all replications that replay it.
///
/// A trace of more than ``maximumRecords`` records is not kept: every replication reads its file again.
package final class TraceCache: Sendable {
    /// 256 MB.
    package static let maximumRecords = 1 << 24

    private let maximumRecords: Int
    /// Trace as known for a catalog, for as long as that lives: a later one may stand at the same address.
    private struct Known {
        weak var catalog: URLCatalog?
        var trace: CompiledTrace?
    }

    private let known = Mutex<[Known]>([])

    package init(maximumRecords: Int = TraceCache.maximumRecords) { self.maximumRecords = maximumRecords }

    /// Reads the whole trace unless that was done before. One thread at a time.
    ///
    /// - Returns: `nil` for a trace that is too long to be kept.
    func trace(
        for catalog: URLCatalog, open: () throws -> TraceReader
    ) throws -> CompiledTrace? {
        try known.withLock { known in
            known.removeAll { $0.catalog == nil }
            if let found = known.first(where: { $0.catalog === catalog }) { return found.trace }
            let trace = try read(catalog, try open())
            known.append(Known(catalog: catalog, trace: trace))
            return trace
        }
    }

    private func read(_ catalog: URLCatalog, _ reader: TraceReader) throws -> CompiledTrace? {
        var compiler = TraceCompiler(catalog)
        var trace = CompiledTrace()
        while let record = try reader.next() {
            guard trace.records.count < maximumRecords else { return nil }
            trace.records.append(compiler.compile(record))
        }
        trace.outcomes = compiler.outcomes
        return trace
    }
}
