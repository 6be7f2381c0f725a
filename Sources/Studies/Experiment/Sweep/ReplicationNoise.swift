/// Noise that replications add to the differences between points.
package enum ReplicationNoise {
    /// - Parameter values: By point, then by replication.
    /// - Returns: The share of the variance between the points' means that chance alone would leave; `nil` without two
    ///   points and two replications, or where points are alike. What a replication does to all points alike, as with
    ///   the same random numbers, is not in it.
    package static func share(_ values: [[Double]]) -> Double? {
        guard let count = values.map(\.count).min(), count > 1, values.count > 1 else { return nil }
        let points = values.map { $0.prefix(count).reduce(0, +) / Double(count) }
        let all = points.reduce(0, +) / Double(points.count)
        let between = points.reduce(0) { $0 + ($1 - all) * ($1 - all) } / Double(points.count - 1)
        guard between > 0 else { return nil }
        var rest = 0.0
        for replication in 0..<count {
            let mean = values.reduce(0) { $0 + $1[replication] } / Double(values.count)
            for (point, row) in values.enumerated() {
                let residual = row[replication] - points[point] - mean + all
                rest += residual * residual
            }
        }
        let freedom = Double((values.count - 1) * (count - 1))
        return min(1, rest / freedom / Double(count) / between)
    }
}
