/// A figure of a page: what it shows in one sentence, drawings for wide and narrow screens, and its data.
struct Figure {
    var title: String
    /// Words on what to see, how to read it, and how sure it is.
    var caption: String
    var table: DataTable
    /// Each draws a panel of the figure at a width in CSS pixels; none when the table says it better.
    var drawings: [(Double) -> Drawing] = []
    /// Alternatives, of which one is shown as the reader chooses.
    var views: [View] = []
    /// The table is the figure.
    var isOpen = false

    struct View {
        var name: String
        var draw: (Double) -> Drawing
    }

    static let wide = 720.0
    /// Width of a panel, two of which stand side by side.
    static let half = 350.0
    static let narrow = 340.0

    func write(to page: inout Markup) {
        page.element("figure") { figure in
            figure.element("figcaption") { text in
                text.element("strong", text: title)
                text.text(" " + caption)
            }
            writeViews(to: &figure)
            figure.element("div", ["class": "panels"]) { panels in
                for draw in drawings {
                    // The label repeats the title; the data follow in the table.
                    let wide = drawings.count > 1 ? Self.half : Self.wide
                    panels.append(draw(wide).markup(label: title, style: "wide"))
                    panels.append(draw(Self.narrow).markup(label: title, style: "narrow"))
                }
            }
            figure.element("details", isOpen ? ["open": "open"] : [:]) { details in
                details.element("summary", text: "Data: \(title)")
                table.write(to: &details)
            }
        }
        page.newLine()
    }

    /// Buttons that work without a script.
    private func writeViews(to page: inout Markup) {
        guard !views.isEmpty else { return }
        page.element("div", ["class": "views"]) { box in
            for (index, view) in views.enumerated() {
                let name = "view-\(index)"
                if index == 0 {
                    box.empty("input", ["type": "radio", "name": "view", "id": name, "checked": "checked"])
                } else {
                    box.empty("input", ["type": "radio", "name": "view", "id": name])
                }
                box.element("label", ["for": name], text: view.name)
            }
            for view in views {
                box.element("div", ["class": "view"]) { drawing in
                    drawing.append(view.draw(Self.wide).markup(label: "\(title) \(view.name)", style: "wide"))
                    drawing.append(
                        view.draw(Self.narrow).markup(label: "\(title) \(view.name)", style: "narrow"))
                }
            }
        }
    }
}

/// A table whose numbers can be read by programs, too: `data` elements hold the value as the JSON document has it.
struct DataTable {
    enum Cell {
        case text(String)
        /// The value, and how a person reads it.
        case number(Double, String)
        case none

        fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
        fileprivate var isText: Bool { if case .text = self { true } else { false } }

        /// The text that a person reads.
        var text: String {
            switch self {
            case .text(let text), .number(_, let text): text
            case .none: "–"
            }
        }
    }

    var header: [String]
    var rows: [[Cell]]

    /// Columns of numbers, which stand with their ends below each other; in one with words between them they would not
    /// be seen as a column.
    private var isNumeric: [Bool] {
        header.indices.map { column in
            let cells = rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }
            return cells.contains(where: \.isNumber) && !cells.contains(where: \.isText)
        }
    }

    func write(to page: inout Markup) {
        let isNumeric = isNumeric
        page.element("div", ["class": "scroll"]) { box in
            box.element("table") { table in
                table.element("thead") { head in
                    head.element("tr") { row in
                        for (title, isNumber) in zip(header, isNumeric) {
                            row.element(
                                "th", isNumber ? ["scope": "col", "class": "number"] : ["scope": "col"],
                                text: title)
                        }
                    }
                }
                table.element("tbody") { body in
                    for cells in rows {
                        body.element("tr") { row in
                            for (index, cell) in cells.enumerated() {
                                let isNumber = isNumeric.indices.contains(index) && isNumeric[index]
                                Self.write(cell, index, isNumeric: isNumber, to: &row)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Letters of a text that is not broken, as a range of numbers would be after each of its words.
    private static let longestWord = 20

    private static func write(_ cell: Cell, _ index: Int, isNumeric: Bool, to row: inout Markup) {
        switch cell {
        case .text(let text) where index == 0: row.element("th", ["scope": "row"], text: text)
        case .text(let text) where text.count <= longestWord:
            row.element("td", ["class": "word"], text: text)
        case .text(let text): row.element("td", text: text)
        case .none: row.element("td", isNumeric ? ["class": "number"] : [:], text: cell.text)
        case .number(let value, let text):
            row.element("td", ["class": isNumeric ? "number" : "word"]) {
                $0.element("data", ["value": "\(value)"], text: text)
            }
        }
    }
}
