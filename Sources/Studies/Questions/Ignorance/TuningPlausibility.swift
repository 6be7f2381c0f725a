package import Experiment
import RunMetrics
package import Scenarios

/// A tuning over what nobody knows: its money, how often the best shape stays the best, and how long a new entry goes
/// unblocked. All of it are closed forms of the shapes that were looked at.
package struct TuningPlausibility: Codable, Equatable, Sendable {
    /// Something that a tuning assumes, and what it changes.
    package struct Assumption: Sendable {
        package var input: PlausibleInput
        var change: @Sendable (inout TuningCost, Double) -> Void
    }

    /// Money of the best shape, that of Apple's default over it, and how long a new entry goes unblocked.
    package var ignorance: IgnoranceResult
    /// Apple's default beside the best shape, in money.
    package var contest: PlausibleContest?
    /// Points of the design at which the best shape costs at most a fiftieth more than the cheapest of all shapes that
    /// were looked at.
    package var near: Int
    /// The most that it costs more than the cheapest, as a share of it, over the points.
    package var mostRegret: Double

    package var points: Int { ignorance.plannedPoints }
    package var nearShare: Double { Double(near) / Double(points) }

    /// - Parameters:
    ///   - result: Whose first choice is the best shape, and the second Apple's default.
    ///   - assumptions: What nobody told.
    ///   - points: Of the design.
    /// - Returns: `nil` where everything is known.
    package init?(
        _ result: TuningResult, _ tuner: PrefilterTuner, _ assumptions: [Assumption], points: Int,
        confidence: Double
    ) throws {
        guard result.choices.count > 1,
            let design = FormulaDesign(
                assumptions.map(\.input), points: points, seed: Self.seed, confidence: confidence)
        else { return nil }
        let (best, usual) = (result.choices[0], result.choices[1])
        var (money, gains, delays, merits): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        let now = (best.design.moneyPerMonth, usual.design.moneyPerMonth)
        for place in design.places {
            var tuner = tuner
            for (assumption, place) in zip(assumptions, place) {
                guard let value = assumption.input.number(at: place) else { continue }
                assumption.change(&tuner.cost, value)
            }
            func cost(_ design: PrefilterTuner.Design) throws -> Double {
                try tuner.design(bitCount: design.bitCount, hashCount: design.hashCount).moneyPerMonth
            }
            let (own, other) = try (cost(best.design), cost(usual.design))
            let cheapest = try result.plane.map(cost).reduce(min(own, other)) { min($0, $1) }
            // What was seen of built filters, times what theory says of the point.
            money.append(now.0 > 0 ? best.observed.moneyPerMonth.value * own / now.0 : own)
            gains.append(now.0 > 0 && now.1 > 0 && own > 0 ? other / own / (now.1 / now.0) : 1)
            delays.append(tuner.cost.editions.meanDelay)
            merits.append(cheapest > 0 ? own / cheapest - 1 : 0)
        }
        let estimate = best.observed.moneyPerMonth
        let gain = result.gain.map { gain in
            FormulaDesign.Form(
                .gain, now: gain.value, interval: gain.interval, values: gains.map { gain.value * $0 })
        }
        ignorance = design.result(
            [
                FormulaDesign.Form(.money, now: estimate.value, interval: estimate.interval, values: money),
                gain,
                tuner.cost.editions.dailyNewShare > 0
                    ? FormulaDesign.Form(
                        .blockingMean, now: tuner.cost.editions.meanDelay, values: delays) : nil,
            ].compactMap(\.self))
        contest = result.gain.flatMap { gain in
            PlausibleContest(
                .money, .lower, first: zip(money, gains).map { $0 * gain.value * $1 }, second: money)
        }
        near = merits.count { $0 <= PlanMerits.likeness }
        mostRegret = merits.max() ?? 0
    }

    /// The same draws in every tuning.
    private static let seed: UInt64 = 1
}

extension TuningPlausibility.Assumption {
    /// Everything that a tuning assumes and that has a range where its default is declared.
    ///
    /// - Parameter told: Names of assumptions that the user told, among `restart`, `short-lived` and `machine`.
    package static func all(_ cost: TuningCost, told: Set<String>) -> [Self] {
        let editions = cost.editions
        func seconds(_ value: Double) -> String { QuantityUnit.seconds.text(value) }
        var all: [Self?] = [
            make(Schema.devices.coverage.info, path: "coverage", now: "100%") { $0.scaleLookups($1) },
            make(Schema.station.cpuFactor.info, path: "--profile", now: "1") { $0.scaleWork($1) },
        ]
        if editions.dailyNewShare > 0 {
            all += [
                make(
                    Schema.updates.appRestart.info, path: "--app-restart", now: seconds(editions.appRestart)
                ) { $0.editions.appRestart = $1 },
                make(
                    Schema.behaviour.configurationRefetch.info, path: "configurationRefetch",
                    now: seconds(editions.configurationRefetch)
                ) { $0.editions.configurationRefetch = $1 },
            ]
        }
        if editions.shortLivedShare > 0 {
            all += [
                make(
                    Schema.updates.shortLived.info, path: "--short-lived",
                    now: QuantityUnit.share.text(editions.shortLivedShare)
                ) { $0.editions.shortLivedShare = $1 },
                make(
                    Schema.updates.shortLife.info, path: "shortLife", now: seconds(editions.shortLife)
                ) { $0.editions.shortLife = $1 },
            ]
        }
        return all.compactMap(\.self).filter { !told.contains($0.input.name) }
    }

    private static func make(
        _ setting: SettingInfo, path: String, now: String,
        _ change: @escaping @Sendable (inout TuningCost, Double) -> Void
    ) -> Self? {
        PlausibleInput(setting, path: path, now: now).map { Self(input: $0, change: change) }
    }
}

extension TuningCost {
    /// The bill where devices ask so many times as often. So many times the work, the waits and the failures of each
    /// lookup are the same bill, and caches answer the same share.
    mutating func scaleLookups(_ factor: Double) {
        scaleWork(factor)
        for part in [\Lookup.first, \.extra] {
            lookup[keyPath: part].ingressBytes *= factor
            lookup[keyPath: part].egressBytes *= factor
        }
        waiting.answerTime *= factor
        waiting.unansweredShare *= factor
        prices.exposedVisit *= factor
    }

    /// Machines that take so many times the CPU.
    mutating func scaleWork(_ factor: Double) {
        for part in [\Lookup.first, \.extra] {
            lookup[keyPath: part].gateway *= factor
            lookup[keyPath: part].issuer *= factor
            lookup[keyPath: part].pir *= factor
        }
    }
}

extension IgnoranceFigure {
    /// Money of Apple's default over that of the best shape.
    package static let gain = IgnoranceFigure(
        name: "gain", statistic: "ratio", unit: .number, support: .amount)
}
