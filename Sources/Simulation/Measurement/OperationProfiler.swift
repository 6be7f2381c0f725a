import Timing

/// Measures every operation of device, gateway, issuer and PIR server by itself.
package enum OperationProfiler {
    /// One operation, ready to be repeated.
    struct Operation {
        var name: String
        var meaning: String
        /// Size of what it makes, if that is a message or a database.
        var bytes: Int?
        /// How many operations one call performs.
        var count = 1
        var body: () throws -> Void
    }

    private static let samplesPerPass = 15
    /// Least CPU time of a sample, nanoseconds: a thousand times what reading the clock takes.
    private static let leastSample: Int64 = 300_000

    /// Measures all operations twice, one pass after the other.
    ///
    /// - Parameters:
    ///   - entries: A block list; its prefilter is tested. At least one entry.
    ///   - shardSizes: Entries of the PIR shards that are processed and asked, each 1 or more.
    ///   - progress: Called before each operation with its name.
    package static func measure(
        entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String, shardSizes: [Int],
        progress: (String) -> Void
    ) throws -> OperationCosts {
        var operations = try deviceOperations(entries: entries.map { Array($0) })
        operations += try tokenOperations()
        for size in shardSizes {
            progress("processing a shard of \(size) entries")
            operations += try lookupOperations(entryCount: size, rlweParameters: rlweParameters)
        }
        var passes: [[[Double]]] = operations.map { _ in [] }
        for pass in 1...2 {
            for (number, operation) in operations.enumerated() {
                progress("pass \(pass) of 2: \(operation.name)")
                passes[number].append(try samples(of: operation))
            }
        }
        return OperationCosts(
            zip(operations, passes).map { operation, passes in
                OperationCost(
                    name: operation.name, meaning: operation.meaning, passes: passes, bytes: operation.bytes)
            })
    }

    /// CPU nanoseconds per operation, one number per sample; one call before is not counted.
    private static func samples(of operation: Operation) throws -> [Double] {
        try operation.body()
        let once = max(1, try CPUClock.measure(operation.body).nanoseconds)
        let calls = Int(max(1, leastSample / once))
        return try (0..<samplesPerPass).map { _ in
            let total = try CPUClock.measure { for _ in 0..<calls { try operation.body() } }.nanoseconds
            return Double(total) / Double(calls * operation.count)
        }
    }
}

/// An operation did not do what it is measured for.
package struct OperationFailed: Error, CustomStringConvertible {
    package let operation: String

    package var description: String {
        "'\(operation)' gave a wrong result while it was measured; this is a bug"
    }
}
