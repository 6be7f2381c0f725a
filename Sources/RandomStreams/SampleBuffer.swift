/// The values of one distribution from one stream, drawn some at a time.
///
/// They are the very values that ``Distribution/sample(using:)`` would return
/// one after the other, but a draw that waits ready does not hold up the
/// program; measured, an exponential one costs a fifth. It takes half a kilobyte: meant for the few
/// streams from which much is drawn, not for one per device.
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
        if case .exponential(let mean) = distribution {
            stream.fill(&values) { mean * NegativeLogarithm.of($0) }
        } else {
            for index in values.indices { values[index] = distribution.sample(using: &stream) }
        }
    }
}

extension RandomStream {
    /// Fills an array with functions of the next uniform numbers.
    @inline(__always)
    mutating func fill(_ values: inout [Double], _ transform: (Double) -> Double) {
        values.withUnsafeMutableBufferPointer { buffer in
            // Two loops, so that nothing in the second waits for the first.
            fillUniform(buffer)
            for index in buffer.indices { buffer[index] = transform(buffer[index]) }
        }
    }

    private mutating func fillUniform(_ buffer: UnsafeMutableBufferPointer<Double>) {
        var index = 0
        if !drawn.isMultiple(of: 2), !buffer.isEmpty {
            buffer[0] = uniform()
            index = 1
        }
        while index + 8 <= buffer.count {
            let (first, second) = Philox.fourBlocks(at: drawn / 2, (entity, purpose), key: key)
            for lane in 0..<4 {
                buffer[index + 2 * lane] = Self.uniform(first[lane])
                buffer[index + 2 * lane + 1] = Self.uniform(second[lane])
            }
            drawn &+= 8
            index += 8
        }
        while index < buffer.count {
            buffer[index] = uniform()
            index += 1
        }
    }
}
