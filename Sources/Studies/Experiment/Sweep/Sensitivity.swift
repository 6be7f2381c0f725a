import RunMetrics
import Scenarios
import Statistics

/// Effects of the varied settings on the headline metrics of a sweep.
struct Sensitivity {
    private let plan: SweepPlan
    private let metrics: [Metric]

    init(_ plan: SweepPlan) {
        self.plan = plan
        let objectives = plan.points.first?.scenario.objectives.map(\.metric) ?? []
        metrics = Metric.all.filter { SweepSummary.headline.contains($0) || objectives.contains($0) }
    }

    /// - Parameter points: All points of the plan, in order.
    func metrics(of points: [PointResult]) -> [MetricSensitivity] {
        guard plan.settings.isEmpty == false, points.count == plan.points.count, points.count > 1 else {
            return []
        }
        return metrics.compactMap { sensitivity(of: $0, points) }
    }

    private func sensitivity(of metric: Metric, _ points: [PointResult]) -> MetricSensitivity? {
        let values = points.map { $0[metric]?.value }
        // A metric that no point has a value for is none of this scenario.
        guard values.contains(where: { $0 != nil }) else { return nil }
        var result = MetricSensitivity(name: metric.name, statistic: metric.statistic, unit: metric.unit)
        let known = values.compactMap(\.self)
        guard known.count == points.count else {
            result.note = "\(points.count - known.count) points have no value"
            return result
        }
        guard Set(known).count > 1 else {
            result.note = "the same at every point"
            return result
        }
        var notes: [String] = []
        if case .sensitivity(let base) = plan.design {
            result.shares = shares(plan.rows.map { known[$0] }, base: base)
            result.noise = ReplicationNoise.share(
                points.map { $0[metric]?.perReplication.compactMap(\.self) ?? [] })
            if result.shares == nil {
                notes.append("too few points differ for a bootstrap interval; raise the base")
            }
        }
        switch metamodel(known) {
        case .success(let model): result.metamodel = model
        case .failure(let reason): notes.append(reason.sentence)
        }
        result.note = notes.isEmpty ? nil : notes.joined(separator: "; ")
        return result
    }

    private func shares(_ outputs: [Double], base: Int) -> [MetricSensitivity.Share]? {
        guard let design = SobolDesign(dimensions: plan.settings.count, baseCount: base),
            let indices = design.indices(of: outputs, seed: plan.points[0].scenario.seed)
        else { return nil }
        func estimate(_ bootstrap: BootstrapEstimate, _ estimator: String) -> MetricSensitivity.Estimate {
            .init(
                value: bootstrap.value,
                interval: Interval(
                    low: bootstrap.bounds.lowerBound, high: bootstrap.bounds.upperBound,
                    confidence: bootstrap.confidence,
                    method: "\(estimator), bootstrap of \(base) rows"))
        }
        return zip(plan.settings, indices).map { setting, index in
            .init(
                path: setting.path, first: estimate(index.first, "Saltelli 2010"),
                total: estimate(index.total, "Jansen 1999"))
        }
    }

    private struct NoModel: Error {
        var sentence: String
    }

    /// The highest degree that the points determine, fitted to the different points.
    private func metamodel(_ outputs: [Double]) -> Result<MetamodelSummary, NoModel> {
        guard let places = plan.coordinates else {
            return .failure(NoModel(sentence: "no metamodel: a setting has values without an order"))
        }
        var points: [[Double]] = Array(repeating: [], count: outputs.count)
        for (row, point) in plan.rows.enumerated() { points[point] = places[row] }
        for degree in [2, 1] {
            guard let model = Metamodel(points: points, outputs: outputs, degree: degree) else { continue }
            let terms = model.terms.enumerated().map { index, inputs in
                MetamodelSummary.Term(
                    name: inputs.isEmpty
                        ? "1" : inputs.map { plan.settings[$0].path }.joined(separator: " · "),
                    coefficient: model.fit.coefficients[index],
                    standardError: model.fit.standardError(of: index))
            }
            return .success(
                MetamodelSummary(
                    degree: degree, points: outputs.count, terms: terms,
                    determination: model.determination, crossValidation: model.crossValidation,
                    predictionError: model.predictionError))
        }
        return .failure(
            NoModel(sentence: "no metamodel: \(outputs.count) points do not determine a polynomial"))
    }
}

/// Noise that replications add to the differences between points.
package enum ReplicationNoise {
    /// - Parameter values: By point, then by replication.
    /// - Returns: The share of the variance between the points' means that chance alone would leave; `nil` without two
    ///   points and two replications, or where points are alike. What a replication does to all points alike, as with
    ///   the same random numbers, is not in it.
    package static func share(_ values: [[Double]]) -> Double? {
        guard let count = values.map(\.count).min(), count > 1, values.count > 1 else { return nil }
        let points = values.map { $0.prefix(count).reduce(0, +) / Double(count) }
        let all = points.reduce(0, +) / Double(points.count)
        let between = points.reduce(0) { $0 + ($1 - all) * ($1 - all) } / Double(points.count - 1)
        guard between > 0 else { return nil }
        var rest = 0.0
        for replication in 0..<count {
            let mean = values.reduce(0) { $0 + $1[replication] } / Double(values.count)
            for (point, row) in values.enumerated() {
                let residual = row[replication] - points[point] - mean + all
                rest += residual * residual
            }
        }
        let freedom = Double((values.count - 1) * (count - 1))
        return min(1, rest / freedom / Double(count) / between)
    }
}
