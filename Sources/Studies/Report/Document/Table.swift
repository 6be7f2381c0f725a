import Experiment
import RunMetrics
import Wording

/// A table of an answer: cells have values, and each form writes them as its readers want them.
struct Table {
    struct Column {
        /// Lines of a terminal's head, one below the other.
        var head: String
        /// Aligned as words are, at the left.
        var isWords = false
        var level = Document.Level.all
        /// Whether a page has the ends of intervals in columns of their own.
        var hasEnds = true

        init(
            _ head: String, isWords: Bool = false, hasEnds: Bool = true, at level: Document.Level = .all
        ) {
            self.head = head
            self.isWords = isWords
            self.hasEnds = hasEnds
            self.level = level
        }
    }

    enum Cell {
        case words(String)
        case value(Quantity)
        case none

        var text: String {
            switch self {
            case .words(let text): text
            case .value(let quantity): quantity.text
            case .none: "–"
            }
        }

        static func count(_ value: Int) -> Cell { .value(Quantity(Double(value), .count)) }
        static func number(_ value: Double?) -> Cell { quantity(value, .number) }

        /// A value, or nothing.
        static func quantity(
            _ value: Double?, _ unit: Quantity.Unit, _ interval: Interval? = nil, mark: String = ""
        ) -> Cell {
            value.map { .value(Quantity($0, unit, interval, mark: mark)) } ?? .none
        }
    }

    /// Above it on a page, and in Markdown.
    var title = ""
    /// Forms of a terminal that have the title, too.
    var titleLevel: Document.Level = []
    /// How to read it.
    var caption = ""
    /// Forms that have the caption.
    var captionLevel = Document.Level.page
    var columns: [Column]
    var rows: [[Cell]]
    /// Rows of one screen; all of them unless set.
    var brief: [Int]?
    /// Line below the rows of one screen that others are left out of.
    var rest = ""
    /// Row that is the answer.
    var chosen: Int?
    /// Columns before the rows in a terminal.
    var indent = 0
    /// Columns at the left that a table repeats where it has to go on below itself; none for one that must not.
    var names = 0
    /// Figures of the same values on a page, each a panel.
    var drawings: [(Double) -> Drawing] = []
    /// Whether a page shows the cells without being asked.
    var isOpen = false

    func columnIndices(at level: Document.Level) -> [Int] {
        columns.indices.filter { columns[$0].level.contains(level) }
    }

    func rowIndices(at level: Document.Level) -> [Int] {
        level == .brief ? (brief ?? Array(rows.indices)).filter(rows.indices.contains) : Array(rows.indices)
    }

    /// The same values under another title, with one drawing of them, on a page.
    func drawn(_ title: String, _ caption: String, _ drawing: @escaping (Double) -> Drawing) -> Table {
        var table = self
        (table.title, table.caption, table.drawings) = (title, caption, [drawing])
        return table
    }

    /// The lines of a head as one, a parted word whole; all capitals and indents are for terminals only.
    static func plainHead(_ lines: String) -> String {
        let words = lines.split(separator: "\n").joined(separator: " ").replacing("- ", with: "")
        let head = String(words.drop { $0 == " " })
        return head == head.uppercased() && head.count > 1 ? head.lowercased() : head
    }
}

/// A value with its unit and its interval.
struct Quantity {
    enum Unit {
        case number, count, share, bytes
        /// A share that somebody chose.
        case percent
        /// Seconds in the unit in which they have few digits.
        case duration
        /// Seconds that people wait.
        case wait
        /// Seconds in milliseconds, however many.
        case milliseconds
        /// So many times.
        case factor
        /// So many of so many.
        case of(Int)
        /// The unit of a metric, as ``Format/estimate(_:_:_:)`` writes it.
        case metric(Metric.Unit)
        /// A metric beside others, each end of an interval in a unit of its own.
        case compared(Metric.Unit)
    }

    var value: Double
    var unit: Unit
    var interval: Interval?
    /// Before the value, such as `≥ `.
    var mark: String
    /// Text in place of value and interval.
    var words: String?

    init(
        _ value: Double, _ unit: Unit, _ interval: Interval? = nil, mark: String = "", words: String? = nil
    ) {
        self.value = value
        self.unit = unit
        self.interval = interval
        self.mark = mark
        self.words = words
    }

    var text: String {
        if let words { return words }
        if case .metric(let unit) = unit { return mark + Format.estimate(value, interval, unit) }
        return mark + Self.text(value, unit) + Format.spread(around: value, interval) { Self.text($0, unit) }
    }

    /// The same without the interval, as each of its ends is written, too.
    func text(of value: Double) -> String {
        if case .metric(let unit) = unit { return Format.estimate(value, nil, unit) }
        return Self.text(value, unit)
    }

    private static func text(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .number: Format.number(value)
        case .count: Format.whole(value)
        case .share: Format.share(value)
        case .bytes: Format.bytes(value)
        case .percent: Format.percent(value)
        case .duration: Format.duration(value)
        case .wait, .compared(.seconds): Format.wait(value)
        case .milliseconds: Format.milliseconds(value) + " ms"
        case .factor: "× " + Format.number(value)
        case .of(let all): "\(Format.whole(value)) of \(Format.count(all))"
        case .metric(let unit): Format.estimate(value, nil, unit)
        case .compared(.share): Format.share(value)
        case .compared(.bytes): Format.bytes(value)
        case .compared(.number): Format.number(value)
        }
    }
}

extension Table.Cell {
    /// The value in a chart.
    var dot: DotChart.Dot? {
        guard case .value(let quantity) = self else { return nil }
        return DotChart.Dot(
            value: quantity.value, low: quantity.interval?.low, high: quantity.interval?.high, label: text)
    }
}
