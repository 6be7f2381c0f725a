import Dispatch
import Foundation
import Synchronization

/// Applies something to every shard on several threads and keeps the order.
enum ShardWorkers {
    /// Memory that shards being processed at one time may take together, in bytes.
    private static let memoryLimit = 2 << 30

    /// Shards to be processed at one time.
    ///
    /// - Parameter shardByteCount: Memory that the largest shard takes while it is processed.
    static func width(parallel: Bool, shardByteCount: Int) -> Int {
        guard parallel else { return 1 }
        return max(1, min(ProcessInfo.processInfo.activeProcessorCount, memoryLimit / max(1, shardByteCount)))
    }

    /// After a failure no further shard is started, and the failure of the lowest shard is thrown.
    static func map<Result: Sendable>(
        count: Int, width: Int, _ body: @Sendable (Int) throws -> Result
    ) throws -> [Result] {
        let results = Mutex<[Int: Swift.Result<Result, any Error>]>([:])
        let failed = Atomic(false)
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: max(1, min(width, count))) { _ in
            while !failed.load(ordering: .relaxed) {
                let shard = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard shard < count else { return }
                let result = Swift.Result { try body(shard) }
                if case .failure = result { failed.store(true, ordering: .relaxed) }
                results.withLock { $0[shard] = result }
            }
        }
        return try results.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }
}
