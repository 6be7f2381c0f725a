import Wording

/// Devices and relay, then for each region the gateway and the services behind it: from left to right, or from top to
/// bottom where there is no room.
struct MapDrawing {
    let view: MapView
    /// Lookups per second in the busiest of all views.
    let busiest: Double

    private typealias Spot = (x: Double, y: Double)

    private static let (boxWidth, boxHeight) = (132.0, 66.0)
    private static let rowHeight = 80.0
    private static let thickest = 12.0

    private var hasRegions: Bool { view.places.contains { $0.region != nil } }

    /// Upper left corners.
    private struct Layout {
        var devices: Spot
        var relay: Spot
        /// Gateway of each place.
        var gateways: [Spot] = []
        var services: [[Spot]] = []
        var height = 0.0
        /// Place of a line that goes down beside the boxes, as there is no room between them.
        var trunk: ((_ place: Int) -> Double)?
        var faults: Double
    }

    func drawing(width: Double) -> Drawing {
        let layout = width >= 500 ? wide(width) : hasRegions ? beside(width) : below(width)
        var drawing = Drawing(width: width, height: layout.height)
        connect(layout.devices, layout.relay, share: 1, on: &drawing)
        // Lines first: the boxes cover their ends.
        for (index, (place, gateway)) in zip(view.places, layout.gateways).enumerated() {
            if let x = layout.trunk?(index) {
                let (start, middle) = (layout.relay.y + Self.boxHeight, gateway.y + Self.boxHeight / 2)
                line([(x, start), (x, middle), (gateway.x, middle)], share: place.share, on: &drawing)
            } else {
                connect(layout.relay, gateway, share: place.share, on: &drawing)
            }
            for (part, spot) in zip(place.parts.dropFirst(), layout.services[index]) {
                connect(gateway, spot, share: part.isPIR ? place.share : 0, on: &drawing)
            }
        }
        for ((place, gateway), services) in zip(zip(view.places, layout.gateways), layout.services) {
            for (part, spot) in zip(place.parts, [gateway] + services) { draw(part, at: spot, on: &drawing) }
            guard let region = place.region else { continue }
            let top = ([gateway] + services).map(\.y).min() ?? 0
            drawing.text(
                "\(region), \(Format.share(place.share)) of requests", x: gateway.x, y: top - 8, .start,
                "title")
        }
        box(
            "devices", lines: [view.lookups.map(Self.rate), view.loss.map(Self.loss)].compactMap(\.self),
            at: layout.devices, on: &drawing)
        box("relay", lines: [], at: layout.relay, on: &drawing)
        if !view.faults.isEmpty {
            let text = "meanwhile: " + view.faults.joined(separator: ", ")
            drawing.text(
                Drawing.width(of: text) <= width
                    ? text : "meanwhile: " + Format.count(view.faults.count, "fault"), x: 0,
                y: layout.faults, .start, "title")
        }
        return drawing
    }

    /// Lookups in a unit in which they need few digits, as a box has room for some eighteen letters.
    private static func rate(_ perSecond: Double) -> String {
        perSecond >= 0.01
            ? "\(Format.plain(perSecond, digits: 3)) lookups/s"
            : "\(Format.plain(perSecond * 3_600, digits: 3)) lookups/h"
    }

    private static func loss(_ share: Double) -> String {
        switch share {
        case 0: "none fails"
        case ..<1e-4: "under 0.01 % fail"
        default: "\(Format.share(share)) fail"
        }
    }

    /// Boxes from left to right.
    private func wide(_ width: Double) -> Layout {
        let first = hasRegions || !view.faults.isEmpty ? 26.0 : 8
        var layout = Layout(devices: (1, 0), relay: (190, 0), faults: 12)
        place(&layout, from: first, gateway: 390, services: width - Self.boxWidth - 1)
        let middle = (first + layout.height - Self.rowHeight - (hasRegions ? 24 : 0)) / 2
        (layout.devices.y, layout.relay.y) = (middle, middle)
        return layout
    }

    /// Devices and relay above the regions, with a line of its own to each of them.
    private func beside(_ width: Double) -> Layout {
        var layout = Layout(devices: (1, 1), relay: (1, 96), faults: 186)
        let services = width - Self.boxWidth - 1
        let gateway = services - Self.boxWidth - 22
        place(&layout, from: 220, gateway: gateway, services: services)
        let step = (gateway - 16) / Double(view.places.count)
        // The line to the last region is the outermost, so that none crosses another.
        layout.trunk = { [count = view.places.count] in 8 + step * Double(count - 1 - $0) }
        return layout
    }

    /// Everything in one column, the services of the gateway in two.
    private func below(_ width: Double) -> Layout {
        let middle = (width - Self.boxWidth) / 2
        let top = view.faults.isEmpty ? 210.0 : 228
        var layout = Layout(devices: (middle, 1), relay: (middle, 96), height: top, faults: 186)
        for place in view.places {
            layout.gateways.append((middle, layout.height))
            layout.height += Self.rowHeight
            layout.services.append([])
            for index in place.parts.indices.dropLast() {
                let x = index % 2 == 0 ? 1 : width - Self.boxWidth - 1
                layout.services[layout.services.count - 1].append(
                    (x, layout.height + Double(index / 2) * Self.rowHeight))
            }
            layout.height += Double(place.parts.count / 2) * Self.rowHeight
        }
        return layout
    }

    /// Regions below each other, each with its gateway left of the services.
    private func place(
        _ layout: inout Layout, from top: Double, gateway: Double, services: Double
    ) {
        layout.height = top
        for place in view.places {
            let count = max(place.parts.count - 1, 1)
            layout.gateways.append((gateway, layout.height + Double(count - 1) * Self.rowHeight / 2))
            layout.services.append(
                (0..<count).map { (services, layout.height + Double($0) * Self.rowHeight) })
            layout.height += Double(count) * Self.rowHeight + (hasRegions ? 24 : 0)
        }
    }

    /// A line from the middle of one box to that of the other; the boxes cover the ends.
    private func connect(_ from: Spot, _ to: Spot, share: Double, on drawing: inout Drawing) {
        let (halfWidth, halfHeight) = (Self.boxWidth / 2, Self.boxHeight / 2)
        line(
            [(from.x + halfWidth, from.y + halfHeight), (to.x + halfWidth, to.y + halfHeight)], share: share,
            on: &drawing)
    }

    private func line(_ corners: [Spot], share: Double, on drawing: inout Drawing) {
        let load = busiest > 0 ? (view.lookups ?? 0) / busiest * share : 0
        let width = 1 + Self.thickest * load
        drawing.route(corners, width: width)
        if let loss = view.loss, loss > 0, share > 0 {
            drawing.route(corners, width: max(1, width * loss), "lost")
        }
    }

    private func draw(_ part: MapView.Station, at spot: Spot, on drawing: inout Drawing) {
        let busy = part.busy.map { "\(Format.busy($0)) busy" } ?? "no data"
        let queue = part.queue.map { $0 < 0.005 ? "no queue" : "\(Format.plain($0, digits: 3)) wait" }
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
