import TestSupport
import Testing
import URLFilter

@Suite struct URLParsingTests {
    @Test(
        "what is no URL has a reason",
        arguments: [
            ("", .empty),
            ("example.com", .noScheme),
            ("//example.com", .noScheme),
            ("https:/example.com", .noScheme),
            ("1https://example.com", .noScheme),
            ("ht tps://example.com", .notConvertible),
            ("https://", .noHost),
            ("https:///path", .noHost),
            ("https://user@", .noHost),
            ("https://:80", .noHost),
            ("https://h:", .malformedPort("")),
            ("https://h:x", .malformedPort("x")),
            ("https://h:65536", .malformedPort("65536")),
            ("https://h:99999999999999999999999", .malformedPort("99999999999999999999999")),
            ("https://h:1:2", .malformedPort("1:2")),
            ("https://::1", .noHost),
            ("https://[::1", .malformedAddress("[::1")),
            ("https://[]", .malformedAddress("[]")),
            ("https://[zz]", .malformedAddress("[zz]")),
            ("https://[::1]x", .malformedPort("")),
            ("https://a..b", .emptyLabel(host: "a..b")),
            ("https://.a", .emptyLabel(host: ".a")),
            ("https://a..", .emptyLabel(host: "a.")),
            ("https://.", .emptyLabel(host: ".")),
            ("https://*.example.com", .forbiddenByte(0x2A, offset: 8)),
            ("https://a%20b", .forbiddenByte(0x25, offset: 9)),
            ("https://h/\0", .forbiddenByte(0, offset: 10)),
            ("https://h/\n", .forbiddenByte(10, offset: 10)),
            ("https://h/\u{7F}", .forbiddenByte(0x7F, offset: 10)),
            ("https://" + String(repeating: "a", count: 254), .hostTooLong(254, allowed: 253)),
        ] as [(String, URLParsingError)])
    func errors(url: String, expected: URLParsingError) {
        for rules in [MatchingRules.iOS26, .documented] {
            #expect(throws: expected) { try lookupStrings(of: url, rules: rules) }
        }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        var buffer = LookupStringBuffer()
        #expect(throws: URLParsingError.notUTF8) {
            try buffer.expand(Array("https://h/".utf8) + [0xFF], rules: .documented)
        }
    }

    @Test func longURLsAreBounded() throws {
        let limit = LookupStringBuffer.maximumURLLength
        let url = "https://h/?" + String(repeating: "q", count: limit - 11)
        #expect(try lookupStrings(of: url, rules: .documented).count == 8)
        #expect(throws: URLParsingError.tooLong(limit + 1, allowed: limit)) {
            try lookupStrings(of: url + "q", rules: .documented)
        }
        // Longer than the limit once it is percent-encoded.
        #expect(throws: URLParsingError.self) {
            try lookupStrings(of: "https://h/" + String(repeating: "ü", count: 20_000), rules: .iOS26)
        }
    }

    @Test(arguments: ["a", "/", "?", "#", ".", "@", ":", "%", "[", "\u{0}", "\u{FC}", "\u{1F600}"])
    func megabytesAreRefusedAtOnce(piece: String) {
        let count = 4 << 20
        let url = Array("https://h/".utf8) + Array(String(repeating: piece, count: count).utf8)
        var buffer = LookupStringBuffer()
        for rules in [MatchingRules.iOS26, .documented] {
            #expect(throws: URLParsingError.tooLong(url.count, allowed: LookupStringBuffer.maximumURLLength))
            {
                try buffer.expand(url, rules: rules)
            }
            #expect(buffer.count == 0)
        }
    }

    /// Every byte value at every place of a word of eight, which the first look at a URL reads at once.
    @Test func eachForbiddenByteIsFoundWhereverItStands() {
        var buffer = LookupStringBuffer()
        for byte in UInt8.min ... .max {
            for offset in 10..<27 {
                var url = Array("https://h/abcdefghijklmnopqrst".utf8)
                url[offset] = byte
                let error: URLParsingError? =
                    if byte < 0x20 || byte == 0x7F {
                        .forbiddenByte(byte, offset: offset)
                    } else if byte >= 0x80 {
                        .notUTF8
                    } else {
                        nil
                    }
                var thrown: URLParsingError?
                do throws(URLParsingError) {
                    try buffer.expand(url, rules: .documented)
                } catch { thrown = error }
                #expect(thrown == error, "\(byte) at \(offset)")
            }
        }
    }

    @Test(arguments: [MatchingRules.iOS26, .documented])
    func theNumberOfStringsIsBounded(rules: MatchingRules) throws {
        let host = String(repeating: "a.", count: 126) + "a"
        let few = try lookupStrings(of: "https://\(host)/a", rules: rules)
        #expect(few.count <= LookupStringBuffer.maximumCount)
        let error = #expect(throws: URLParsingError.self) {
            try lookupStrings(of: "https://\(host)" + String(repeating: "/a", count: 30_000), rules: rules)
        }
        guard case .tooManyStrings(_, allowed: LookupStringBuffer.maximumCount) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func mutatedURLsAreExpandedOrRefusedButNeverTrap() {
        var urls = RandomURLs(seed: 9)
        var buffer = LookupStringBuffer()
        var refused = 0
        let pieces = [
            "://", "/", "//", "?", "#", ":", "@", "[", "]", ".", "..", "%*", "ü", " ", "\0", "&", "=",
        ]
        for _ in 0..<30_000 {
            var url = Array(urls.url().utf8)
            for _ in 0...urls.random.below(3) {
                let offset = urls.random.below(url.count + 1)
                switch urls.random.below(4) {
                case 0: if offset < url.count { url[offset] = UInt8(truncatingIfNeeded: urls.random.next()) }
                case 1: url.insert(contentsOf: urls.random.pick(pieces).utf8, at: offset)
                case 2: url.removeSubrange(offset..<min(url.count, offset + urls.random.below(5)))
                default: url.insert(contentsOf: url.suffix(urls.random.below(20)), at: offset)
                }
            }
            do {
                try buffer.expand(url, rules: urls.rules())
                #expect(buffer.count > 0)
                for index in 0..<buffer.count {
                    let isClean = buffer.withString(at: index) {
                        $0.allSatisfy { (0x21..<0x7F).contains($0) }
                    }
                    #expect(isClean && buffer.string(at: index) != "")
                }
            } catch {
                refused += 1
                #expect(!error.description.isEmpty && buffer.count == 0)
            }
        }
        #expect(refused > 3000 && refused < 25_000)
    }

    @Test func messagesSayWhatIsAllowed() {
        #expect(
            URLParsingError.malformedPort("x").description
                == "the port is 'x'; it must be a number in 0...65535")
        #expect(
            URLParsingError.noScheme.description
                == "the URL has no scheme; write for example https://example.com")
    }
}
