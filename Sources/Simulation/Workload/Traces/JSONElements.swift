/// Takes the objects out of the arrays of a JSON document, one after the other, without keeping the document.
///
/// `[{…}, {…}]` and `{"history": [{…}, {…}]}` are what browsers and their extensions export. An object within such an
/// object belongs to it.
struct JSONElements {
    /// Line of the last element's first byte, counted from 1.
    private(set) var line = 1
    private(set) var element: [UInt8] = []
    /// Elements that were longer than allowed.
    private(set) var isTooLong = false

    private let limit: Int
    private var nesting: [UInt8] = []
    private var isInText = false
    private var isEscaped = false
    /// Depth at which the element began.
    private var start: Int?
    private var currentLine = 1

    private static let maximumDepth = 64

    init(limit: Int) { self.limit = limit }

    /// Line of the last byte.
    var endLine: Int { currentLine }

    /// Whether nothing is open.
    var isAtEnd: Bool { nesting.isEmpty && !isInText }

    /// Takes one byte.
    ///
    /// - Returns: Whether it closed an element.
    /// - Throws: What no JSON has.
    mutating func take(_ byte: UInt8) throws(Fault) -> Bool {
        if byte == ASCII.lineFeed { currentLine += 1 }
        if start != nil { keep(byte) }
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard nesting.count < Self.maximumDepth else {
                throw Fault(line: currentLine, words: "nested too deep")
            }
            if byte == UInt8(ascii: "{"), start == nil, nesting.last == UInt8(ascii: "[") {
                start = nesting.count
                line = currentLine
                element.removeAll(keepingCapacity: true)
                isTooLong = false
                keep(byte)
            }
            nesting.append(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard let open = nesting.popLast(), (open == UInt8(ascii: "{")) == (byte == UInt8(ascii: "}"))
            else {
                throw Fault(line: currentLine, words: "a bracket closes nothing")
            }
            if start == nesting.count {
                start = nil
                return true
            }
        default: break
        }
        return false
    }

    struct Fault: Error {
        var line: Int
        var words: String
    }

    private mutating func keep(_ byte: UInt8) {
        if element.count < limit { element.append(byte) } else { isTooLong = true }
    }
}
