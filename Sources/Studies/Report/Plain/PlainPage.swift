import Foundation
import Wording

/// A page of sentences to be read aloud: the same in a terminal and in a browser.
package struct PlainPage: Equatable, Sendable {
    package struct Section: Equatable, Sendable {
        /// `nil` for what stands before all headings.
        var title: String?
        var paragraphs: [String] = []
        var items: [String] = []
    }

    /// Columns of the text: what a letter has.
    private static let width = 80

    var title: String
    /// Below the title.
    var facts: [String]
    var sections: [Section]

    /// Text that ends with a newline.
    package var text: String {
        var lines = Format.wrapped(title, indent: "", width: Self.width)
        lines += Format.wrapped(facts.joined(separator: " · "), indent: "", width: Self.width)
        for section in sections {
            lines.append("")
            if let title = section.title { lines.append(title.uppercased()) }
            for paragraph in section.paragraphs {
                lines += Format.wrapped(paragraph, indent: "", width: Self.width)
            }
            for item in section.items {
                lines += Format.wrapped("- " + item, indent: "  ", width: Self.width)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// HTML that is well-formed XML, too, and refers to nothing outside itself.
    package var html: String {
        PageFrame(title: title, facts: facts).page { body in
            for section in sections {
                body.element("section") { part in
                    if let title = section.title { part.element("h2", text: title) }
                    for paragraph in section.paragraphs { part.element("p", text: paragraph) }
                    PageFrame.writeList(section.items, to: &part)
                }
                body.newLine()
            }
        }
    }
}

/// Why there is no such page of a result.
package enum PlainPageError: Error, Equatable, CustomStringConvertible {
    case nothingFinished
    case severalPoints(Int)
    case otherArchitecture(String)

    package var description: String {
        switch self {
        case .nothingFinished: "no replication of it had ended, so there is nothing to say"
        case .severalPoints(let count):
            "it has \(count) points, and a page is about one; run the scenario without 'vary', or with --set for it"
        case .otherArchitecture(let name):
            "its architecture is \(name); this page is derived for the URL filter, and 'urlfilter report DIR' says"
                + " who reads what of others"
        }
    }
}
