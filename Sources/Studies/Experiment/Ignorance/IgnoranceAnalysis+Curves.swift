import RunMetrics

/// Curves of a run at the points of a design.
extension IgnoranceAnalysis {
    /// A curve of one point: values by where they stand.
    private struct Course {
        var values: [Double: Double] = [:]
        /// Those of the run in their order, with what chance does.
        var places: [(at: Double, interval: Interval?)] = []

        init(_ points: [FreshnessPoint]) {
            for point in points { add(point.seconds, point.share, point.interval) }
        }

        init(_ curve: PercentileCurve) {
            for (index, share) in curve.shares.enumerated() where curve.values.indices.contains(index) {
                let ends = [curve.low, curve.high].compactMap { bounds in
                    bounds.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                }
                add(
                    share, curve.values[index],
                    ends.count < 2
                        ? nil
                        : Interval(
                            low: ends[0], high: ends[1], confidence: curve.confidence, method: "Student's t"))
            }
        }

        private mutating func add(_ place: Double, _ value: Double, _ interval: Interval?) {
            values[place] = value
            places.append((place, interval))
        }
    }

    func curves() -> [IgnoranceCurve] {
        let found = [
            curve(.blocks, .init(name: "freshness.block", statistic: "share", unit: .share, support: .share))
            {
                ($0.freshness?.added.last?.points).map(Course.init)
            },
            curve(.allows, .init(name: "freshness.allow", statistic: "share", unit: .share, support: .share))
            {
                ($0.freshness?.removed.last?.points).map(Course.init)
            },
            waitsDiffer == nil
                ? curve(.latency, IgnoranceFigure(.latency(percentile: 50))) {
                    $0.latencyCurve.map(Course.init)
                }
                : nil,
        ]
        return found.compactMap(\.self)
    }

    /// - Returns: `nil` where the run has no such curve, and where no place of it moves.
    private func curve(
        _ name: IgnoranceCurve.Name, _ figure: IgnoranceFigure, _ read: (PointResult) -> Course?
    ) -> IgnoranceCurve? {
        guard let own = read(run), let centre = read(centre) else { return nil }
        let others = points.map(read)
        let bands = own.places.map { place, interval -> Interval? in
            let known = others.compactMap { $0?.values[place] }
            guard known.count == points.count, let now = own.values[place],
                let before = centre.values[place], Set(known + [before]).count > 1
            else { return nil }
            return model.band(
                .init(
                    figure: figure, estimate: now, interval: interval, perReplication: [], centre: before,
                    points: known))
        }
        guard bands.contains(where: { $0 != nil }) else { return nil }
        return IgnoranceCurve(name: name, low: bands.map { $0?.low }, high: bands.map { $0?.high })
    }

    /// Closed forms of the update, which are evaluated at each point and have no chance in them.
    func forms() -> [IgnoranceModel.Finding] {
        let forms: [(IgnoranceFigure, (FreshnessResult) -> Double?)] = [
            (.blockingMean, { $0.ownDelay?.mean }), (.blockingLate, { $0.ownDelay?.p95 }),
        ]
        return forms.compactMap { figure, read in
            let known = points.compactMap { $0.freshness.flatMap(read) }
            guard let now = run.freshness.flatMap(read), let before = centre.freshness.flatMap(read),
                known.count == points.count, Set(known + [before]).count > 1
            else { return nil }
            return model.finding(
                .init(
                    figure: figure, estimate: now, interval: nil, perReplication: [], centre: before,
                    points: known))
        }
    }
}

extension IgnoranceFigure {
    /// Seconds from the moment in which an entry is known to be bad to the one in which a device blocks it: over the
    /// devices, and those within which 95 % of them do (``BlockingDelay``).
    package static let blockingMean = IgnoranceFigure(
        name: "freshness.delay", statistic: "mean", unit: .seconds, support: .amount)
    package static let blockingLate = IgnoranceFigure(
        name: "freshness.delay", statistic: "p95", unit: .seconds, support: .amount)
}
