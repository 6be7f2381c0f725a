import Foundation
import Statistics

/// CPU time of one operation of the real code, measured in two passes that are minutes or seconds apart.
package struct OperationCost: Codable, Sendable {
    /// A path that sorts well, for example `pir.answer.50000.batch1`.
    package var name: String
    /// Description of one operation, in words.
    package var meaning: String
    /// CPU nanoseconds of one operation, all samples of both passes, ascending.
    package var samples: [Double]
    /// Median of each pass.
    package var passMedians: [Double]
    /// Exact size of the message or database that the operation makes.
    package var bytes: Int?

    init(name: String, meaning: String, passes: [[Double]], bytes: Int?) {
        self.name = name
        self.meaning = meaning
        self.bytes = bytes
        samples = passes.joined().sorted()
        passMedians = passes.map { Self.quantile(0.5, of: $0.sorted()) }
    }

    package var median: Double { Self.quantile(0.5, of: samples) }
    package var p10: Double { Self.quantile(0.1, of: samples) }
    package var p90: Double { Self.quantile(0.9, of: samples) }

    /// How far the passes are apart: largest median by smallest, less one.
    package var disagreement: Double {
        guard let low = passMedians.min(), let high = passMedians.max(), low > 0 else { return 0 }
        return high / low - 1
    }

    private static func quantile(_ share: Double, of sorted: [Double]) -> Double {
        Percentile.nearestRank(share, sorted: sorted) ?? 0
    }
}

/// Costs of the operations of all parties on one machine.
package struct OperationCosts: Codable, Sendable {
    /// Medians of two passes that differ by more say that the machine was busy with something else (assumption:
    /// quiet machines of the kind used here repeat a median to 3 %).
    package static let tolerance = 0.1

    package var operations: [OperationCost]
    /// Names of the operations whose passes disagree by more than the tolerance.
    package var noisy: [String]

    init(_ operations: [OperationCost]) {
        self.operations = operations
        noisy = operations.filter { $0.disagreement > Self.tolerance }.map(\.name)
    }
}
