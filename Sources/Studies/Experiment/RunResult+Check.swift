import Decoding
package import Foundation
import RunMetrics

/// A result may come from anywhere; whoever renders it relies on what is checked here.
extension RunResult {
    /// No figure of a run is larger, in whatever unit.
    package static let largestNumber = 1e18

    /// - Throws: `DecodingError` for anything that is not a result.
    package static func decode(_ data: Data) throws -> RunResult {
        let result = try JSONReader.read(RunResult.self, from: data)
        for (number, point) in result.points.enumerated() {
            if let name = point.unevenPart {
                throw problem("points.[\(number)].\(name)", "columns differ in length")
            }
        }
        if let number = PlausibleNumbers(limit: largestNumber).first(outside: result) {
            throw problem("the number \(number)", "no run reaches it")
        }
        return result
    }

    package static func problem(_ place: String, _ sentence: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [Place(stringValue: place)], debugDescription: sentence))
    }

    private struct Place: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue _: Int) { nil }
    }
}

extension PointResult {
    /// The name of a part whose columns do not belong together.
    fileprivate var unevenPart: String? {
        if let curve = latencyCurve {
            let counts = [curve.shares.count, curve.low?.count, curve.high?.count].compactMap(\.self)
            let areRanks = curve.shares.allSatisfy { (0...1).contains($0) }
            if !areRanks || !counts.allSatisfy({ $0 == curve.values.count }) {
                return "latencyCurve"
            }
        }
        if let series {
            let isEven = series.columns.allSatisfy { column in
                [column.low?.count, column.high?.count].compactMap(\.self)
                    .allSatisfy { $0 == column.values.count }
            }
            if !isEven || series.interval <= 0 { return "series" }
        }
        if let freshness {
            for curves in [freshness.added, freshness.removed] where Set(curves.map(\.points.count)).count > 1
            {
                return "freshness"
            }
        }
        return nil
    }
}
