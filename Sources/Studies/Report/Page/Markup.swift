import Decoding

/// Well-formed markup, written piece by piece: HTML that is XML, too.
///
/// Everything that comes from outside goes through ``escaped(_:)``: elements are closed by construction, and no
/// text or attribute value can end early.
struct Markup {
    private(set) var string = ""

    /// An element with content.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
        _ content: (inout Markup) throws -> Void
    ) rethrows {
        open(name, attributes, end: ">")
        try content(&self)
        string += "</\(name)>"
    }

    /// An element that holds a text.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String
    ) {
        element(name, attributes) { $0.text(text) }
    }

    /// An element without content.
    mutating func empty(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
        open(name, attributes, end: "/>")
    }

    /// A text for people: a line never ends inside a number.
    mutating func text(_ text: String) { string += Self.escaped(Self.binding(text)) }

    /// A text for machines, such as a command or a style.
    mutating func verbatim(_ text: String) { string += Self.escaped(text) }

    /// Puts no-break spaces between groups of digits, around ± and before a unit.
    private static func binding(_ text: String) -> String {
        guard text.contains(" ") else { return text }
        var scalars = Array(text.unicodeScalars)
        func isDigit(_ place: Int) -> Bool {
            scalars.indices.contains(place) && ("0"..."9").contains(scalars[place])
        }
        func isSign(_ place: Int) -> Bool { scalars.indices.contains(place) && scalars[place] == "±" }
        func isUnit(_ place: Int) -> Bool {
            let word = scalars[place...].prefix { $0 == "%" || $0.properties.isAlphabetic }
            return Self.units.contains(String(String.UnicodeScalarView(word)))
        }
        for place in scalars.indices where scalars[place] == " " {
            let isGroup = (1...3).allSatisfy { isDigit(place + $0) } && !isDigit(place + 4)
            if isDigit(place - 1) && (isGroup || isSign(place + 1) || isUnit(place + 1)) || isSign(place - 1)
            {
                scalars[place] = "\u{A0}"
            }
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
    }

    private static let units: Set<String> = [
        "%", "us", "ms", "s", "min", "h", "d", "B", "kB", "MB", "GB", "TB",
    ]

    mutating func newLine() { string += "\n" }

    /// Adds what another writer made.
    mutating func append(_ other: Markup) { string += other.string }

    private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String>, end: String) {
        string += "<\(name)"
        for (key, value) in attributes { string += " \(key)=\"\(Self.escaped(value))\"" }
        string += end
    }

    /// Text that means only itself. Characters that XML does not allow, and those that turn the direction of a line,
    /// become U+FFFD.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            case _ where ForeignText.isControl(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
