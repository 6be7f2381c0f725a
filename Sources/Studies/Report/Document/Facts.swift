import Wording

/// Figures with a name each, one below the other.
struct Facts {
    struct Row {
        var label: String
        /// Value with interval and unit, and what there is to say of it.
        var text: String
    }

    /// Line above them; none unless set.
    var title = ""
    var rows: [Row] = []
    /// Columns of a terminal from its margin to the texts.
    var width: Int
    /// Whether long texts go on below; verdicts stay on a line each, however long their expressions are.
    var isWrapped: Bool

    init(_ title: String = "", width: Int, isWrapped: Bool = true) {
        self.title = title
        self.width = width
        self.isWrapped = isWrapped
    }

    mutating func add(_ label: String, _ text: String?) {
        if let text { rows.append(Row(label: label, text: text)) }
    }

    func lines(width columns: Int) -> [String] {
        (title.isEmpty ? [] : Format.wrapped(title, width: columns))
            + rows.flatMap { row -> [String] in
                let room = max(20, columns - 2 - width)
                let texts = isWrapped ? Format.wrapped(row.text, indent: "", width: room) : [row.text]
                return texts.enumerated().map {
                    Format.left($0 == 0 ? "  " + row.label : "", width) + $1
                }
            }
    }

    /// The same for forms that draw tables themselves.
    var table: Table {
        Table(
            title: title, columns: [Table.Column("", isWords: true), Table.Column("", isWords: true)],
            rows: rows.map { row in
                [.words(String(row.label.drop { $0 == " " })), .words(row.text)]
            })
    }
}
