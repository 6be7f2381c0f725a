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
    /// Fills a buffer with what ``uniform()`` would return.
    mutating func fillUniform(_ buffer: UnsafeMutableBufferPointer<Double>) {
        var index = 0
        if !drawn.isMultiple(of: 2), !buffer.isEmpty {
            buffer[0] = uniform()
            index = 1
        }
        while index + 8 <= buffer.count {
            let (first, second) = Philox.fourBlocks(at: drawn / 2, (entity, purpose), key: key)
            let (even, odd) = (Self.uniform(first), Self.uniform(second))
            for lane in 0..<4 {
                buffer[index + 2 * lane] = even[lane]
                buffer[index + 2 * lane + 1] = odd[lane]
            }
            drawn &+= 8
            index += 8
        }
        while index < buffer.count {
            buffer[index] = uniform()
            index += 1
        }
    }

    /// Four numbers of the open interval (0, 1) from four times 64 bits.
    @inline(__always)
    private static func uniform(_ bits: SIMD4<UInt64>) -> SIMD4<Double> {
        let ones = SIMD4<UInt64>(repeating: 0x3FF0_0000_0000_0000)
        return unsafeBitCast(ones | bits &>> 12, to: SIMD4<Double>.self) - (1 - 0x1p-53)
    }
}
