import Foundation
package import NIOCore

/// Whose a connection is, as far as an address tells: what one customer of a provider gets.
///
/// /24 of IPv4, as the smallest block that is routed; /56 of IPv6, which is what a home gets (RFC 6177, BCP 157).
package struct PeerNetwork: Hashable, Sendable {
    /// A network in CIDR notation, such as `17.0.0.0/8`.
    package struct Block: Hashable, Sendable {
        fileprivate let bytes: [UInt8]
        fileprivate let bitCount: Int

        /// - Returns: Nil for what is none.
        package init?(_ text: String) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let bytes = [UInt8](address: String(first)) else { return nil }
            let count = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
            guard let count, (0...bytes.count * 8).contains(count) else { return nil }
            self.bytes = bytes
            bitCount = count
        }

        func contains(_ other: [UInt8]) -> Bool {
            bytes.count == other.count && bytes.keepingFront(bitCount) == other.keepingFront(bitCount)
        }
    }

    private let bytes: [UInt8]
    /// Not 0 for a connection that is a network of its own.
    private let alone: Int

    package init(_ address: SocketAddress?, trusted: [Block], alone: Int) {
        let address = address?.ipAddress.flatMap { [UInt8](address: $0) } ?? []
        if trusted.contains(where: { $0.contains(address) }) {
            bytes = []
            self.alone = alone
        } else {
            bytes = address.keepingFront(address.count == 4 ? 24 : 56)
            self.alone = 0
        }
    }
}

extension [UInt8] {
    /// 4 or 16 bytes of an address in text; of an IPv4 address that came over IPv6 the 4 (RFC 4291, section 2.5.5.2).
    fileprivate init?(address: String) {
        self = Array(repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &self) == 1 {
            removeLast(12)
            return
        }
        guard inet_pton(AF_INET6, address, &self) == 1 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        if starts(with: mapped) { removeFirst(12) }
    }

    /// The first bits; the others are 0.
    fileprivate func keepingFront(_ bitCount: Int) -> [UInt8] {
        enumerated().map { index, byte in
            let kept = Swift.min(8, Swift.max(0, bitCount - 8 * index))
            return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}
