import EventSimulation

/// Looks through a value from a file for numbers that no run reaches: sums are formed without checks for overflow.
package struct PlausibleNumbers {
    /// Largest magnitude of a number with a fraction.
    private let limit: Double
    /// Largest whole number.
    private let countLimit: Int
    /// Deepest nesting that is looked at.
    private let depth = 12

    package init(limit: Double = .greatestFiniteMagnitude, countLimit: Int = 1 << 53) {
        self.limit = limit
        self.countLimit = countLimit
    }

    /// The first such number among all stored properties.
    package func first(outside value: Any) -> String? { first(outside: value, depth: 0) }

    private func first(outside value: Any, depth: Int) -> String? {
        if let number = value as? Int { return (0...countLimit).contains(number) ? nil : "\(number)" }
        if let number = value as? Int128 { return number.magnitude < 1 << 100 ? nil : "\(number)" }
        if let number = value as? Double { return number.magnitude <= limit ? nil : "\(number)" }
        guard depth < self.depth else { return nil }
        for child in Mirror(reflecting: value).children {
            // Checked by their own decoder.
            if child.value is LatencyHistogram { continue }
            if let found = first(outside: child.value, depth: depth + 1) { return found }
        }
        return nil
    }
}
