import Experiment
import FleetModel
import RunMetrics
import URLFilter
import Wording

/// The parts that answer, their regions and their endpoints.
extension RunAnswer {
    var services: [Document.Block] {
        let stations = Metric.stations.filter { point[$0.utilization] != nil }
        guard !stations.isEmpty else { return [] }
        let hasInstances = stations.contains { point[$0.busiestInstance] != nil }
        let heads =
            ["SERVICES", "utilization", "busiest interval"] + (hasInstances ? ["busiest instance"] : [])
            + ["queue, mean", "longest"]
        let table = Table(
            columns: heads.map { Table.Column($0) },
            rows: stations.map { station in
                [.words(station.part.name), cell(station.utilization), cell(station.busiest)]
                    + (hasInstances ? [cell(station.busiestInstance)] : [])
                    + [cell(station.queue), .whole(point[station.longestQueue])]
            }, indent: 2)
        var notes = stations.filter { point[$0.instances] != nil }.map { station in
            "\(station.part.name) had \(estimate(station.instances)) instances on average, "
                + "\(estimate(station.instanceHours)) instance-hours"
        }
        if point[.memory] != nil {
            notes.append(
                "the fullest PIR server held \(estimate(.memory)) of database and keys; keys read from the store for "
                    + "\(estimate(.keyReads)) of the lookups")
        }
        return [.table(table, at: .full), .sentences(notes, at: .full, margin: Self.note)]
    }

    var regions: [Document.Block] {
        guard let regions = point.regions, !regions.isEmpty else { return [] }
        let isExtrapolated = point[.lookupsPerDeviceDay]?.extrapolatedFrom != nil
        let heads =
            ["REGIONS", "requests a day\(isExtrapolated ? ", extrapolated" : "")", "from afar"]
            + URLFilterModel.stations.map { $0.name + ", mean" } + ["pir, busiest"]
        let rows = regions.map { region -> [Table.Cell] in
            let metrics = RegionMetrics(region.name)
            let shown =
                [metrics.perDay, metrics.diverted] + metrics.stations.map(\.utilization)
                + metrics.stations.filter { $0.part == .pir }.map(\.busiest)
            return [.words(region.name)]
                + shown.map { metric in
                    region[metric].map { .quantity($0.value, .metric($0.unit), $0.interval) } ?? .none
                }
        }
        let note = "utilization of each service; from afar are requests of devices nearer to another region"
        return [
            .table(Table(columns: heads.map { Table.Column($0) }, rows: rows, indent: 2), at: .full),
            .sentences([note], at: .full, margin: Self.note),
        ]
    }

    var endpoints: [Document.Block] {
        let heads = ["ENDPOINTS", "requests", "peak/s", "request B", "max", "response B", "max"]
        let rows = Metric.endpoints.compactMap { metrics -> [Table.Cell]? in
            guard let size = point[metrics.request.mean], size.value > 0 else { return nil }
            let sizes = [
                metrics.peak, metrics.request.mean, metrics.request.max, metrics.response.mean,
                metrics.response.max,
            ]
            return [
                .words(metrics.endpoint.rawValue),
                (point[metrics.requests]?.headline).map(Table.Cell.metric) ?? .none,
            ] + sizes.map { .whole(point[$0]) }
        }
        guard !rows.isEmpty || point[.prefilterDownloads] != nil else { return [] }
        return [
            .table(Table(columns: heads.map { Table.Column($0) }, rows: rows, indent: 2), at: .full),
            .sentences(notesOfEndpoints, at: .full, margin: Self.note),
        ]
    }

    private var notesOfEndpoints: [String] {
        let refusals = Metric.relays.filter { point[$0.refused] != nil }.map { relay in
            let place = relay.region == "all" ? "" : " from \(relay.region)"
            return "the relay refused \(rate(relay.refused)) requests\(place) above its quotas"
        }
        let unit = point[.prefilterDownloads]?.rate == nil ? "per replication" : DeviceDayRate.words
        let second = point.busiestSecond.map { second in
            "in the busiest second of all, \(Format.duration(Double(second.time))) after the begin of replication"
                + " \(second.replication): \(BusiestSecondText.clause(second))"
        }
        return refusals + [
            "requests \(unit); the most in a second, mean of the replications; the largest sizes of all"
        ] + (second.map { [$0] } ?? []) + [
            "prefilter downloads " + rate(.prefilterDownloads), "their bytes " + rate(.prefilterTraffic),
        ]
    }

    /// Closed forms beside what was simulated, each formula once.
    var closedForms: [Document.Block] {
        guard !point.analytic.isEmpty else { return [] }
        let table = Table(
            columns: ["CLOSED FORMS", "predicted", "simulated"].map { Table.Column($0) },
            rows: point.analytic.map { form in
                [
                    .words(form.name), .quantity(form.predicted, .metric(form.unit)),
                    .quantity(form.simulated, .metric(form.unit), form.interval),
                ]
            }, indent: 2)
        return [
            .table(table, at: .full),
            .sentences(grouped(Format.distance) + grouped(\.formula), at: .full, margin: Self.note),
        ]
    }

    /// Sentences on closed forms, each with the names of those of which it is said.
    private func grouped(_ words: (AnalyticResult) -> String) -> [String] {
        point.analytic.map(words).uniqued().filter { !$0.isEmpty }.map { said in
            point.analytic.filter { words($0) == said }.map(\.name).joined(separator: ", ") + ": " + said
        }
    }
}
