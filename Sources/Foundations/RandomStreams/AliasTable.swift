/// Draws indices with given weights in constant time.
///
/// Walker's alias method, built as Vose described it (doi:10.1109/32.92917):
/// every index keeps a share of its own column and lends the rest to one other.
@usableFromInline
package struct AliasTable: Sendable {
    /// Largest number of weights accepted: the table takes 16 bytes for each.
    package static let maximumCount = 1 << 28

    @usableFromInline
    struct Column: Sendable {
        /// The column answers with itself below this 64-bit fraction.
        @usableFromInline var threshold: UInt64
        @usableFromInline var alias: UInt32

        @usableFromInline
        init(threshold: UInt64, alias: UInt32) {
            self.threshold = threshold
            self.alias = alias
        }
    }

    @usableFromInline let columns: [Column]

    /// Number of weights.
    package var count: Int { columns.count }

    /// - Parameter weights: Finite, not negative, not all zero; any scale.
    package init(weights: [Double]) throws(DistributionError) {
        guard !weights.isEmpty else { throw .noValues }
        guard weights.count <= Self.maximumCount else {
            throw .tooMany(parameter: "weights", count: weights.count, maximum: Self.maximumCount)
        }
        var largest = 0.0
        for (index, weight) in weights.enumerated() {
            guard weight >= 0, weight.isFinite else {
                throw .outOfRange(parameter: "weights[\(index)]", value: weight, allowed: "at least 0")
            }
            largest = max(largest, weight)
        }
        guard largest > 0 else { throw .allZero(parameter: "weights") }
        columns = Self.columns(scaledFrom: weights, largest: largest)
    }

    /// An index of the weights. Takes one number of the stream.
    @inlinable
    package func sample(using stream: inout RandomStream) -> Int {
        // The high word picks the column, the low word is the place inside it.
        let (high, low) = stream.next().multipliedFullWidth(by: UInt64(columns.count))
        let index = Int(high)
        let column = columns[index]
        return low < column.threshold ? index : Int(column.alias)
    }

    private static func columns(scaledFrom weights: [Double], largest: Double) -> [Column] {
        // Dividing by the largest first keeps the sum finite for any weights.
        let total = weights.reduce(0) { $0 + $1 / largest }
        let scale = Double(weights.count) / total
        var shares = weights.map { $0 / largest * scale }
        var columns = (0..<UInt32(weights.count)).map { Column(threshold: .max, alias: $0) }
        var small = shares.indices.filter { shares[$0] < 1 }
        var large = shares.indices.filter { shares[$0] >= 1 }
        while let poor = small.popLast(), let rich = large.last {
            columns[poor] = Column(
                threshold: UInt64(max(0, shares[poor]) * 0x1p64), alias: UInt32(rich))
            shares[rich] -= 1 - shares[poor]
            if shares[rich] < 1 {
                large.removeLast()
                small.append(rich)
            }
        }
        return columns
    }
}
