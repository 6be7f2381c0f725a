import Decoding

/// Reads the times of trace files into nanoseconds since 1970-01-01 UTC.
///
/// Plain arithmetic on bytes: a date formatter would cost more than the rest
/// of the record. Every function returns `nil` for text that is not exactly a
/// time of its form, and for times outside the years 1678 to 2261, which do
/// not fit into 64 bits.
enum Timestamp {
    /// A time, and whether the text said in which zone.
    struct Reading: Hashable {
        var nanoseconds: Int64
        var hasZone: Bool
    }

    /// ISO 8601 with date and time: `2015-08-29T12:00:00.000Z`, with `T` or a
    /// blank, optional fraction, and `Z`, `+02:00`, `+0200`, `+02` or no zone (read as UTC).
    static func iso8601(_ text: Span<UInt8>) -> Reading? {
        var cursor = Cursor(position: 0)
        guard let year = cursor.number(in: text, digits: 4), cursor.take("-", in: text),
            let month = cursor.number(in: text, digits: 2), cursor.take("-", in: text),
            let day = cursor.number(in: text, digits: 2),
            cursor.take("T", in: text) || cursor.take(" ", in: text) || cursor.take("t", in: text),
            let hour = cursor.number(in: text, digits: 2), cursor.take(":", in: text),
            let minute = cursor.number(in: text, digits: 2)
        else { return nil }
        var second = 0
        var fraction: Int64 = 0
        if cursor.take(":", in: text) {
            guard let value = cursor.number(in: text, digits: 2) else { return nil }
            second = value
            if cursor.take(".", in: text) || cursor.take(",", in: text) {
                guard let value = cursor.fraction(in: text, of: .seconds) else { return nil }
                fraction = value
            }
        }
        _ = cursor.take(" ", in: text)
        var zone: Int?
        if cursor.take("Z", in: text) || cursor.take("z", in: text) {
            zone = 0
        } else if cursor.position < text.count {
            guard let minutes = cursor.zone(in: text) else { return nil }
            zone = minutes
        }
        guard cursor.position == text.count,
            let time = CalendarTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                fraction: fraction, zoneMinutes: zone ?? 0
            ).nanoseconds
        else { return nil }
        return Reading(nanoseconds: time, hasZone: zone != nil)
    }

    /// The time of the common log format: `01/Jul/1995:00:00:01 -0400`.
    static func commonLog(_ text: Span<UInt8>) -> Int64? {
        var cursor = Cursor(position: 0)
        guard let day = cursor.number(in: text, digits: 2), cursor.take("/", in: text),
            let month = cursor.month(in: text), cursor.take("/", in: text),
            let year = cursor.number(in: text, digits: 4), cursor.take(":", in: text),
            let hour = cursor.number(in: text, digits: 2), cursor.take(":", in: text),
            let minute = cursor.number(in: text, digits: 2), cursor.take(":", in: text),
            let second = cursor.number(in: text, digits: 2), cursor.take(" ", in: text),
            let zone = cursor.zone(in: text), cursor.position == text.count
        else { return nil }
        return CalendarTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            zoneMinutes: zone
        ).nanoseconds
    }

    /// A decimal number of units since 1970, such as `1551380987.065`. Digits
    /// beyond the nanosecond are cut.
    static func decimal(_ text: Span<UInt8>, unit: TimeUnit) -> Int64? {
        var cursor = Cursor(position: 0)
        let isNegative = cursor.take("-", in: text)
        guard let whole = cursor.integer(in: text) else { return nil }
        var fraction: Int64 = 0
        if cursor.take(".", in: text) {
            guard let value = cursor.fraction(in: text, of: unit) else { return nil }
            fraction = value
        }
        guard cursor.position == text.count else { return nil }
        let (product, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
        let (sum, sumOverflow) = product.addingReportingOverflow(fraction)
        guard !overflow && !sumOverflow else { return nil }
        return isNegative ? -sum : sum
    }

    /// Microseconds since 1601-01-01 UTC, as Chromium's history has them: those of our time are no time since 1970 that
    /// fits.
    static func sinceYear1601(_ text: Span<UInt8>) -> Int64? {
        var cursor = Cursor(position: 0)
        // 1601 to 1970 has 89 leap years.
        let start: Int64 = (369 * 365 + 89) * 86_400 * 1_000_000
        guard let whole = cursor.integer(in: text), cursor.position == text.count, whole >= start,
            whole < start + Int64.max / 1000
        else { return nil }
        return (whole - start) * 1000
    }

    /// An English month in three letters, counted from 1.
    static func month(_ text: Span<UInt8>) -> Int? {
        var cursor = Cursor(position: 0)
        return text.count == 3 ? cursor.month(in: text) : nil
    }

    /// The unit that makes a number a time between 1973 and the year 5000, going by its size.
    static func unit(bySizeOf text: Span<UInt8>) -> TimeUnit? {
        var cursor = Cursor(position: 0)
        _ = cursor.take("-", in: text)
        guard let whole = cursor.integer(in: text) else { return nil }
        if whole < 100_000_000_000 { return .seconds }
        if whole < 100_000_000_000_000 { return .milliseconds }
        return whole < 100_000_000_000_000_000 ? .microseconds : .nanoseconds
    }
}

/// A time by the Gregorian calendar.
struct CalendarTime {
    let year: Int
    /// Counted from 1, as the day is.
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    /// Nanoseconds.
    var fraction: Int64 = 0
    /// East.
    var zoneMinutes = 0

    /// Since 1970-01-01 UTC; `nil` if there is no such date.
    var nanoseconds: Int64? {
        guard (1678...2261).contains(year), (1...12).contains(month), hour < 24, minute < 60, second <= 60
        else { return nil }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        guard (1...length).contains(day) else { return nil }
        let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]
        let lastYear = year - 1
        let leapDays = lastYear / 4 - lastYear / 100 + lastYear / 400
        // 719,162 days lie between 0001-01-01 and 1970-01-01.
        let days = lastYear * 365 + leapDays - 719_162 + daysBefore + (isLeap && month > 2 ? 1 : 0) + day - 1
        let seconds = (days * 24 + hour) * 3600 + (minute - zoneMinutes) * 60 + second
        return .seconds(seconds) + fraction
    }
}

/// A place in a text that is being read.
private struct Cursor {
    var position: Int

    mutating func take(_ character: Unicode.Scalar, in text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Exactly this many digits.
    mutating func number(in text: Span<UInt8>, digits: Int) -> Int? {
        guard text.count - position >= digits else { return nil }
        var value = 0
        for index in position..<position + digits {
            guard text[index].isDigit else { return nil }
            value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
        }
        position += digits
        return value
    }

    /// One digit or more.
    mutating func integer(in text: Span<UInt8>) -> Int64? {
        let start = position
        var value: Int64 = 0
        while position < text.count, text[position].isDigit {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(
                Int64(text[position] - UInt8(ascii: "0")))
            guard !overflow && !sumOverflow else { return nil }
            value = sum
            position += 1
        }
        return position > start ? value : nil
    }

    /// The digits behind the point, in nanoseconds.
    mutating func fraction(in text: Span<UInt8>, of unit: TimeUnit) -> Int64? {
        let start = position
        var value: Int64 = 0
        var weight = unit.nanoseconds / 10
        while position < text.count, text[position].isDigit {
            value += Int64(text[position] - UInt8(ascii: "0")) * weight
            weight /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    /// `+02:00`, `+0200` or `+02`, in minutes east.
    mutating func zone(in text: Span<UInt8>) -> Int? {
        let isWest = take("-", in: text)
        guard isWest || take("+", in: text), let hours = number(in: text, digits: 2), hours <= 18
        else { return nil }
        var minutes = 0
        if position < text.count {
            _ = take(":", in: text)
            guard let value = number(in: text, digits: 2), value < 60 else { return nil }
            minutes = value
        }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    /// An English month in three letters, counted from 1.
    mutating func month(in text: Span<UInt8>) -> Int? {
        guard text.count - position >= 3 else { return nil }
        let name = text.extracting(position..<position + 3)
        let names: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        for (index, month) in names.enumerated() where name.equals(ignoringCase: month) {
            position += 3
            return index + 1
        }
        return nil
    }
}
