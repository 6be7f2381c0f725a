package import Experiment
import FleetModel
import Foundation
import RandomStreams
import RunMetrics
package import Scenarios
import Statistics

/// Asks the program about operators that it does not know, and looks up the truth.
package struct OperatorBench {
    private let found: OperatorStudy.Found
    private let study: OperatorStudy.Options
    private let scenario: Scenario
    private let shape: OperatorShape
    private let bill: OperatorBill
    private let model: IgnoranceModel
    /// Draws of each figure, and of what a log tells.
    private let figures: [OperatorFigure: [Double]]
    private let logs: [Log]

    /// A figure of a server's log as the program expects it.
    private struct Log {
        var name: String
        var metric: Metric
        var predicted: [Double]
        /// Relative standard deviation from one day to the next of the scenario as it is, and its value.
        var spread: Double
        var value: Double
    }

    private typealias Tier = OperatorResult.Tier

    private static let draws = 20_000
    /// Draws among which a shape and servers are chosen.
    private static let choiceDraws = 400
    /// Days of the log of a week.
    private static let week = 7
    private static let leastError = LoggedFigures.leastError

    package init(_ found: OperatorStudy.Found, _ study: OperatorStudy.Options, of scenario: Scenario) throws {
        self.found = found
        self.study = study
        self.scenario = scenario
        bill = OperatorBill(scenario)
        shape = try OperatorShape(scenario, entries: OperatorScenario.entries)
        let forecast = PlausibleForecast(
            found, seed: study.seed, confidence: scenario.replications.confidence, draws: Self.draws)
        model = forecast.model
        let bill = bill
        var figures: [OperatorFigure: [Double]] = [:]
        for figure in OperatorFigure.allCases {
            figures[figure] =
                forecast.finding(like: figure == .leaks ? .leakedShare : .lookupsPerDeviceDay) {
                    figure.value(of: $0, bill, replication: $1)
                }?.values
        }
        self.figures = figures
        logs = OperatorFigure.logged.compactMap { name, metric in
            let reading = PlausibleForecast.reading(metric)
            guard let predicted = forecast.finding(reading)?.values, let days = forecast.days(metric) else {
                return nil
            }
            return Log(
                name: name, metric: metric, predicted: predicted, spread: days.spread, value: days.mean)
        }
    }

    package func result() -> OperatorResult {
        var asked: [Asked] = []
        for subject in found.operators { asked.append(ask(subject)) }
        let rows = Tier.allCases.flatMap { tier in
            OperatorFigure.judged.map { row(tier, $0, asked) }
        }
        return OperatorResult(
            study: study, devices: scenario.devices.reduce(0) { $0 + $1.count },
            confidence: model.confidence, rows: rows,
            choices: Tier.allCases.compactMap { choices($0, asked) }, operators: asked.map(\.subject))
    }

    /// An operator, and what came of each tier.
    private struct Asked {
        var subject: OperatorResult.Operator
        var effective: [Tier: Double] = [:]
    }

    private func ask(_ subject: OperatorStudy.Operator) -> Asked {
        var truths: [OperatorFigure: Double] = [:]
        for figure in OperatorFigure.allCases { truths[figure] = figure.value(of: subject.days, bill) }
        var asked = Asked(
            subject: .init(
                number: subject.number,
                settings: Dictionary(
                    uniqueKeysWithValues: zip(found.inputs, subject.places).map {
                        ($0.name, $0.value(at: $1))
                    }), truths: truths, answers: [], choices: [],
                refusals: [:]))
        for tier in Tier.allCases {
            do {
                let known = try knowledge(tier, subject)
                let update = known.update
                asked.effective[tier] = update.effectiveCount
                for figure in OperatorFigure.judged {
                    guard let values = figures[figure] else { continue }
                    let tail = (1 - model.confidence) / 2
                    let ends = update.quantiles([tail, 1 - tail], of: values)
                    asked.subject.answers.append(
                        .init(tier: tier, figure: figure, low: ends[0], high: ends[1]))
                }
                let plausible = self.plausible(known)
                if let truth = self.truth(of: subject), !plausible.isEmpty {
                    asked.subject.choices.append(choice(tier, plausible, truth))
                }
            } catch {
                asked.subject.refusals[tier] = "\(error)"
            }
        }
        return asked
    }

    /// Weights of the draws by what a tier knows, and figures that its log measured.
    private struct Knowledge {
        var update: PlausibleUpdate
        var seen: [Seen] = []

        /// Factor from what a draw makes of a figure to what was measured of it.
        ///
        /// - Parameter chance: A standard normal number.
        func level(_ metric: Metric, _ draw: Int, chance: Double) -> Double {
            seen.first { $0.metric == metric }.map { $0.level(draw, chance: chance) } ?? 1
        }
    }

    /// A figure as a log has it.
    private struct Seen {
        var metric: Metric
        var mean: Double
        /// Standard error of its logarithm.
        var error: Double
        var predicted: [Double]

        func level(_ draw: Int, chance: Double) -> Double {
            predicted[draw] > 0 ? mean * exp(error * chance) / predicted[draw] : 1
        }
    }

    private func knowledge(_ tier: Tier, _ subject: OperatorStudy.Operator) throws(KnowledgeError)
        -> Knowledge
    {
        var known = Knowledge(update: PlausibleUpdate(count: Self.draws))
        guard tier != .nothing else { return known }
        // What a list names tells on which side of the default preset it lies, and no more.
        if let listed = found.inputs.firstIndex(where: { $0.name == "listed" }),
            let now = found.inputs[listed].nowPlace
        {
            _ = known.update.keep { (model.drawn[$0][listed] < now) == (subject.places[listed] < now) }
        }
        guard tier != .list else { return known }
        let days = tier == .day ? 1 : min(Self.week, study.days)
        for log in logs {
            let seen = (subject.days[log.metric]?.perReplication ?? []).prefix(days).compactMap(\.self)
            guard let mean = seen.mean, mean > 0 else { continue }
            // Events that come alike in groups: the relative spread falls with the root of their number.
            let spread = log.spread * (log.value / mean).squareRoot() / Double(seen.count).squareRoot()
            try known.update.observe(
                log.name, mean, error: max(spread, Self.leastError), predicted: log.predicted)
            known.seen.append(.init(metric: log.metric, mean: mean, error: spread, predicted: log.predicted))
        }
        return known
    }

    private func choice(
        _ tier: Tier, _ plausible: [OperatorShape.Operator], _ truth: OperatorShape.Operator
    ) -> OperatorResult.Choice {
        let chosen = shape.tolerance(plausible)
        let least = shape.least(truth)
        return .init(
            tier: tier, tolerance: OperatorShape.tolerances[chosen],
            regret: shape.cost(chosen, truth) / least - 1,
            kept: shape.judge(
                shape.servers(nil, plausible), at: nil, truth, best: shape.cost(nil, truth)),
            changed: shape.judge(shape.servers(chosen, plausible), at: chosen, truth, best: least))
    }

    private func truth(of subject: OperatorStudy.Operator) -> OperatorShape.Operator? {
        func value(_ figure: OperatorFigure) -> Double? { figure.value(of: subject.days, bill) }
        guard let traffic = OperatorTraffic({ subject.days[$0]?.value }), let stray = value(.strayLookups),
            let listed = value(.listedLookups)
        else { return nil }
        return .init(traffic: traffic, stray: stray, listed: listed)
    }

    /// Some of what is plausible, as often as it is.
    ///
    /// Draws tell how a figure follows from another, and which lookups are stray. What a log measured is taken from it,
    /// as `calibrate` does: a model of the figure, and the least error that weights allow for, add nothing to it.
    private func plausible(_ known: Knowledge) -> [OperatorShape.Operator] {
        guard let lookups = figures[.lookups], let stray = figures[.strayLookups],
            let listed = figures[.listedLookups], let busy = figures[.busy],
            let egress = figures[.egress], let ingress = figures[.ingress]
        else { return [] }
        let downloads = found.run[.prefilterTraffic]?.value ?? 0
        var generator = SplitMix64(SplitMix64.finalize(study.seed &+ 0x106))
        return known.update.resampled(Self.choiceDraws, by: lookups).map { draw in
            let chance = StandardNormal.quantile(generator.uniform())
            let bytes = known.level(.lookupsPerDeviceDay, draw, chance: chance)
            let work = known.level(StationMetrics(.pir).utilization, draw, chance: chance)
            return .init(
                traffic: OperatorTraffic(
                    busy: busy[draw] * work, egressBytesPerDay: egress[draw] * bytes,
                    ingressBytesPerDay: ingress[draw] * bytes,
                    downloadBytesPerDay: figures[.downloads]?[draw] ?? downloads),
                stray: stray[draw], listed: listed[draw])
        }
    }

    private func row(_ tier: Tier, _ figure: OperatorFigure, _ asked: [Asked]) -> OperatorResult.Row {
        var (contained, answered): (Int, Int) = (0, 0)
        var widths: [Double] = []
        for subject in asked.map(\.subject) {
            guard let truth = subject.truths[figure],
                let answer = subject.answers.first(where: { $0.tier == tier && $0.figure == figure })
            else { continue }
            answered += 1
            if (answer.low...answer.high).contains(truth) { contained += 1 }
            widths.append(figure == .leaks ? answer.high - answer.low : answer.high / max(answer.low, 1e-12))
        }
        return .init(
            tier: tier, figure: figure, contained: contained, answered: answered,
            width: OperatorResult.median(widths))
    }

    private func choices(_ tier: Tier, _ asked: [Asked]) -> OperatorResult.Choices? {
        let all = asked.flatMap { $0.subject.choices.filter { $0.tier == tier } }
        guard !all.isEmpty else { return nil }
        return .init(
            tier: tier, operators: all.count, goodTolerances: all.count(where: \.isGood),
            kept: .init(all.map(\.kept)), changed: .init(all.map(\.changed)),
            effectiveDraws: OperatorResult.median(asked.compactMap { $0.effective[tier] }))
    }
}
