import Foundation

/// An SVG image drawn with the colours and letters of the page.
///
/// One unit is one CSS pixel. Texts are 12 units high; widths of texts are estimated, there is no font to ask.
struct Drawing {
    let width: Double
    var height: Double
    private var body = Markup()

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    enum Anchor: String { case start, middle, end }

    /// About how wide a text is drawn.
    static func width(of text: String) -> Double { 6.6 * Double(text.count) }

    mutating func line(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ style: String
    ) {
        body.empty(
            "line",
            [
                "x1": Self.number(from.x), "y1": Self.number(from.y), "x2": Self.number(to.x),
                "y2": Self.number(to.y), "class": style,
            ])
    }

    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, _ style: String) {
        body.empty(
            "rect",
            [
                "x": Self.number(x), "y": Self.number(y), "width": Self.number(max(width, 0)),
                "height": Self.number(max(height, 0)), "class": style,
            ])
    }

    /// A line around corners whose thickness says how much goes along it.
    mutating func route(_ corners: [(x: Double, y: Double)], width: Double, _ style: String = "route") {
        let data = corners.map { "\(Self.number($0.x)) \(Self.number($0.y))" }.joined(separator: "L")
        body.empty(
            "path", ["d": "M" + data, "class": style, "stroke-width": Self.number(width), "fill": "none"])
    }

    mutating func text(_ text: String, x: Double, y: Double, _ anchor: Anchor = .start, _ style: String = "")
    {
        body.element(
            "text",
            ["x": Self.number(x), "y": Self.number(y), "text-anchor": anchor.rawValue, "class": style],
            text: text)
    }

    /// A line through points; it is interrupted where there is none.
    mutating func path(_ points: [(x: Double, y: Double)?], _ style: String) {
        var data = ""
        var isOpen = false
        for (index, point) in points.enumerated() {
            guard let point else {
                isOpen = false
                continue
            }
            data += "\(isOpen ? "L" : "M")\(Self.number(point.x)) \(Self.number(point.y))"
            isOpen = true
            // A point alone would be invisible as a line of no length.
            let isLast = index + 1 == points.count || points[index + 1] == nil
            if isLast, index == 0 || points[index - 1] == nil { data += "h0.01" }
        }
        if !data.isEmpty { body.empty("path", ["d": data, "class": style]) }
    }

    /// The area between two lines over the same places.
    mutating func band(_ points: [(x: Double, low: Double, high: Double)?], _ style: String) {
        var data = ""
        for run in points.split(whereSeparator: { $0 == nil }) {
            let run = run.compactMap(\.self)
            let there = run.map { "\(Self.number($0.x)) \(Self.number($0.high))" }
            let back = run.reversed().map { "\(Self.number($0.x)) \(Self.number($0.low))" }
            data += "M" + (there + back).joined(separator: "L") + "Z"
        }
        if !data.isEmpty { body.empty("path", ["d": data, "class": style]) }
    }

    /// One of four shapes, so that a series is known without its colour.
    mutating func mark(_ series: Int, x: Double, y: Double) {
        let style = "m\(series % Self.seriesCount)"
        switch series % Self.seriesCount {
        case 0:
            body.empty(
                "circle", ["cx": Self.number(x), "cy": Self.number(y), "r": "4.5", "class": style])
        case 1: rectangle(x: x - 4, y: y - 4, width: 8, height: 8, style)
        case 2: polygon([(x, y - 5.5), (x + 5, y + 4), (x - 5, y + 4)], style)
        default: polygon([(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y)], style)
        }
    }

    /// Different colours, dashes and marks.
    static let seriesCount = 4

    private mutating func polygon(_ points: [(x: Double, y: Double)], _ style: String) {
        let text = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        body.empty("polygon", ["points": text, "class": style])
    }

    /// - Parameter label: What the image shows, for those who do not see it.
    func markup(label: String, style: String) -> Markup {
        var markup = Markup()
        markup.element(
            "svg",
            [
                "viewBox": "0 0 \(Self.number(width)) \(Self.number(height))",
                "width": Self.number(width), "height": Self.number(height), "role": "img",
                "aria-label": label, "class": style,
            ]
        ) { $0.append(body) }
        return markup
    }

    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
