/// Reads one column of times, which may be ISO 8601 or a number.
///
/// The unit of a number is decided once: by option, by the column's name, or
/// by the size of the first number, and kept for the rest of the file.
struct TimeColumn {
    private(set) var unit: TimeUnit?

    init(name: String, unit: TimeUnit?) {
        self.unit = unit ?? Self.unit(named: name)
    }

    mutating func read(_ text: Span<UInt8>, _ report: inout ReadReport) -> Int64? {
        if let reading = Timestamp.iso8601(text) {
            if !reading.hasZone { report.note(.zoneAssumed) }
            return reading.nanoseconds
        }
        if unit == nil { unit = Timestamp.unit(bySizeOf: text) }
        guard let unit else { return nil }
        return Timestamp.decimal(text, unit: unit)
    }

    /// The unit that a name such as `t_ms` or `epoch_seconds` tells.
    private static func unit(named name: String) -> TimeUnit? {
        let lower = name.lowercased()
        let endings: [(String, TimeUnit)] = [
            ("_ms", .milliseconds), ("millis", .milliseconds), ("milliseconds", .milliseconds),
            ("_us", .microseconds), ("micros", .microseconds), ("microseconds", .microseconds),
            ("_ns", .nanoseconds), ("nanos", .nanoseconds), ("nanoseconds", .nanoseconds),
            ("_s", .seconds), ("seconds", .seconds),
        ]
        // The longest ending counts: `milliseconds` also ends in `seconds`.
        return endings.filter { lower.hasSuffix($0.0) }.max { $0.0.count < $1.0.count }?.1
    }
}
