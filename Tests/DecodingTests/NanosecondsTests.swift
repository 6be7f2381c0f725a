import Decoding
import Foundation
import Testing

@Suite struct NanosecondsTests {
    @Test func unitsAreMultiplesOfANanosecond() {
        #expect(Int64.seconds(3) == 3_000_000_000)
        #expect(Int64.minutes(-2) == -120_000_000_000)
        #expect(Int64.hours(1) == 3_600_000_000_000)
        #expect(Int64.days(1) == 86_400_000_000_000)
    }

    @Test func fractionsOfANanosecondAreCutOrRounded() {
        #expect(Int64.seconds(1.999_999_999_9) == 1_999_999_999)
        #expect(Int64.seconds(rounding: 1.999_999_999_9) == 2_000_000_000)
        #expect(Int64.seconds(-0.25) == -250_000_000)
        #expect(Int64.seconds(Double.infinity) == 1 << 60)
        #expect(Int64.seconds(rounding: -.infinity) == -(1 << 60))
        #expect(Int64.seconds(Double.nan) == 0)
    }

    @Test func secondsAreTheProductWithOneBillionth() {
        #expect(Double(nanoseconds: 1_500_000_000) == 1.5)
        // The product, whose last bit differs from the quotient's.
        #expect(Double(nanoseconds: 15_000_000_000) == 15_000_000_000 * 1e-9)
        #expect(Double(nanoseconds: 15_000_000_000) != 15)
        #expect(Double(nanoseconds: 0.5) == 0.5e-9)
        #expect(Double(nanoseconds: UInt64.max) == 0x1p64 * 1e-9)
    }

    @Test func instantsOfOurTimeFit() {
        // 2026-11-29, beyond 2⁶⁰ nanoseconds.
        #expect(Date(timeIntervalSince1970: 1_796_000_000).nanosecondsSince1970 == .seconds(1_796_000_000))
    }
}
