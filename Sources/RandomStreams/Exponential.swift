extension RandomStream {
    /// An exponentially distributed number. Takes one number of the stream.
    ///
    /// By inversion: a larger uniform number gives a smaller result, which
    /// keeps compared designs in step. For many draws from one stream use
    /// ``SampleBuffer``.
    ///
    /// - Parameter mean: In the unit of the result.
    package mutating func exponential(mean: Double) -> Double {
        mean * NegativeLogarithm.of(uniform())
    }
}
