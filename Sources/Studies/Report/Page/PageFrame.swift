/// Frame that all pages have in common: look, title, and the script of their tables, which only sorts and
/// filters.
struct PageFrame {
    var title: String
    /// Below the title.
    var facts: [String]
    /// Rules for this page after those of all pages.
    var style = ""

    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    func page(_ content: (inout Markup) -> Void) -> String {
        var page = Markup()
        page.element("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]) { html in
            html.element("head") { head in
                head.empty("meta", ["charset": "utf-8"])
                head.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                head.element("title", text: title)
                head.element("style") { $0.verbatim(PageStyle.css + style) }
            }
            html.newLine()
            html.element("body") { body in
                PageStyle.writePatterns(to: &body)
                body.element("header") { header in
                    header.element("h1", text: title)
                    header.element("p", ["class": "soft"], text: facts.joined(separator: " · "))
                }
                body.newLine()
                content(&body)
                body.element("script") { $0.verbatim(PageScript.text) }
            }
        }
        return "<!DOCTYPE html>\n\(page.string)\n"
    }

    static func writeContents(_ titles: [String], to page: inout Markup) {
        page.element("nav", ["aria-label": "contents"]) { nav in
            for title in titles {
                nav.element("a", ["href": "#" + identifier(title)], text: title)
                nav.text(" ")
            }
        }
        page.newLine()
    }

    static func writeSection(
        _ title: String, to page: inout Markup, _ content: (inout Markup) -> Void
    ) {
        page.element("section", ["id": identifier(title)]) { section in
            section.element("h2", text: title)
            content(&section)
        }
        page.newLine()
    }

    /// - Parameter lines: The `! ` before a warning is for terminals: a list has marks of its own.
    static func writeList(_ lines: [String], style: String = "", to page: inout Markup) {
        guard !lines.isEmpty else { return }
        page.element("ul", ["class": style]) { list in
            for line in lines {
                list.element("li", text: line.hasPrefix("! ") ? String(line.dropFirst(2)) : line)
            }
        }
    }

    private static func identifier(_ title: String) -> String {
        title.lowercased().replacing(" ", with: "-")
    }
}

/// One of the numbers above everything else.
struct Tile {
    var value: String
    var words: String
    /// `pass`, `fail` or `open`: only for what was tested.
    var style = ""

    static func write(_ tiles: [Tile], to page: inout Markup) {
        page.element("ul", ["class": "tiles"]) { list in
            for tile in tiles {
                list.element("li", ["class": tile.style]) { item in
                    item.element("span", ["class": "figure"], text: tile.value)
                    item.element("span", ["class": "soft"], text: tile.words)
                }
            }
        }
        page.newLine()
    }
}
