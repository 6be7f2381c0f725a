import Decoding
import Foundation
import Scenarios
import URLFilter

/// Payments of an operator for each tolerance of the prefilter, by theory: stray lookups are in proportion to it, the
/// prefilter's bytes to its logarithm.
///
/// Truth and answer are judged by the same law, each with lookups of its own; so this is about what is known of them,
/// and not about the law.
struct OperatorShape {
    /// Tolerances to choose from, two to a decade.
    static let tolerances = (0...8).map { pow(10, -2 - Double($0) / 2) }
    /// Share of more money up to which a choice is good enough.
    static let goodEnough = 0.02

    /// The scenario's.
    private let tolerance: Double
    private let prices: Prices
    /// Bytes of the prefilter at each tolerance over those at the scenario's.
    private let sizes: [Double]

    /// - Parameter entries: Of the list.
    init(_ scenario: Scenario, entries: Int) throws {
        prices = scenario.prices
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
    struct Operator {
        var traffic: OperatorTraffic
        var stray: Double
        var listed: Double
    }

    /// The traffic at a tolerance.
    func traffic(_ choice: Int, _ own: Operator) -> OperatorTraffic {
        let lookups = own.stray + own.listed
        let factor =
            lookups > 0
            ? (own.listed + own.stray * Self.tolerances[choice] / tolerance) / lookups : 1
        return OperatorTraffic(
            peakCores: own.traffic.peakCores * factor, egress: own.traffic.egressBytesPerDay * factor,
            ingress: own.traffic.ingressBytesPerDay * factor,
            downloads: own.traffic.downloadBytesPerDay * sizes[choice])
    }

    func cost(_ choice: Int, _ own: Operator, servers: Int? = nil) -> Double {
        traffic(choice, own).month(prices, servers: servers).total
    }

    /// The tolerance of the least mean cost, and servers that are enough in 95 % of what is plausible.
    func choose(_ plausible: [Operator]) -> (tolerance: Int, servers: Int) {
        let means = Self.tolerances.indices.map { choice in
            plausible.reduce(0) { $0 + cost(choice, $1) }
        }
        let best = means.indices.min { means[$0] < means[$1] } ?? 0
        let needed = plausible.map { traffic(best, $0).servers(prices) }.sorted()
        let place = Int(saturating: (0.95 * Double(needed.count)).rounded(.up)) - 1
        return (best, needed[min(max(0, place), needed.count - 1)])
    }

    /// Money that a choice costs more than the best, as a share of the best; and whether its servers are enough.
    func regret(
        _ choice: (tolerance: Int, servers: Int), _ truth: Operator
    ) -> (tolerance: Double, all: Double, isEnough: Bool) {
        let best = Self.tolerances.indices.map { cost($0, truth) }.min() ?? 0
        guard best > 0 else { return (0, 0, true) }
        let needed = traffic(choice.tolerance, truth).servers(prices)
        return (
            cost(choice.tolerance, truth) / best - 1,
            cost(choice.tolerance, truth, servers: choice.servers) / best - 1, choice.servers >= needed
        )
    }
}
