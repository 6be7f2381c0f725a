import Experiment
import Scenarios
import Testing

@Suite struct QuantityTests {
    @Test(
        "durations are read in seconds",
        arguments: [
            ("0", 0.0), ("90s", 90), ("1h30m", 5400), ("1h 30m", 5400), ("250ms", 0.25), ("12.5 ms", 0.0125),
            ("2min", 120), ("3us", 3e-6), ("3µs", 3e-6), ("7ns", 7e-9), ("1d", 86_400), ("1e3s", 1000),
            ("5e-1s", 0.5),
        ])
    func duration(text: String, seconds: Double) throws {
        let value = try Quantity.seconds(text)
        #expect(abs(value - seconds) <= 1e-12 * max(1, seconds))
    }

    @Test(
        "what is not a duration says why",
        arguments: [
            ("", Quantity.Failure.notANumber), ("s", .notANumber), ("abc", .notANumber),
            ("nan s", .notANumber),
            ("inf s", .notANumber), ("1..5s", .notANumber), ("5", .missingUnit), ("1h30", .missingUnit),
            ("-5s", .outOfRange(allowed: "0s...1e9s")), ("1e9h", .outOfRange(allowed: "0s...1e9s")),
            ("1e400s", .outOfRange(allowed: "numbers below 1.8e308")),
        ])
    func notADuration(text: String, failure: Quantity.Failure) {
        #expect(throws: failure) { try Quantity.seconds(text) }
    }

    @Test func anUnknownUnitComesWithTheKnownOnes() {
        #expect(
            throws: Quantity.Failure.unknownUnit("TB", allowed: ["KiB", "MiB", "GiB", "kB", "MB", "GB", "B"])
        ) {
            try Quantity.bytes("5TB")
        }
        #expect(
            throws: Quantity.Failure.unknownUnit(
                "fortnights",
                allowed: [
                    "ns", "us", "µs", "ms", "min", "s", "m", "h", "d",
                ])
        ) { try Quantity.seconds("1fortnights") }
    }

    @Test(
        "sizes",
        arguments: [
            ("30kB", 30_000), ("64KiB", 65_536), ("1 MB", 1_000_000), ("0B", 0), ("1.5GiB", 1_610_612_736),
        ])
    func bytes(text: String, count: Int) throws {
        #expect(try Quantity.bytes(text) == count)
    }

    @Test func aNegativeOrHugeSizeIsRefused() {
        for text in ["-1B", "1e16B", "1e300GB"] {
            #expect(throws: Quantity.Failure.outOfRange(allowed: "0B...1e15B")) { try Quantity.bytes(text) }
        }
    }

    /// One rule for all kinds: blanks and underscores group digits, and a comma is no part of a number.
    @Test func digitsAreGroupedAlikeEverywhere() throws {
        #expect(try Quantity.seconds("1_000s") == 1000)
        #expect(try Quantity.bytes("1_000 kB") == 1_000_000)
        #expect(try Quantity.count("1_000") == 1000)
        #expect(throws: Quantity.Failure.comma(instead: "1.5h")) { try Quantity.seconds("1,5h") }
        #expect(throws: Quantity.Failure.comma(instead: "1.000")) { try Quantity.count("1,000") }
    }

    @Test("bandwidths", arguments: [("1Gbit/s", 125e6), ("5MB/s", 5e6), ("0.768 Mbit/s", 96_000)])
    func bandwidth(text: String, bytesPerSecond: Double) throws {
        #expect(try Quantity.bytesPerSecond(text) == bytesPerSecond)
    }

    @Test func aBandwidthOfNothingIsRefused() {
        for text in ["0B/s", "1e-9kB/s", "-5MB/s"] {
            #expect(throws: Quantity.Failure.outOfRange(allowed: "1B/s...1e15B/s")) {
                try Quantity.bytesPerSecond(text)
            }
        }
    }

    @Test(
        "counts",
        arguments: [
            ("20000", 20_000), ("20 000", 20_000), ("1.5M", 1_500_000), ("10k", 10_000), ("1e3", 1000),
            ("0", 0),
        ])
    func count(text: String, value: Int) throws {
        #expect(try Quantity.count(text) == value)
    }

    @Test("not counts", arguments: ["1.5", "-1", "1e16", "9e99G"])
    func notACount(text: String) {
        #expect(throws: Quantity.Failure.outOfRange(allowed: "whole numbers 0...1e15")) {
            try Quantity.count(text)
        }
    }

    @Test(
        "shares", arguments: [("0.02", 0.02), ("2%", 0.02), ("1/1000", 0.001), ("-0.5", -0.5), ("50 %", 0.5)])
    func share(text: String, value: Double) throws {
        #expect(try Quantity.share(text) == value)
    }

    @Test("not shares", arguments: ["1/0", "1/-2", "1e300/1e-300", "0x10", "nan", "1/2/3", "%", ""])
    func notAShare(text: String) {
        #expect(throws: Quantity.Failure.self) { try Quantity.share(text) }
    }
}
