/// A sum of element-wise products of rows that is reduced only when a word would overflow.
///
/// One word per coefficient for narrow moduli (256 products of 28-bit residues fit), two for wide ones.
///
/// A class because its words are scratch memory with one owner; it stays inside one operation.
package final class ProductSum {
    private let ring: RingModulus
    private let low: UnsafeMutablePointer<UInt64>
    /// Used for wide moduli only, else empty.
    private let high: UnsafeMutablePointer<UInt64>
    /// Products that fit before the next reduction.
    private let capacity: Int
    private var terms = 0

    package init(ring: RingModulus) {
        self.ring = ring
        let highCount = ring.arithmetic.isNarrow ? 0 : ring.degree
        low = .allocate(capacity: ring.degree)
        low.initialize(repeating: 0, count: ring.degree)
        high = .allocate(capacity: highCount)
        high.initialize(repeating: 0, count: highCount)
        // Two factors below 2^b each: 2^(64 - 2b) products fit one word, 2^(128 - 2b) two.
        let spareBits = (ring.arithmetic.isNarrow ? 64 : 128) - 2 * Int(ring.arithmetic.bitCount)
        capacity = 1 << min(spareBits, 30)
    }

    deinit {
        low.deallocate()
        high.deallocate()
    }

    /// Adds x·y.
    package func add(_ x: Row, _ y: Row) {
        precondition(x.count == ring.degree && y.count == ring.degree, "rows have \(ring.degree) residues")
        // A reduced sum counts as one product.
        if terms == capacity {
            reduceInPlace()
            terms = 1
        }
        terms += 1
        if ring.arithmetic.isNarrow {
            let mask: UInt64 = 0xffff_ffff
            for index in 0..<ring.degree { low[index] &+= (x[index] & mask) &* (y[index] & mask) }
        } else {
            for index in 0..<ring.degree {
                let product = x[index].multipliedFullWidth(by: y[index])
                let (sum, carry) = low[index].addingReportingOverflow(product.low)
                low[index] = sum
                high[index] &+= product.high &+ (carry ? 1 : 0)
            }
        }
    }

    /// Writes the reduced sum.
    package func store(into row: MutableRow) {
        let modulus = ring.arithmetic
        if modulus.isNarrow {
            for index in 0..<ring.degree { row[index] = modulus.reduce(low[index]) }
        } else {
            for index in 0..<ring.degree {
                row[index] = modulus.reduce(high: high[index], low: low[index])
            }
        }
    }

    private func reduceInPlace() {
        store(into: MutableRow(start: low, count: ring.degree))
        if !ring.arithmetic.isNarrow { high.update(repeating: 0, count: ring.degree) }
    }
}
