import Experiment
import Foundation
import RunMetrics
import Wording

/// Effects of the varied settings on each metric of a sweep: shares of its variance, and a polynomial in them.
struct SensitivityTables {
    let sweep: SweepSummary

    var blocks: [Document.Block] {
        guard !sweep.sensitivity.isEmpty else { return [] }
        return shares + metamodels
    }

    private var shares: [Document.Block] {
        let rows = sweep.sensitivity.flatMap { metric in
            (metric.shares ?? []).enumerated().map { index, share -> [Table.Cell] in
                [
                    .words(index == 0 ? Self.name(metric) : ""), .words(share.path),
                    Self.cell(share.first), Self.cell(share.total),
                    index > 0 ? .words("") : metric.noise.map(Self.decimal) ?? .words("not known"),
                ]
            }
        }
        guard !rows.isEmpty else { return [] }
        return [
            .table(
                Table(
                    title: "Share of variance.",
                    columns: [Table.Column("SHARE OF VARIANCE"), Table.Column("setting", isWords: true)]
                        + ["alone", "in all", "chance"].map { Table.Column($0) },
                    rows: rows, indent: 2, names: 2, isOpen: true)),
            .sentences(legend + strays, margin: Document.Margin(first: 2, hang: 0)), .gap(),
        ]
    }

    private var legend: [String] {
        let interval = sweep.sensitivity.lazy.compactMap { $0.shares?.first?.total.interval }.first
        let confidence = interval.map { Format.share($0.confidence) } ?? ""
        return [
            "first-order and total Sobol indices, [low, high] of a \(confidence) bootstrap interval",
            "chance: share of it that is the replications' and no setting's; it is part of what is in all",
        ]
    }

    /// Why a share can read as more than the whole, or less than nothing.
    private var strays: [String] {
        let shares = sweep.sensitivity.flatMap { $0.shares ?? [] }
        let isStray = shares.contains { share in
            ![share.first.value, share.total.value].allSatisfy((0...1).contains)
                || share.first.value > share.total.value
        }
        return isStray
            ? [
                "a share itself lies between 0 and 1, and alone it is at most that in all: what is printed outside"
                    + " is an estimate from few points, as wide as its interval says; a larger base (--sensitivity)"
                    + " narrows it"
            ] : []
    }

    private var metamodels: [Document.Block] {
        let rows = sweep.sensitivity.compactMap { metric -> [Table.Cell]? in
            metric.metamodel.map { model in
                [
                    .words(Self.name(metric)), .count(model.degree), .count(model.points),
                    Self.decimal(model.determination), Self.decimal(model.crossValidation),
                    .quantity(model.predictionError, .metric(metric.unit)),
                ]
            }
        }
        let table = Table(
            title: "Polynomials in the settings.",
            columns: ["METAMODEL", "degree", "points", "R²", "R² left out", "error left out"].map {
                Table.Column($0)
            }, rows: rows, indent: 2, names: 1, isOpen: true)
        let notes = sweep.sensitivity.compactMap { metric in
            metric.note.map { "\(Self.name(metric)): \($0)" }
        }
        return (rows.isEmpty ? [] : [.table(table)])
            + [.sentences(notes, margin: Document.Margin(first: 2)), .gap()]
    }

    private static func name(_ metric: MetricSensitivity) -> String { "\(metric.name) \(metric.statistic)" }

    private static func cell(_ estimate: MetricSensitivity.Estimate) -> Table.Cell {
        let ends = "[\(text(estimate.interval.low)), \(text(estimate.interval.high))]"
        return .value(
            Quantity(estimate.value, .number, estimate.interval, words: "\(text(estimate.value)) \(ends)"))
    }

    private static func decimal(_ value: Double) -> Table.Cell {
        .value(Quantity(value, .number, words: text(value)))
    }

    private static func text(_ value: Double) -> String {
        // -0.000 would read as a finding.
        let text = String(format: "%.3f", value)
        return text == "-0.000" ? "0.000" : text
    }
}
