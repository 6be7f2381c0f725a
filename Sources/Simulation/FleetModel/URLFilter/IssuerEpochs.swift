/// Token keys of the issuer of each region, each told from others by a number above 0.
struct IssuerEpochs {
    /// One for each region. All begin with the same key; a restart makes a new one.
    private var current: [Int16]
    private var last: Int16 = 1
    /// Keys that the issuer of each region has lost, and the second of the last request before.
    private var lost: [[Int16: Int64]]
    private let secondsKept: Int64

    /// - Parameter secondsKept: See ``ServiceConfiguration/tokenKeysKept``.
    init(regionCount: Int, secondsKept: Int64) {
        current = Array(repeating: 1, count: regionCount)
        lost = Array(repeating: [:], count: regionCount)
        self.secondsKept = secondsKept
    }

    subscript(region: Int) -> Int16 { current[region] }

    /// - Parameter second: The time of the last request before.
    mutating func restart(region: Int, after second: Int64) {
        last.advance()
        lost[region][current[region]] = second
        current[region] = last
    }

    /// Whether tokens of a key are taken: of the issuer's, or of one that it had not long ago.
    func take(_ epoch: Int16, region: Int, second: Int64) -> Bool {
        if epoch == current[region] { return true }
        guard secondsKept > 0, let lost = lost[region][epoch] else { return false }
        return second - lost < secondsKept
    }
}

extension Int16 {
    /// Goes on to the next number of a key. They start again after 32 767; only equal and unequal matter.
    mutating func advance() { self = self == .max ? 1 : self + 1 }
}
