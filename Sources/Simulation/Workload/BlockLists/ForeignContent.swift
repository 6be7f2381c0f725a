/// A kind of file that is no block list, recognised by its contents.
///
/// As a list of lines most of them would pass: nearly every line of a web page or a JSON document could be an entry,
/// and a prefilter of such lines blocks nothing without a word.
package enum ForeignContent: String, CaseIterable, Sendable {
    case binary = "binary data"
    case binaryPropertyList = "a binary property list"
    case compressedTwice = "data that are compressed twice; decompress them once"
    case executable = "an executable"
    case html = "an HTML page, perhaps an error page in place of the list"
    case image = "an image"
    case json = "JSON"
    case otherCompression = "data compressed with something else than gzip or Zstandard; decompress them"
    case pdf = "a PDF document"
    case propertyList = "an XML property list, perhaps a prefilter"
    case sqlite = "an SQLite database"
    case tar = "a tar archive; take the list out of it"
    case utf32 = "UTF-32 text; save it as UTF-8"
    case xml = "XML"
    case yaml = "YAML or other text of the form 'key: value'"
    case zip = "a ZIP archive or an office document; take the list out of it"

    /// First bytes that nothing else starts with.
    private static let signatures: [(bytes: [UInt8], content: ForeignContent)] = [
        (Array("bplist00".utf8), .binaryPropertyList),
        ([0x1F, 0x8B, 0x08], .compressedTwice),
        ([0x28, 0xB5, 0x2F, 0xFD], .compressedTwice),
        ([0x7F, 0x45, 0x4C, 0x46], .executable),
        ([0xCF, 0xFA, 0xED, 0xFE], .executable),
        ([0x89, 0x50, 0x4E, 0x47], .image),
        (Array("GIF87a".utf8), .image),
        (Array("GIF89a".utf8), .image),
        ([0xFF, 0xD8, 0xFF], .image),
        (Array("BZh91AY&SY".utf8), .otherCompression),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .otherCompression),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .otherCompression),
        (Array("%PDF-".utf8), .pdf),
        (Array("SQLite format 3\0".utf8), .sqlite),
        ([0xFF, 0xFE, 0, 0], .utf32),
        ([0, 0, 0xFE, 0xFF], .utf32),
        ([0x50, 0x4B, 0x03, 0x04], .zip),
    ]
    /// Control characters above which data are no text. In text no byte in a thousand is one, in data that
    /// look random one in ten.
    private static let mostControlCharacters = (share: 16, count: 32)
    /// The place of `ustar` in the header of a tar archive.
    private static let tarMark = 257

    /// - Parameter preview: The first bytes, or all of them.
    init?(_ preview: Span<UInt8>) {
        let signature = Self.signatures.first { signature in
            preview.count >= signature.bytes.count
                && signature.bytes.indices.allSatisfy { preview[$0] == signature.bytes[$0] }
        }
        if let signature {
            self = signature.content
        } else if preview.starts(with: "ustar", at: Self.tarMark) {
            self = .tar
        } else if Self.isBinary(preview) {
            self = .binary
        } else {
            self.init(markup: preview)
        }
    }

    /// A few control characters are mistakes in a list; the reader drops their lines.
    private static func isBinary(_ preview: Span<UInt8>) -> Bool {
        var count = 0
        for index in preview.indices {
            let byte = preview[index]
            if byte < ASCII.space && !byte.isBlank || byte == ASCII.delete { count += 1 }
        }
        return count > mostControlCharacters.count && count * mostControlCharacters.share > preview.count
    }

    /// No entry starts with `<` or `{`; behind the `[` of an address and of a header of filter rules JSON is told from
    /// them by what follows.
    private init?(markup preview: Span<UInt8>) {
        guard let start = preview.word(from: 0)?.lowerBound else { return nil }
        switch preview[start] {
        case UInt8(ascii: "<"):
            let head = preview.extracting(start..<min(preview.count, start + 4096))
            if head.firstIndex(of: "<plist") != nil {
                self = .propertyList
            } else if head.contains(ignoringCase: "<html") || head.contains(ignoringCase: "<!doctype html") {
                self = .html
            } else {
                self = .xml
            }
        case UInt8(ascii: "{"):
            self = .json
        case UInt8(ascii: "["):
            guard let next = preview.word(from: start + 1)?.lowerBound,
                [UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "]")]
                    .contains(preview[next])
            else { return nil }
            self = .json
        default: return nil
        }
    }

    /// Whether a line has the form of YAML that an entry, a rule and a line of a hosts file do not have: `---`,
    /// `- item`, `key: value` or `key:`.
    ///
    /// - Parameter line: Without blanks at its ends.
    static func isYAML(_ line: Span<UInt8>) -> Bool {
        if line.starts(with: "---") || line.starts(with: "- ") { return true }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        for index in 0..<colon where line[index].isBlank { return false }
        return colon + 1 == line.count || line[colon + 1].isBlank
    }
}

extension Span<UInt8> {
    /// Whether `text` occurs, where ASCII letters match in both cases.
    fileprivate func contains(ignoringCase text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length else { return false }
        return (0...count - length).contains { start in
            extracting(start..<start + length).equals(ignoringCase: text)
        }
    }
}
