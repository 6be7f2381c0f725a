extension Duration {
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// Whole nanoseconds. What does not fit, which is more than two centuries, becomes the largest number.
    package var nanoseconds: Int64 {
        let (nanoseconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : nanoseconds + components.attoseconds / 1_000_000_000
    }
}
