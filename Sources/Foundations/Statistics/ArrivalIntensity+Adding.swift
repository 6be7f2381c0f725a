extension ArrivalIntensity {
    /// Returns the same units with so many times another stream beside their own; what would be below 0 is 0.
    ///
    /// Blocks and dispersions stay. Each error moves as the amount that it is of, and each replication as the mean day.
    ///
    /// - Parameters:
    ///   - other: Of as many units. Times of the day that it was not seen at have the rate of another day of it at that
    ///     time, and else its mean rate.
    ///   - factor: Below 0 to take a part of it away.
    package func adding(_ other: ArrivalIntensity, times factor: Double) -> ArrivalIntensity {
        var sum = self
        sum.blocks = blocks.map { block in
            var changed = block
            let more = other.rate(in: block.start..<block.start + block.seconds) * Double(block.seconds)
            changed.amount = max(0, block.amount + factor * more)
            if block.amount > 0 { changed.standardError *= changed.amount / block.amount }
            return changed
        }
        let ratio = total > 0 ? sum.total / total : 1
        sum.totals = totals.map { $0 * ratio }
        sum.unitVariance *= ratio * ratio
        return sum
    }

    private static let day = 86_400

    /// Mean amount a second between two seconds of the clock.
    private func rate(in seconds: Range<Int>) -> Double {
        for shift in [0, Self.day, -Self.day] {
            let wanted = seconds.lowerBound + shift..<seconds.upperBound + shift
            let parts = blocks.map { block in
                (block.rate, wanted.clamped(to: block.start..<block.start + block.seconds).count)
            }
            let seen = parts.reduce(0) { $0 + $1.1 }
            if seen > 0 { return parts.reduce(0) { $0 + $1.0 * Double($1.1) } / Double(seen) }
        }
        let seen = blocks.reduce(0) { $0 + $1.seconds }
        return seen > 0 ? total / Double(seen) : 0
    }
}
