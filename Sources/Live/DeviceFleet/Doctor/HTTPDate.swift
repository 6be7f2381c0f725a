/// The date of an HTTP message (RFC 9110, section 5.6.7), in the form that servers have to write.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT` as Unix seconds; nil for anything else.
    package static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3])
        else { return nil }
        let time = parts[4].split(separator: ":").map { Int($0) }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2],
            (1...31).contains(day), (1970...9999).contains(year), (0..<24).contains(hour),
            (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        return Double(days(year, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second)
    }

    /// Days since 1970-01-01; a year begins in March here, so that the leap day is its last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (shiftedYear, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return 365 * shiftedYear + leapDays + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
    }
}
