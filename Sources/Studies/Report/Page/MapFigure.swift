import Experiment
import FleetModel
import RunMetrics
import Wording

/// The parts that a lookup passes, with their load, queues and losses on them: over the whole run, in its busiest
/// interval, and in the one with most failures.
struct MapFigure {
    let points: PagePoints

    var figures: [Figure] {
        guard let named = points.shown.first, named.point[StationMetrics(.pir).utilization] != nil else {
            return []
        }
        let views = views(of: named.point)
        let busiest = views.compactMap(\.lookups).max() ?? 0
        return [
            Figure(
                title: "The way of a lookup.",
                caption:
                    "Bars are busy servers, lines are as thick as the traffic, the broken line in them the share that"
                    + " failed." + (points.isSingle ? "" : " At the first point, \(named.name)."),
                table: DataTable(
                    header: ["when", "region", "part", "busy, %", "waiting, mean"],
                    rows: views.flatMap { view in
                        view.places.flatMap { place in
                            place.parts.map { part in
                                [
                                    .text(view.name), .text(place.region ?? "–"), .text(part.name),
                                    part.busy.map { .number($0, Format.number($0 * 100)) } ?? .none,
                                    part.queue.map { .number($0, Format.whole($0)) } ?? .none,
                                ]
                            }
                        }
                    }),
                views: views.map { view in
                    Figure.View(name: view.name) { width in
                        MapDrawing(view: view, busiest: busiest).drawing(width: width)
                    }
                })
        ]
    }

    private func views(of point: PointResult) -> [MapView] {
        var views = [whole(point)]
        guard let series = point.series else { return views }
        func largest(_ metric: Metric) -> Int? {
            let values = series[metric]?.values ?? []
            let found = values.indices.max { values[$0] ?? 0 < values[$1] ?? 0 }
            return found.flatMap { values[$0] ?? 0 > 0 ? $0 : nil }
        }
        func words(_ index: Int) -> String {
            let start = Double(index) * series.interval
            return "\(Format.duration(start)) to \(Format.duration(start + series.interval))"
        }
        let (busiest, worst) = (largest(.lookupsSent), largest(.failedLookups))
        if let busiest {
            let name = "busiest interval, " + (worst == busiest ? "with most failures, " : "")
            views.append(view(name + words(busiest), busiest, point, series))
        }
        if let worst, worst != busiest {
            views.append(view("most failures, " + words(worst), worst, point, series))
        }
        return views
    }

    private func whole(_ point: PointResult) -> MapView {
        func sum(_ metric: Metric) -> Double? {
            point.series?[metric].map { $0.values.reduce(0) { $0 + ($1 ?? 0) } }
        }
        let seconds = point.series.map { $0.interval * Double($0.columns.first?.values.count ?? 0) }
        return MapView(
            name: "whole run, mean", faults: [],
            lookups: Self.ratio(sum(.lookupsSent), seconds),
            loss: Self.ratio(sum(.failedLookups), sum(.lookupsSent)),
            places: places(point, { point[$0]?.value }, region: { $0[$1]?.value }))
    }

    private func view(_ name: String, _ index: Int, _ point: PointResult, _ series: SeriesResult) -> MapView {
        func value(_ metric: Metric) -> Double? {
            (series[metric]?.values).flatMap { $0.indices.contains(index) ? $0[index] : nil }
        }
        let (begin, end) = (Double(index) * series.interval, Double(index + 1) * series.interval)
        let faults = point.recoveries.filter { $0.begin < end && max($0.end, $0.begin + 1) > begin }
        return MapView(
            name: name, faults: faults.map(\.fault).uniqued(),
            lookups: value(.lookupsSent).map { $0 / series.interval },
            loss: Self.ratio(value(.failedLookups), value(.lookupsSent)).map { min($0, 1) },
            places: places(point, value, region: { value($1) }))
    }

    /// One place per region, or the only one.
    private func places(
        _ point: PointResult, _ value: (Metric) -> Double?, region inRegion: (RegionResult, Metric) -> Double?
    ) -> [MapView.Place] {
        guard let regions = point.regions, !regions.isEmpty else {
            let parts = Metric.stations.map { station in
                MapView.Station(
                    name: PrivacyWords.name(station.part), isPIR: station.part == .pir,
                    busy: value(station.utilization), queue: value(station.queue))
            }
            return [MapView.Place(region: nil, share: 1, parts: parts)]
        }
        let requests = regions.map { $0[RegionMetrics($0.name).perDay]?.value ?? 0 }
        let all = requests.reduce(0, +)
        return zip(regions, requests).map { region, requests in
            MapView.Place(
                region: region.name, share: all > 0 ? requests / all : 0,
                parts: RegionMetrics(region.name).stations.map { station in
                    MapView.Station(
                        name: PrivacyWords.name(station.part), isPIR: station.part == .pir,
                        busy: inRegion(region, station.utilization), queue: nil)
                })
        }
    }

    private static func ratio(_ part: Double?, _ whole: Double?) -> Double? {
        guard let part, let whole, whole > 0 else { return nil }
        return part / whole
    }
}

/// Contents of a map for one stretch of time.
struct MapView {
    struct Station {
        var name: String
        /// Lookups go there.
        var isPIR: Bool
        /// Share of busy servers, and mean number of waiting requests.
        var busy: Double?
        var queue: Double?
    }

    struct Place {
        /// `nil` for the only one.
        var region: String?
        /// Share of all requests.
        var share: Double
        /// Gateway first.
        var parts: [Station]
    }

    var name: String
    /// Failures meanwhile, in words.
    var faults: [String]
    /// Per second.
    var lookups: Double?
    /// Share of them that failed.
    var loss: Double?
    var places: [Place]
}
