package import EventSimulation
package import FleetModel

/// Metrics of one group of devices, as `devices[students].lookup.latency p99`.
///
/// Its name is in the scenario, so these are not in ``Metric/all``; a record has them where an objective is about the
/// group.
package struct GroupMetrics: Sendable {
    package let group: String
    /// Metrics of the group, as all devices have them.
    package let all: [Metric]

    package init(_ group: String) {
        self.group = group
        let maker = Maker(group: group)
        all =
            [
                maker.count(.leaked, \.leaked), maker.count(.falselyBlocked, \.falselyBlocked),
                maker.share(.leakedShare, \.leaked, of: \.listed),
                maker.count(.brokenPages, \.brokenPages), maker.count(.lookupsSent, \.lookupsSent),
                maker.make(
                    .lookupsPerDeviceDay,
                    .value { record, _ in
                        maker.find(in: record).flatMap { found in
                            let deviceDays = Double(found.devices) * record.observedSeconds / 86_400
                            return deviceDays > 0 ? Double(found.lookupsSent) / deviceDays : nil
                        }
                    }),
                maker.share(.failedLookups, \.lookupsFailed, of: \.lookupsEnded),
            ]
            + Metric.reportedPercentiles.map { metric in
                maker.latency(metric) { found in
                    metric.rank.flatMap { found.verdictLatency.quantile($0)?.seconds }
                }
            } + [
                maker.latency(.latencyMean) { $0.verdictLatency.mean?.seconds },
                maker.latency(.latencyMax) { $0.verdictLatency.max?.seconds },
            ]
    }

    private static let prefix = "devices["

    /// - Parameter name: With the group.
    /// - Returns: `nil` for a name without a group, and for a metric that groups do not have.
    static func metric(_ name: String, _ statistic: String) -> Metric? {
        group(in: name).flatMap { group in
            GroupMetrics(group).all.first { $0.name == name && $0.statistic == statistic }
        }
    }

    /// The group that the name of a metric begins with; `nil` for none.
    package static func group(in name: String) -> String? {
        guard name.hasPrefix(prefix), let end = name.firstIndex(of: "]") else { return nil }
        let group = name[..<end].dropFirst(prefix.count)
        return group.isEmpty ? nil : String(group)
    }

    /// - Parameter name: Of a metric of all devices.
    static func name(_ name: String, of group: String) -> String { "\(prefix)\(group)].\(name)" }
}

/// Makes a metric of a group of the one of all devices.
private struct Maker: Sendable {
    let group: String

    func find(in record: ReplicationRecord) -> GroupRecord? { record.groups?.first { $0.name == group } }

    func make(_ all: Metric, _ reading: Metric.Reading) -> Metric {
        Metric(
            GroupMetrics.name(all.name, of: group), all.statistic, all.unit, all.better, support: all.support,
            reading: reading
        )
        .with(\.tail, all.tail).with(\.countsEvents, all.countsEvents).with(\.group, group)
    }

    func count(_ all: Metric, _ number: any KeyPath<GroupRecord, Int> & Sendable) -> Metric {
        make(all, .value { record, _ in find(in: record).map { Double($0[keyPath: number]) } })
    }

    func share(
        _ all: Metric, _ part: any KeyPath<GroupRecord, Int> & Sendable,
        of whole: any KeyPath<GroupRecord, Int> & Sendable
    ) -> Metric {
        make(
            all,
            .share(
                { find(in: $0)?[keyPath: part] ?? 0 }, of: { find(in: $0)?[keyPath: whole] ?? 0 }))
    }

    func latency(_ all: Metric, _ seconds: @escaping @Sendable (GroupRecord) -> Double?) -> Metric {
        make(all, .value { record, _ in find(in: record).flatMap(seconds) })
    }
}

extension Metric {
    /// The metrics of the table, and of the groups that a record has.
    package static func all(of record: ReplicationRecord) -> [Metric] {
        all + (record.groups ?? []).flatMap { GroupMetrics($0.name).all }
    }

    /// The same of all devices.
    package var ofAllDevices: Metric {
        guard let group else { return self }
        return Self.all.first { GroupMetrics.name($0.name, of: group) == name && $0.statistic == statistic }
            ?? self
    }

    /// A percentile of the verdict latencies of a group; `nil` for one that groups do not have.
    ///
    /// - Parameter group: `nil` for all devices, which have every percentile.
    package static func latency(percentile percent: Double, of group: String?) -> Metric? {
        let all = latency(percentile: percent)
        return group.map { GroupMetrics.metric(GroupMetrics.name(all.name, of: $0), all.statistic) } ?? all
    }

    /// The latencies that the metric is about.
    package func latencies(_ record: ReplicationRecord) -> LatencyHistogram {
        guard let group else { return record.verdictLatency }
        return record.groups?.first { $0.name == group }?.verdictLatency ?? LatencyHistogram()
    }
}
