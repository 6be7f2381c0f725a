import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What an XML parser, which forgives nothing, finds in a page.
final class ParsedPage: NSObject, XMLParserDelegate {
    struct Element {
        var name: String
        var attributes: [String: String]
        var parents: [String]
        var text = ""
    }

    private(set) var elements: [Element] = []
    /// Numbers in the tables of each figure, as programs read them.
    private(set) var figureNumbers: [[Double]] = []
    private(set) var isWellFormed = false
    private(set) var complaint = ""
    private var open: [Int] = []

    init(_ page: String) {
        super.init()
        let parser = XMLParser(data: Data(page.replacing("<!DOCTYPE html>", with: "").utf8))
        parser.delegate = self
        isWellFormed = parser.parse()
        complaint = parser.parserError.map { "\($0) in line \(parser.lineNumber)" } ?? ""
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    /// With a usual space where a line may not end.
    var text: String { elements.map(\.text).joined(separator: "\n").replacing("\u{A0}", with: " ") }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if name == "figure" { figureNumbers.append([]) }
        if name == "data", let value = attributes["value"].flatMap(Double.init),
            open.contains(where: { elements[$0].name == "figure" })
        {
            figureNumbers[figureNumbers.count - 1].append(value)
        }
        elements.append(Element(name: name, attributes: attributes, parents: open.map { elements[$0].name }))
        open.append(elements.count - 1)
    }

    func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let last = open.last { elements[last].text += text }
    }
}
