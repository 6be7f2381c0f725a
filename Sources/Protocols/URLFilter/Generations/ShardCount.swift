/// How many shards a database may have, by what devices accept.
package enum ShardCount {
    /// Counts from none to the most that devices of iOS and macOS 27.3 take.
    package static let range = 1...65_536

    /// Devices of 27.3 refuse other counts (article "Device", section "iOS 27.3").
    package static func isPowerOfTwo(_ count: Int) -> Bool { count.nonzeroBitCount == 1 }

    /// The powers of two below and above a count that is none.
    package static func neighbours(of count: Int) -> (below: Int, above: Int) {
        var below = 1
        while below <= count / 2 { below *= 2 }
        return (below, min(below * 2, range.upperBound))
    }
}
