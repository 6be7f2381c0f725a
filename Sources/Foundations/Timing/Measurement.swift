/// CPU time of one operation, repeated.
package struct Measurement: Codable, Sendable {
    /// Operation that was measured, as a path that sorts well: `bfv.multiply.n4096`.
    package let name: String

    /// CPU nanoseconds of the calling thread per operation, one number per repetition.
    package let nanoseconds: [Double]

    package init(name: String, nanoseconds: [Double]) {
        precondition(!nanoseconds.isEmpty, "a measurement has samples")
        self.name = name
        self.nanoseconds = nanoseconds
    }

    package var median: Double {
        let sorted = nanoseconds.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// Times `body` by the CPU clock of the calling thread, after one call that is not counted.
///
/// - Parameters:
///   - operations: Operations that one call of `body` performs.
///   - milliseconds: Least CPU time of a repetition; `body` is called as often as that takes.
package func measure(
    _ name: String, repetitions: Int = 5, operations: Int = 1, milliseconds: Double = 40,
    _ body: () throws -> Void
) rethrows -> Measurement {
    precondition(repetitions >= 3 && operations >= 1, "a median needs at least 3 repetitions")
    let once = max(1, try CPUClock.measure(body).nanoseconds)
    // The first call is cold, so a second estimate decides how many calls make a repetition.
    var calls = max(1, Int(milliseconds * 1e6 / 4 / Double(once)))
    let quarter = max(1, try CPUClock.measure { for _ in 0..<calls { try body() } }.nanoseconds)
    calls = max(1, Int(milliseconds * 1e6 * Double(calls) / Double(quarter)))
    let samples = try (0..<repetitions).map { _ in
        let total = try CPUClock.measure { for _ in 0..<calls { try body() } }.nanoseconds
        return Double(total) / Double(calls) / Double(operations)
    }
    return Measurement(name: name, nanoseconds: samples)
}
