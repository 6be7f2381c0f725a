import Decoding
package import DeviceFleet
import Experiment
package import Foundation

/// A replay's document may come from anywhere; whoever renders it relies on what is checked here.
extension ReplayResult {
    /// No count is larger: a million of them still have a sum.
    private static let largestCount = 1 << 40
    private static let largestNumber = 1e18

    /// - Throws: `DecodingError` for anything that is not the result of a replay.
    package static func decode(_ data: Data) throws -> ReplayResult {
        let result = try JSONReader.read(ReplayResult.self, from: data)
        try check(result, in: result)
        return result
    }

    /// - Parameter document: What the result is a part of.
    fileprivate static func check(_ result: ReplayResult, in document: Any) throws {
        if let number = PlausibleNumbers(limit: largestNumber, countLimit: largestCount).first(
            outside: document)
        {
            throw problem("the number \(number), which no replay reaches,")
        }
        for (number, point) in result.points.enumerated() {
            guard zip(point.seconds, point.seconds.dropFirst()).allSatisfy({ $0.second < $1.second }) else {
                throw problem("the order of points.[\(number)].seconds")
            }
        }
    }

    private static func problem(_ sentence: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: sentence))
    }
}

extension LoadTestOutcome {
    /// - Throws: `DecodingError` for anything that is not the result of a load test.
    static func decode(_ data: Data) throws -> LoadTestOutcome {
        let outcome = try JSONReader.read(LoadTestOutcome.self, from: data)
        try ReplayResult.check(outcome.replay, in: outcome)
        return outcome
    }
}
