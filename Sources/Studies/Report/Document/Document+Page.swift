import Experiment

extension Document {
    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package func page(arguments: [String]) -> String {
        let shown = sections.map { section in
            Section(section.title, section.blocks.filter { $0.level.contains(.page) })
        }.filter { !$0.blocks.isEmpty }
        return PageFrame(title: title, facts: facts).page { body in
            Tile.write(tiles, to: &body)
            PageFrame.writeContents(shown.map(\.title) + ["Method"], to: &body)
            for section in shown {
                PageFrame.writeSection(section.title, to: &body) { Self.write(section.blocks, to: &$0) }
            }
            PageFrame.writeSection("Method", to: &body) { section in
                Self.write(method, to: &section)
                MethodSection.write(command: arguments, to: &section)
            }
        }
    }

    static func write(_ blocks: [Block], to page: inout Markup) {
        // Sentences behind each other are one list.
        var sentences: [String] = []
        for block in blocks {
            if case .sentences(let more, _) = block.content {
                sentences += more
                continue
            }
            PageFrame.writeList(sentences, style: "answers", to: &page)
            sentences = []
            switch block.content {
            case .verdict(let sentence, let judgement):
                page.element("p", ["class": judgement.rawValue]) { line in
                    line.element("span", ["class": "verdict"], text: sentence)
                }
            case .warnings(let warnings, _): PageFrame.writeList(warnings, style: "warnings", to: &page)
            case .table(let table): table.figure.write(to: &page)
            case .facts(let facts): facts.table.figure.write(to: &page)
            case .figure(let figure): figure.write(to: &page)
            case .sentences, .gap: break
            }
        }
        PageFrame.writeList(sentences, style: "answers", to: &page)
    }
}

extension Table {
    /// Figure with the cells as its data; a column with intervals becomes three.
    fileprivate var figure: Figure {
        let shown = columnIndices(at: .page)
        let wide = Set(
            shown.filter { column in
                columns[column].hasEnds && rows.contains { $0[column].hasInterval }
            })
        return Figure(
            title: title, caption: captionLevel.contains(.page) ? caption : "",
            table: DataTable(
                header: shown.flatMap { column in
                    [Self.plainHead(columns[column].head)] + (wide.contains(column) ? ["from", "to"] : [])
                },
                rows: rows.indices.map { row in
                    shown.flatMap { column in
                        rows[row][column].data(
                            isWide: wide.contains(column), isChosen: row == chosen && column == shown.first)
                    }
                }), drawings: drawings, isOpen: isOpen)
    }
}

extension Table.Cell {
    fileprivate var hasInterval: Bool {
        if case .value(let quantity) = self { quantity.interval != nil } else { false }
    }

    fileprivate func data(isWide: Bool, isChosen: Bool) -> [DataTable.Cell] {
        guard case .value(let quantity) = self else {
            let cell: DataTable.Cell =
                if case .words(let text) = self { .text(text) } else { .none }
            return [cell] + (isWide ? [.none, .none] : [])
        }
        guard isWide else { return [.number(quantity.value, text(isChosen: isChosen))] }
        let ends = [quantity.interval?.low, quantity.interval?.high].map { end -> DataTable.Cell in
            end.map { .number($0, quantity.text(of: $0)) } ?? .none
        }
        return [.number(quantity.value, quantity.mark + quantity.text(of: quantity.value))] + ends
    }
}
