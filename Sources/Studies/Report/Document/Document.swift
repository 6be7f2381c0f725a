import Wording

/// An answer, written once: one screen, everything, Markdown and a page are renderings of it.
package struct Document {
    /// Above a page and above Markdown.
    var title: String
    /// Below the title.
    var facts: [String]
    /// First lines in a terminal, in place of title and facts.
    var heading: [String]
    /// The same of one screen, where it has others.
    var briefHeading: [String]?
    /// Main numbers of a page.
    var tiles: [Tile] = []
    var sections: [Section]
    /// Account of how it was found, at the end of a page.
    var method: [Block] = []
    /// Last line of one screen, which says where the rest is.
    var more = ""

    /// Forms that a block is part of.
    package struct Level: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// One screen: at most 24 lines of 100 columns.
        package static let brief = Level(rawValue: 1)
        /// Everything that was found.
        package static let full = Level(rawValue: 2)
        package static let page = Level(rawValue: 4)
        static let text: Level = [.brief, .full]
        static let details: Level = [.full, .page]
        static let all: Level = [.brief, .full, .page]
    }

    /// Whether the question has the answer that was hoped for, for the colour of what says so.
    enum Judgement: String {
        case pass, fail, open

        var mark: String {
            switch self {
            case .pass: "✓ "
            case .fail: "✗ "
            case .open: "? "
            }
        }
    }

    struct Section {
        /// Heading on a page and in Markdown; empty for what goes on with the section before.
        var title: String
        var blocks: [Block]

        init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    struct Block {
        enum Content {
            case verdict(String, Judgement)
            /// Each on lines of its own.
            case sentences([String], Margin)
            /// At most so many lines of one screen.
            case warnings([String], most: Int?)
            case table(Table)
            case facts(Facts)
            /// Drawings, for a page only.
            case figure(Figure)
            case gap
        }

        var content: Content
        var level: Level

        static func verdict(_ sentence: String, _ judgement: Judgement, at level: Level = .all) -> Block {
            Block(content: .verdict(sentence, judgement), level: level)
        }

        static func sentences(
            _ sentences: [String], at level: Level = .all, margin: Margin = Margin()
        ) -> Block {
            Block(content: .sentences(sentences, margin), level: sentences.isEmpty ? [] : level)
        }

        /// - Parameters:
        ///   - sentences: Without the mark that each gets.
        ///   - most: Lines of one screen; as many as there are unless set.
        static func warnings(_ sentences: [String], most: Int? = nil, at level: Level = .all) -> Block {
            Block(content: .warnings(sentences, most: most), level: sentences.isEmpty ? [] : level)
        }

        static func table(_ table: Table, at level: Level = .all) -> Block {
            Block(content: .table(table), level: level)
        }

        static func facts(_ facts: Facts, at level: Level = .all) -> Block {
            Block(content: .facts(facts), level: facts.rows.isEmpty ? [] : level)
        }

        static func figure(_ figure: Figure) -> Block { Block(content: .figure(figure), level: .page) }

        /// An empty line of a terminal.
        static func gap(at level: Level = .text) -> Block { Block(content: .gap, level: level) }
    }

    /// Columns before the lines of a sentence in a terminal.
    struct Margin {
        var first = 0
        /// Further columns before all lines but the first.
        var hang = 2
    }
}
