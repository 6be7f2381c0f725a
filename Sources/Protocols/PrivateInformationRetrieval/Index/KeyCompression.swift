/// How many Galois elements an evaluation key carries.
///
/// Fewer elements make a smaller upload and a slower server, because missing elements are replaced by applying
/// others several times. Source: article "PIR protocol", section "Evaluation key contents".
package enum KeyCompression: String, CaseIterable, Hashable, Sendable {
    case none = "noCompression"
    case hybrid = "hybridCompression"
    case maximum = "maxCompression"

    /// The Galois elements that expanding a query needs, ascending.
    ///
    /// - Parameters:
    ///   - expandedCount: Ciphertexts a query expands to, over all indices. At least 2: with 1 there is nothing
    ///     to expand and no element to name.
    ///   - degree: N.
    package func galoisElements(expandedCount: Int, degree: Int) throws(PIRError) -> [UInt32] {
        let logDegree = degree.ceilLog2
        let depth = min(expandedCount, degree).ceilLog2
        guard depth >= 1 else { throw .queryTooShort(expandedCount) }
        let low = logDegree - depth + 1
        let high = self == .none ? logDegree : max(low, (logDegree + 2) / 2)
        var exponents = Array(low...high)
        if self == .hybrid {
            let extra = max(high, (logDegree + high + 1) / 2)
            if !exponents.contains(extra) { exponents.append(extra) }
        }
        return exponents.map { (1 << UInt32($0)) + 1 }
    }
}
