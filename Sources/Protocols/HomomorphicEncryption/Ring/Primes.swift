/// Whether a number is prime: Miller-Rabin with bases that decide every 64-bit number.
package func isPrime(_ candidate: UInt64) -> Bool {
    let bases: [UInt64] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    guard candidate > 37 else { return bases.contains(candidate) }
    guard bases.allSatisfy({ candidate % $0 != 0 }) else { return false }
    let shift = (candidate - 1).trailingZeroBitCount
    let odd = (candidate - 1) >> UInt64(shift)
    func multiply(_ x: UInt64, _ y: UInt64) -> UInt64 {
        candidate.dividingFullWidth(x.multipliedFullWidth(by: y)).remainder
    }
    return bases.allSatisfy { base in
        var power: UInt64 = 1
        var square = base
        var rest = odd
        while rest > 0 {
            if rest & 1 == 1 { power = multiply(power, square) }
            square = multiply(square, square)
            rest >>= 1
        }
        if power == 1 || power == candidate - 1 { return true }
        for _ in 1..<max(shift, 1) {
            power = multiply(power, power)
            if power == candidate - 1 { return true }
        }
        return false
    }
}

/// Distinct primes congruent to 1 modulo `2 * degree`, one per bit count.
///
/// As in article "Homomorphic encryption", section "Prime search": upwards from 2^(b-1) + 1 if small primes are
/// preferred, else downwards from 2^b - 2N + 1; a prime taken for an earlier entry of the list is skipped.
///
/// - Parameter bitCounts: Each in `3...62`, large enough that the range holds a prime.
package func primes(bitCounts: [Int], degree: Int, preferringSmall: Bool) -> [UInt64] {
    let step = UInt64(2 * degree)
    var found: [UInt64] = []
    for bitCount in bitCounts {
        let lowest = UInt64(1) << UInt64(bitCount - 1)
        var candidate = preferringSmall ? lowest + 1 : 2 * lowest - step + 1
        while !isPrime(candidate) || found.contains(candidate) {
            precondition(
                preferringSmall ? candidate < 2 * lowest : candidate > lowest + step,
                "no further prime of \(bitCount) bits for degree \(degree)")
            candidate = preferringSmall ? candidate + step : candidate - step
        }
        found.append(candidate)
    }
    return found
}
