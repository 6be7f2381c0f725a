import Experiment
import Foundation
import Report
import RunMetrics
import Testing
import Wording

/// Times that people wait are in milliseconds, and hours are not.
struct LongTimeTests {
    @Test(arguments: [
        (0.966, 0.0176, "966 ± 17.6 ms"), (9.99, 0.5, "9990 ± 500 ms"), (12.5, 1.5, "12.5 ± 1.50 s"),
        (2_250, 381.186, "37.5 ± 6.35 min"), (32_400, 3_600, "9.00 ± 1.00 h"),
        (864_000, 86_400, "10.0 ± 1.00 d"),
    ])
    func anEstimateHasDigitsThatMeanSomething(_ value: Double, _ half: Double, _ words: String) throws {
        let (low, high) = (value - half, value + half)
        let json = #"{ "low": \#(low), "high": \#(high), "confidence": 0.95, "method": "m" }"#
        let interval = try JSONDecoder().decode(Interval.self, from: Data(json.utf8))
        #expect(Format.estimate(value, interval, .seconds) == words)
    }

    @Test func aWaitIsAsLongAsADuration() {
        #expect(Format.wait(0.437) == "437 ms" && Format.wait(6_974.895) == Format.duration(6_974.895))
        #expect(Format.wait(-0.437) == "-437 ms" && Format.wait(-75) == "-1.25 min")
        #expect(Format.wait(0) == "0 ms" && Format.duration(0) == "0 s")
        let lengths: [Substring: Double] = [
            "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3_600, "d": 86_400,
        ]
        for seconds in [1e-5, 0.02, 1, 59, 60, 3_599, 3_600, 86_399, 86_400, 1e7] {
            let parts = Format.duration(seconds).split(separator: " ")
            let read = (Double(parts[0]) ?? 0) * (lengths[parts[1]] ?? 0)
            #expect(abs(read / seconds - 1) < 0.006, "\(seconds)")
        }
    }
}
