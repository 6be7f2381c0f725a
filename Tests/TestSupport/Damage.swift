/// Damaged copies of a message, the same ones in every run.
package enum Damage {
    /// Every proper prefix.
    package static func truncations(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        (0..<bytes.count).lazy.map { Array(bytes.prefix($0)) }
    }

    /// Copies with one to four bytes changed, removed or inserted.
    package static func mutations(of bytes: [UInt8], count: Int, seed: UInt64) -> [[UInt8]] {
        var random = SplitMix(seed: seed)
        return (0..<count).map { _ in
            var copy = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let byte = UInt8.random(in: .min ... .max, using: &random)
                switch UInt8.random(in: 0..<4, using: &random) {
                case 0 where !copy.isEmpty: copy.remove(at: .random(in: copy.indices, using: &random))
                case 1: copy.insert(byte, at: .random(in: 0...copy.count, using: &random))
                case _ where !copy.isEmpty: copy[.random(in: copy.indices, using: &random)] = byte
                default: copy.append(byte)
                }
            }
            return copy
        }
    }
}
