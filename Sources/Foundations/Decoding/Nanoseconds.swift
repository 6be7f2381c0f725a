import Foundation

// Times and their lengths are whole nanoseconds in `Int64`, and seconds in `Double`.
extension Int64 {
    /// Nanoseconds of whole seconds.
    @inlinable package static func seconds(_ count: some BinaryInteger) -> Int64 {
        Int64(count) * 1_000_000_000
    }

    @inlinable package static func minutes(_ count: some BinaryInteger) -> Int64 {
        seconds(Int64(count) * 60)
    }

    @inlinable package static func hours(_ count: some BinaryInteger) -> Int64 { minutes(Int64(count) * 60) }

    @inlinable package static func days(_ count: some BinaryInteger) -> Int64 { hours(Int64(count) * 24) }

    /// Nanoseconds of seconds, without their fraction; ``FixedWidthInteger/init(saturating:)`` says what becomes of
    /// what does not fit.
    @inlinable package static func seconds(_ count: Double) -> Int64 { Int64(saturating: count * 1e9) }

    /// Nanoseconds of seconds, the nearest whole number; what does not fit is the end of the range.
    @inlinable package static func seconds(rounding count: Double) -> Int64 {
        Int64(saturating: (count * 1e9).rounded())
    }
}

extension Double {
    /// Seconds of so many nanoseconds.
    @inlinable package init(nanoseconds: some BinaryInteger) { self.init(nanoseconds: Double(nanoseconds)) }

    /// Seconds of nanoseconds that were summed, averaged or weighed.
    @inlinable package init(nanoseconds: Double) { self = nanoseconds * 1e-9 }
}

extension Date {
    package var nanosecondsSince1970: Int64 { Int64(timeIntervalSince1970 * 1e9) }
}
