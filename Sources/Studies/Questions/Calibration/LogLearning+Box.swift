import Experiment
import Foundation
import RunMetrics
import Scenarios

extension LogLearning {
    /// Parts of the ranges that stand for weighted draws in a scenario, where each input is drawn by itself.
    ///
    /// A log tells a sum of several inputs, and no part of each range says that. So the parts are the least ones with
    /// which no figure gets a narrower interval than the draws give it, but for their noise.
    struct Box {
        private let forecast: PlausibleForecast
        private let update: PlausibleUpdate
        private let inputs: [PlausibleInput]
        /// Inputs that have a number and that the log says something of.
        private let informed: [Int]

        /// Part of an interval's width that draws leave of it at least, were it the same.
        private static let noise = 0.95

        init(_ forecast: PlausibleForecast, _ update: PlausibleUpdate, informed: Set<Int>) {
            self.forecast = forecast
            self.update = update
            let all = forecast.found.inputs
            inputs = all
            self.informed = informed.sorted().filter { all[$0].isNumber }
        }

        /// Quantiles of an input's weighted places around their median.
        private func places(_ input: Int, _ level: Double) -> ClosedRange<Double> {
            let places = forecast.model.drawn.map { $0[input] }
            let ends = update.quantiles([(1 - level) / 2, (1 + level) / 2], of: places)
            return ends[0]...max(ends[0], ends[1])
        }

        private func parts(_ level: Double) -> [ClosedRange<Double>] {
            inputs.indices.map { informed.contains($0) ? places($0, level) : 0...1 }
        }

        private static func share(_ metric: Metric) -> Metric {
            if case .share = metric.support { metric } else { .lookupsPerDeviceDay }
        }

        /// The least level at which no figure is surer than the draws make it.
        func choose(_ levels: [Double], metrics: [Metric], draws: Int) -> (
            places: [ClosedRange<Double>], rows: [Row]
        ) {
            let tail = (1 - forecast.model.confidence) / 2
            func interval(_ ends: [Double], _ method: String) -> Interval {
                Interval(
                    low: ends[0], high: ends[1], confidence: forecast.model.confidence, method: method)
            }
            let prior = PlausibleUpdate(count: update.weights.count)
            var rows: [(metric: Metric, row: Row)] = []
            for metric in metrics {
                guard
                    let values = forecast.finding(
                        like: Self.share(metric), PlausibleForecast.reading(metric))?
                        .values
                else { continue }
                let before = prior.quantiles([tail, 1 - tail], of: values)
                let after = update.quantiles([tail, 1 - tail], of: values)
                rows.append(
                    (
                        metric,
                        Row(
                            name: metric.name, statistic: metric.statistic, unit: metric.unit,
                            before: interval(before, "draws of what is plausible"),
                            after: interval(after, "the same draws, weighted by the log"),
                            written: interval(before, "the written ranges"))
                    ))
            }
            for level in levels {
                let box = parts(level)
                let inner = forecast.within(box, draws: draws)
                let equal = PlausibleUpdate(count: draws)
                var found: [Row] = []
                for (metric, row) in rows {
                    guard
                        let values = inner.finding(
                            like: Self.share(metric), PlausibleForecast.reading(metric))?
                            .values
                    else { continue }
                    var row = row
                    row.written = interval(
                        equal.quantiles([tail, 1 - tail], of: values), "the written ranges")
                    found.append(row)
                }
                if found.allSatisfy(Self.isSureEnough) { return (box, found) }
            }
            return (inputs.map { _ in 0...1 }, rows.map(\.row))
        }

        /// Whether the written ranges are no surer than the log makes a figure. Where it says nothing of one, only the
        /// noise of the draws is between the intervals.
        private static func isSureEnough(_ row: Row) -> Bool {
            width(row.written) >= noise * min(width(row.after), width(row.before))
        }

        /// Width by the logarithm, where there is one.
        private static func width(_ interval: Interval) -> Double {
            interval.low > 0 ? log(interval.high / interval.low) : interval.high - interval.low
        }

        func changes(_ box: [ClosedRange<Double>], worthWriting: Double) -> (
            narrowed: [Narrowed], changes: [String]
        ) {
            var (narrowed, changes): ([Narrowed], [String]) = ([], [])
            for index in informed where box[index].upperBound - box[index].lowerBound < worthWriting {
                let input = inputs[index]
                let (low, high) = (box[index].lowerBound, box[index].upperBound)
                let texts = [0, 1, low, high].map { input.value(at: $0) }
                narrowed.append(
                    .init(
                        input: input.name, words: input.words, before: "\(texts[0]) to \(texts[1])",
                        after: "\(texts[2]) to \(texts[3])"))
                let middle = update.quantiles([0.5], of: forecast.model.drawn.map { $0[index] })[0]
                let now = min(max(middle, low), high)
                for (value, ends) in zip(
                    input.changes(at: now), zip(input.changes(at: low), input.changes(at: high)))
                {
                    guard let path = Self.path(value) else { continue }
                    changes.append(
                        "\(path)={ value: \(Self.text(value)), between: \(Self.text(ends.0))..\(Self.text(ends.1)) }"
                    )
                }
            }
            return (narrowed, changes)
        }

        private static func path(_ change: String) -> Substring? {
            change.firstIndex(of: "=").map { change[..<$0] }
        }

        private static func text(_ change: String) -> Substring {
            change.firstIndex(of: "=").map { change[change.index(after: $0)...] } ?? ""
        }
    }
}

extension PlausibleInput {
    /// Whether each of its settings is one number, which can have a range.
    fileprivate var isNumber: Bool {
        guard case .between = law else { return false }
        return parts.allSatisfy { part in if case .delay = part.form { false } else { true } }
    }
}
