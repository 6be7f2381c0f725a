import Decoding
import Foundation
package import Scenarios
import URLFilter

/// Payments of an operator for each tolerance of the prefilter, by theory: stray lookups are in proportion to it, the
/// prefilter's bytes to its logarithm.
///
/// Truth and answer are judged by the same law, each with lookups of its own; so this is about what is known of them,
/// and not about the law.
package struct OperatorShape {
    /// Tolerances to choose from, two to a decade.
    package static let tolerances = (0...8).map { pow(10, -2 - Double($0) / 2) }

    /// The scenario's.
    private let tolerance: Double
    private let bill: OperatorBill
    /// Bytes of the prefilter at each tolerance over those at the scenario's.
    private let sizes: [Double]

    /// - Parameter entries: Of the list.
    package init(_ scenario: Scenario, entries: Int) throws {
        bill = OperatorBill(scenario)
        switch scenario.filter.shape {
        case .falsePositiveTolerance(let value): tolerance = value
        case .exactly(let bitCount, let hashCount):
            tolerance = try BloomParameters(bitCount: bitCount, hashCount: hashCount, murmurSeed: 1)
                .falsePositiveRate(entryCount: entries)
        }
        func size(_ tolerance: Double) throws -> Double {
            Double(
                try BloomParameters(
                    entryCount: entries, falsePositiveTolerance: tolerance, murmurSeed: 1
                ).byteCount)
        }
        let own = try size(tolerance)
        sizes = try Self.tolerances.map { try size($0) / own }
    }

    /// An operator, or what is thought of him.
    package struct Operator {
        package var traffic: OperatorTraffic
        package var stray: Double
        package var listed: Double

        package init(traffic: OperatorTraffic, stray: Double, listed: Double) {
            self.traffic = traffic
            self.stray = stray
            self.listed = listed
        }
    }

    /// The traffic at a tolerance; `nil` is the scenario's own.
    func traffic(_ choice: Int?, _ own: Operator) -> OperatorTraffic {
        guard let choice else { return own.traffic }
        let lookups = own.stray + own.listed
        let factor =
            lookups > 0
            ? (own.listed + own.stray * Self.tolerances[choice] / tolerance) / lookups : 1
        return own.traffic.times(lookups: factor, downloads: sizes[choice])
    }

    /// A month, with the servers that it needs.
    package func cost(_ choice: Int?, _ own: Operator) -> Double { bill.month(traffic(choice, own)) }

    /// The tolerance of the least mean cost.
    package func tolerance(_ plausible: [Operator]) -> Int {
        let means = Self.tolerances.indices.map { choice in
            plausible.reduce(0) { $0 + cost(choice, $1) }
        }
        return means.indices.min { means[$0] < means[$1] } ?? 0
    }

    /// The fewest servers that are too few in at most so much of what is plausible, which is not empty.
    package func servers(_ choice: Int?, _ plausible: [Operator], risk: Double = PlanRisk.usualRisk) -> Int {
        let needed = plausible.map { bill.servers(traffic(choice, $0)) }.sorted()
        let missed = Int(saturating: (risk * Double(needed.count)).rounded(.down))
        return needed[max(0, needed.count - 1 - missed)]
    }

    /// Least money of all tolerances: what the same rule buys that knows the truth.
    package func least(_ truth: Operator) -> Double {
        Self.tolerances.indices.map { cost($0, truth) }.min() ?? 0
    }

    /// - Parameter best: Money of what is compared with.
    package func judge(
        _ servers: Int, at choice: Int?, _ truth: Operator, best: Double
    ) -> OperatorResult.Servers {
        let traffic = traffic(choice, truth)
        let needed = bill.servers(traffic)
        let money = [servers, needed, needed + 1].map { bill.month(traffic, servers: $0) }
        return .init(
            bought: servers, needed: needed, regret: money[0] / best - 1, step: (money[2] - money[1]) / best)
    }
}
