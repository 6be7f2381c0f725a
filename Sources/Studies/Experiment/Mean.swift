extension Collection<Double> {
    /// The sum over the count; `nil` of nothing. Its interval over replications is that of ``Interval``.
    package var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
