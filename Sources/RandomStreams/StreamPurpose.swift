/// What a random stream is used for, for example "relay latency".
///
/// Each purpose is a stream of its own, so that a draw added for one purpose
/// leaves all the others as they were.
package struct StreamPurpose: Hashable, Sendable {
    /// FNV-1a hash of the name: 32 bits that do not depend on where in the
    /// program the purpose is declared.
    package let rawValue: UInt32

    package init(_ name: StaticString) {
        rawValue = name.withUTF8Buffer { bytes in
            bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
    }
}
