/// A unit of time for readers, chosen so that a time has few digits.
package struct TimeScale: Sendable {
    package let name: String
    private let perSecond: Double

    private init(_ name: String, _ perSecond: Double) {
        self.name = name
        self.perSecond = perSecond
    }

    /// - Parameter seconds: Of either sign.
    init(ofTime seconds: Double) {
        self =
            switch seconds.magnitude {
            case 86_400...: Self("d", 1 / 86_400)
            case 3600...: Self("h", 1 / 3600)
            case 60...: Self("min", 1 / 60)
            case 1...: Self("s", 1)
            case 1e-3...: Self("ms", 1e3)
            default: Self("us", 1e6)
            }
    }

    /// The unit of a time that people wait: milliseconds, which compare well, until their digits are too many to mean
    /// anything.
    ///
    /// - Parameter seconds: Of either sign.
    package init(ofWait seconds: Double) {
        self = seconds.magnitude < 10 ? Self("ms", 1e3) : Self(ofTime: seconds)
    }

    /// The number alone, where the name stands elsewhere.
    package func number(_ seconds: Double) -> String { Format.number(seconds * perSecond) }

    package func text(_ seconds: Double) -> String { "\(number(seconds)) \(name)" }
}
