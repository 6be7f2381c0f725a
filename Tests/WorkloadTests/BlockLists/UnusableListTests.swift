import Foundation
import Testing
import Workload

/// Files that are no block list, and lists that are mostly of no use.
@Suite struct UnusableListTests {
    private static let texts: [(text: String, content: ForeignContent)] = [
        ("{\"a\": 1}", .json), ("  \n[\"a.example\", \"b.example\"]", .json), ("[]", .json),
        ("[ [1]]", .json),
        ("{\"url\":\"a.example\"}\n{\"url\":\"b.example\"}\n", .json),
        ("<!DOCTYPE html>\n<HTML><body>404</body></HTML>\n", .html), ("<html lang=en>\na\n", .html),
        ("<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict/></plist>", .propertyList),
        ("\u{FEFF}<?xml version=\"1.0\"?>\n<rss/>", .xml),
        ("---\nlist:\n  - a.example\n  - b.example\n", .yaml),
        ("# c\nname: a\nfile: b.example\n", .yaml),
        ("- a.example\n- b.example\n", .yaml), ("%PDF-1.7\n%\u{FC}\n1 0 obj\n", .pdf),
        ("SQLite format 3\0\u{10}", .sqlite), ("bplist00\u{1}", .binaryPropertyList),
        ("PK\u{3}\u{4}mimetype", .zip), ("BZh91AY&SY", .otherCompression), ("GIF89a", .image),
        (String(String(repeating: "list/\0", count: 43).prefix(257)) + "ustar\0\0", .tar),
    ]
    private static let binaries: [(bytes: [UInt8], content: ForeignContent)] = [
        ([0x7F, 0x45, 0x4C, 0x46, 2, 1], .executable), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], .image),
        ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], .utf32), ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], .utf32),
        (anyBytes, .binary),
    ]
    /// Each byte as often as any other, as in what is encrypted, compressed or a prefilter.
    private static let anyBytes: [UInt8] = (0..<2048).map { number in UInt8(truncatingIfNeeded: number * 167)
    }
    private static let foreign = texts.map { (bytes: Array($0.text.utf8), content: $0.content) } + binaries

    @Test("A file of another kind is refused and named", arguments: foreign)
    func foreignContent(bytes: [UInt8], content: ForeignContent) throws {
        #expect(throws: BlockListError.notAList(content, file: "list")) {
            try BlockListReader.read(ByteSource(bytes: bytes, name: "list"))
        }
        // Who says that it is a list is believed.
        let options = BlockListOptions(format: .plain)
        #expect(throws: Never.self) {
            try BlockListReader.read(ByteSource(bytes: bytes, name: "list"), options: options)
        }
    }

    @Test func whatIsCompressedTwiceIsRefused() throws {
        let text = Array("a.example\n".utf8)
        for twice in [gzip(gzip(text)), zstd(gzip(text)), gzip(zstd(text))] {
            #expect(throws: BlockListError.notAList(.compressedTwice, file: "list")) {
                try BlockListReader.read(ByteSource(bytes: twice, name: "list"))
            }
        }
    }

    @Test(
        "What only resembles another kind of file is a list",
        arguments: [
            "[2001:db8::1]\n[::1]:8080/x\n", "[Adblock Plus 2.0]\n||a.example^\n", "example.com:8080\n",
            "::1 localhost\n::1 a.example\n", "-a.example\n", "# key: value\na.example\n",
            "a.example:\nb.example\nc.example\n",
            "BZhost.example\n", "bplist.example\n", "GIF8.example\n", "rows <\n keyword: 'a' value: '1' >\n",
            "a.example\n<html>\n", "",
        ])
    func resemblance(text: String) throws {
        #expect(throws: Never.self) { try readList(text) }
    }

    /// Reads a file as the commands do.
    private static func use(_ text: String, _ options: BlockListOptions = BlockListOptions()) throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "list")
            try Data(text.utf8).write(to: file)
            do {
                _ = try BlockListReader.read(path: file.path, options: options)
            } catch BlockListError.mostlyUnusable(_, let unusable, let count, let reason) {
                throw BlockListError.mostlyUnusable(file: "", unusable: unusable, of: count, reason: reason)
            } catch BlockListError.noEntries {
                throw BlockListError.noEntries(file: "")
            }
        }
    }

    @Test(
        "More of no use than of use is refused, with the share and the most frequent reason",
        arguments: [
            (
                "a b\nc d\ne.example\n",
                BlockListError.mostlyUnusable(file: "", unusable: 2, of: 3, reason: .notAKeyKept)
            ),
            (
                "http://a.example\nhttp://b.example\nx y\nc.example\nd.example\n",
                .mostlyUnusable(file: "", unusable: 3, of: 5, reason: .schemeKept)
            ),
            ("a\0\nb\0\nc.example", .mostlyUnusable(file: "", unusable: 2, of: 3, reason: .nulByte)),
            ("# only a comment\n", .noEntries(file: "")), ("", .noEntries(file: "")),
            ("@@||a.example^\n", .noEntries(file: "")),
        ])
    func share(text: String, error: BlockListError) {
        #expect(throws: error) { try Self.use(text) }
    }

    @Test func whatIsUsedAllTheSame() throws {
        // Half is of use.
        try Self.use("a b\nc.example\n")
        // Rules of another language are nothing that went wrong.
        try Self.use("||a.example^\n@@||b.example^\n##.ad\n/re/\n")
        // The user knows better.
        var options = BlockListOptions()
        options.allowsUnusable = true
        try Self.use("http://a.example\n", options)
        #expect(throws: BlockListError.noEntries(file: "")) { try Self.use("\0\n", options) }
        // The scheme is removed, and a duplicate was of use once.
        try Self.use("http://a.example\n", BlockListOptions(policy: .normalized))
        try Self.use("a.example\na.example\na.example\nx\0\nx\0\n", BlockListOptions(removesDuplicates: true))
    }

    @Test func whatLosesMuchIsRefused() throws {
        let good = (0..<100).map { "g\($0).example\n" }.joined()
        let lost = (0..<12).map { "||l\($0).example/*x\n" }.joined()
        let error = BlockListError.mostlyUnusable(file: "", unusable: 12, of: 112, reason: .wildcard)
        #expect(throws: error) { try Self.use(lost + good) }
        // A tenth, or ten lines, may be lost; and those who ask for it, or say that these are rules, know.
        try Self.use(lost + good + good.replacing("g", with: "h"))
        try Self.use("||l.example/*x\na.example\n")
        var options = BlockListOptions()
        options.allowsUnusable = true
        try Self.use(lost + good, options)
        let scripts = (0..<12).map { "||l\($0).example^$script\n" }.joined()
        #expect(throws: BlockListError.self) { try Self.use(scripts + good) }
        try Self.use(scripts + good, BlockListOptions(format: .adblock))
    }

    @Test func theSentenceNamesTheFileTheShareAndTheFix() {
        let error = BlockListError.mostlyUnusable(file: "l.txt", unusable: 3, of: 4, reason: .notUTF8)
        #expect(
            error.description
                == "l.txt: of 4 lines with data 3 are of no use, most often because of this: not UTF-8; check it "
                + "with 'urlfilter lint', or allow it with --allow-unusable (in a scenario: blocklist.allowUnusable)"
        )
    }

    @Test("A limit counts what comes out of a compressed file")
    func limit() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "list.gz")
            try Data(gzip(Array(repeating: 0x61, count: 1_000_000))).write(to: file)
            #expect(
                try contents(of: ByteSource(path: file.path, bounds: InputBounds(byteCount: 1_000_000))).count
                    == 1_000_000)
            #expect(throws: InputError.tooLarge(name: file.path, limit: 999_999)) {
                try contents(of: ByteSource(path: file.path, bounds: InputBounds(byteCount: 999_999)))
            }
        }
    }
}
