/// A site: one of the ranked sites of the web, or the site behind an entry of
/// the block list.
package struct SiteNumber: Hashable, Sendable {
    static let maximumRankedCount = 1 << 24
    static let maximumListedCount = 1 << 30
    /// Pages of a site; a device remembers their numbers in 16 bits.
    static let maximumPageCount = 1 << 16
    private static let listedBit: UInt32 = 1 << 31

    /// Small enough to be stored per device; the top bit tells listed from ranked.
    package let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The site of this popularity; 0 is the most popular.
    package static func ranked(_ rank: Int) -> SiteNumber {
        precondition((0..<maximumRankedCount).contains(rank), "no site has rank \(rank)")
        return SiteNumber(rawValue: UInt32(rank))
    }

    /// The site that this entry of the block list names, counted from 0 in list order.
    package static func listed(_ entry: Int) -> SiteNumber {
        precondition((0..<maximumListedCount).contains(entry), "no list has an entry \(entry)")
        return SiteNumber(rawValue: UInt32(entry) | listedBit)
    }

    package var isListed: Bool { rawValue & Self.listedBit != 0 }

    /// The rank of a ranked site, the entry of a listed one.
    package var index: Int { Int(rawValue & ~Self.listedBit) }
}
