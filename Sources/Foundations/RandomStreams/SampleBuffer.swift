import RingKernels

/// The values of one distribution from one stream, drawn some at a time.
///
/// They are the very values that ``Distribution/sample(using:)`` would return
/// one after the other, but several are under way at once, and a value that
/// waits ready does not hold up the program. It takes half a kilobyte: meant
/// for the few streams from which much is drawn, not for one per device.
///
///     var gaps = SampleBuffer(.exponential(mean: 0.01), from: stream)
///     agenda.schedule(.arrival, after: .seconds(gaps.next()))
@usableFromInline
package struct SampleBuffer: Sendable {
    package let distribution: Distribution
    @usableFromInline var values = [Double](repeating: 0, count: 64)
    @usableFromInline var taken = 64
    private var stream: RandomStream

    /// - Parameter stream: Read on from where it is.
    package init(_ distribution: Distribution, from stream: RandomStream) {
        self.distribution = distribution
        self.stream = stream
    }

    @inlinable
    package mutating func next() -> Double {
        if taken == values.count { refill() }
        let value = values[taken]
        taken &+= 1
        return value
    }

    @usableFromInline
    mutating func refill() {
        taken = 0
        guard case .exponential(let mean) = distribution else {
            for index in values.indices { values[index] = distribution.sample(using: &stream) }
            return
        }
        var source = stream
        values.withUnsafeMutableBufferPointer { buffer in
            // Two loops, so that nothing in the second waits for the first.
            source.fillUniform(buffer)
            NegativeLogarithm.replace(buffer, times: mean)
        }
        stream = source
    }
}

extension RandomStream {
    private static let instructionSet = rk_best_instruction_set()

    /// Fills a buffer with what ``uniform()`` would return.
    mutating func fillUniform(_ buffer: UnsafeMutableBufferPointer<Double>) {
        guard !buffer.isEmpty else { return }
        // Whole blocks at once, and what is left at the ends one by one.
        let first = drawn.isMultiple(of: 2) ? 0 : 1
        let blocks = (buffer.count - first) / 2
        if first == 1 { buffer[0] = uniform() }
        rk_random_uniforms(
            Self.instructionSet, buffer.baseAddress.map { $0 + first }, blocks, drawn / 2, entity, purpose,
            key)
        drawn &+= 2 * UInt64(blocks)
        for index in first + 2 * blocks..<buffer.count { buffer[index] = uniform() }
    }
}
