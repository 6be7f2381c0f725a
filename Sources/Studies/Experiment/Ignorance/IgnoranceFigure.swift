package import RunMetrics

/// A number that a question answers with: a metric of a run, or what follows from a run, such as money.
package struct IgnoranceFigure: Hashable, Sendable {
    package let name: String
    package let statistic: String
    package let unit: Metric.Unit
    package let support: Metric.Support

    package init(name: String, statistic: String, unit: Metric.Unit, support: Metric.Support) {
        self.name = name
        self.statistic = statistic
        self.unit = unit
        self.support = support
    }

    package init(_ metric: Metric) {
        self.init(
            name: metric.name, statistic: metric.statistic, unit: metric.unit, support: metric.support)
    }

    /// Money of a month, in the currency of the answer's prices.
    package static let money = IgnoranceFigure(
        name: "money", statistic: "month", unit: .number, support: .amount)

    /// Servers to buy, and cores of all of them.
    package static let servers = IgnoranceFigure(
        name: "servers", statistic: "instances", unit: .number, support: .amount)
    package static let cores = IgnoranceFigure(
        name: "servers", statistic: "cores", unit: .number, support: .amount)
}

extension IgnoranceMetric {
    package func isOf(_ figure: IgnoranceFigure) -> Bool {
        name == figure.name && statistic == figure.statistic
    }

    package var isMoney: Bool { isOf(.money) }
}

extension IgnoranceResult {
    package subscript(figure: IgnoranceFigure) -> IgnoranceMetric? { metrics.first { $0.isOf(figure) } }
}
