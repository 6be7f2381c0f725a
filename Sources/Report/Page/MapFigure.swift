import Experiment
import FleetModel

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
        let faults = (point.recoveries ?? []).filter { $0.begin < end && max($0.end, $0.begin + 1) > begin }
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
                    name: DisclosureTable.name(station.part), isPIR: station.part == .pir,
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
                        name: DisclosureTable.name(station.part), isPIR: station.part == .pir,
                        busy: inRegion(region, station.utilization), queue: nil)
                })
        }
    }

    private static func ratio(_ part: Double?, _ whole: Double?) -> Double? {
        guard let part, let whole, whole > 0 else { return nil }
        return part / whole
    }
}

/// What a map shows of one stretch of time.
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
        /// Of all requests.
        var share: Double
        /// Gateway first.
        var parts: [Station]
    }

    var name: String
    /// What failed meanwhile, in words.
    var faults: [String]
    /// Per second.
    var lookups: Double?
    /// Share of them that failed.
    var loss: Double?
    var places: [Place]
}

/// Devices and relay, then for each region the gateway and the services behind it: from left to right, or from top to
/// bottom where there is no room.
struct MapDrawing {
    let view: MapView
    /// Lookups per second in the busiest of all views.
    let busiest: Double

    private typealias Spot = (x: Double, y: Double)

    private static let (boxWidth, boxHeight) = (132.0, 66.0)
    private static let thickest = 12.0

    private var hasRegions: Bool { view.places.contains { $0.region != nil } }

    func drawing(width: Double) -> Drawing {
        let isNarrow = width < 500
        var drawing = Drawing(width: width, height: 0)
        let (boxWidth, boxHeight) = (Self.boxWidth, Self.boxHeight)
        let rows = view.places.map { $0.parts.count - 1 }
        let rowHeight = boxHeight + 14
        // Of the regions, one below the other; a narrow one has its gateway above the services.
        let first = (isNarrow ? 210.0 : 8) + (hasRegions || !view.faults.isEmpty ? 18 : 0)
        var tops: [Double] = []
        var bottom = first
        for count in rows {
            tops.append(bottom)
            let lines = isNarrow ? 1 + (count + 1) / 2 : max(count, 1)
            bottom += Double(lines) * rowHeight + (hasRegions ? 24 : 0)
        }
        drawing.height = bottom
        let middle = (first + bottom - rowHeight - (hasRegions ? 24 : 0)) / 2
        let devices: Spot = isNarrow ? ((width - boxWidth) / 2, 1) : (1, middle)
        let relay: Spot = isNarrow ? ((width - boxWidth) / 2, 96) : (190, middle)
        let gateways: [Spot] = zip(view.places, tops).map { place, top in
            isNarrow ? ((width - boxWidth) / 2, top) : (390, gatewayTop(place, top))
        }
        connect(devices, relay, share: 1, on: &drawing)
        // Below all boxes: where there is no room, one passes the boxes of another region.
        for (place, gateway) in zip(view.places, gateways) {
            connect(relay, gateway, share: place.share, on: &drawing)
        }
        for ((place, top), gateway) in zip(zip(view.places, tops), gateways) {
            for (index, part) in place.parts.dropFirst().enumerated() {
                let spot: Spot =
                    isNarrow
                    ? (
                        index % 2 == 0 ? 1 : width - boxWidth - 1, top + Double(1 + index / 2) * rowHeight
                    ) : (width - boxWidth - 1, top + Double(index) * rowHeight)
                connect(
                    gateway, spot, share: part.isPIR ? place.share : 0, on: &drawing)
                draw(part, at: spot, on: &drawing)
            }
            if let part = place.parts.first { draw(part, at: gateway, on: &drawing) }
            if let region = place.region {
                drawing.text(
                    "\(region), \(Format.share(place.share)) of requests",
                    x: isNarrow ? 0 : 390, y: isNarrow ? top - 6 : top - 8, .start, "title")
            }
        }
        let traffic = view.lookups.map { "\(Format.number($0)) lookups/s" }
        let loss = view.loss.map { $0 > 0 ? "\(Format.share($0)) of them fail" : "none fails" }
        box("devices", lines: [traffic, loss].compactMap(\.self), at: devices, on: &drawing)
        box("relay", lines: [], at: relay, on: &drawing)
        if !view.faults.isEmpty {
            drawing.text(
                "meanwhile: " + view.faults.joined(separator: ", "), x: 0, y: isNarrow ? 186 : 12, .start,
                "title")
        }
        return drawing
    }

    private func gatewayTop(_ place: MapView.Place, _ top: Double) -> Double {
        top + Double(max(place.parts.count - 2, 0)) * (Self.boxHeight + 14) / 2
    }

    /// From the middle of one box to that of the other; the boxes cover the ends.
    private func connect(_ from: Spot, _ to: Spot, share: Double, on drawing: inout Drawing) {
        let (halfWidth, halfHeight) = (Self.boxWidth / 2, Self.boxHeight / 2)
        let ends: (Spot, Spot) = (
            (from.x + halfWidth, from.y + halfHeight), (to.x + halfWidth, to.y + halfHeight)
        )
        let load = busiest > 0 ? (view.lookups ?? 0) / busiest * share : 0
        let width = 1 + Self.thickest * load
        drawing.route(ends.0, ends.1, width: width)
        if let loss = view.loss, loss > 0, share > 0 {
            drawing.route(ends.0, ends.1, width: max(1, width * loss), "lost")
        }
    }

    private func draw(_ part: MapView.Station, at spot: Spot, on drawing: inout Drawing) {
        let busy = part.busy.map { "\(Format.share($0)) busy" } ?? "no data"
        let queue = part.queue.map { $0 < 0.005 ? "no queue" : "\(Format.number($0)) wait" }
        box(part.name, lines: [busy, queue].compactMap(\.self), at: spot, on: &drawing)
        guard let share = part.busy else { return }
        let place = (x: spot.x + 8, y: spot.y + Self.boxHeight - 9)
        drawing.rectangle(x: place.x, y: place.y, width: Self.boxWidth - 16, height: 5, "gauge")
        drawing.rectangle(
            x: place.x, y: place.y, width: (Self.boxWidth - 16) * min(share, 1), height: 5,
            share > 0.9 ? "full" : "busy")
    }

    private func box(_ name: String, lines: [String], at spot: Spot, on drawing: inout Drawing) {
        drawing.rectangle(x: spot.x, y: spot.y, width: Self.boxWidth, height: Self.boxHeight, "box")
        drawing.text(name, x: spot.x + 8, y: spot.y + 18)
        for (index, line) in lines.enumerated() {
            drawing.text(line, x: spot.x + 8, y: spot.y + 35 + Double(index) * 15, .start, "title")
        }
    }
}
