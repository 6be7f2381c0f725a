/// Token keys of an issuer: new tokens are made with the current ones, and tokens of those that were current before are
/// taken for a while. The simulated services hold it with numbers, the real PIR server with the ids of its keys.
package struct TokenKeyEpochs<Name: Hashable & Sendable>: Sendable {
    /// Names of the keys that tokens are made with.
    package private(set) var current: [Name]
    /// Keys that were current before, and the second since which they are not.
    private var withdrawn: [Name: Int64] = [:]
    private let secondsKept: Int64

    /// - Parameter secondsKept: How long tokens are taken after their key was withdrawn; 0 refuses them at once.
    package init(_ current: [Name], secondsKept: Int64 = 0) {
        precondition(secondsKept >= 0, "keys are kept for \(secondsKept) s; the time must be 0 or more")
        self.current = current
        self.secondsKept = secondsKept
    }

    /// Makes tokens with these keys from now on, and with no others.
    package mutating func change(to names: [Name], at second: Int64) {
        if secondsKept > 0 {
            for name in current where !names.contains(name) { withdrawn[name] = second }
            for name in names { withdrawn[name] = nil }
        }
        current = names
    }

    /// Whether new tokens are made with this key.
    package func makes(_ name: Name) -> Bool { current.contains(name) }

    /// Whether tokens of this key are taken.
    ///
    /// - Parameter second: May lie before the latest change: the time at which the request was made.
    package func takes(_ name: Name, at second: Int64) -> Bool {
        if makes(name) { return true }
        guard let end = withdrawn[name] else { return false }
        return second - end < secondsKept
    }

    /// Whether tokens of this key were taken at any time since it was made.
    package func knows(_ name: Name) -> Bool { makes(name) || withdrawn[name] != nil }
}
