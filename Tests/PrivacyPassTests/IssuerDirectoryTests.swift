import PrivacyPass
import TestSupport
import Testing

struct IssuerDirectoryTests {
    private func directory(uri: String = "/issue") throws -> IssuerDirectory {
        let keys = try SharedKeys.tiers().publicKeys
        return try IssuerDirectory(
            issuerRequestURI: uri,
            keys: [
                .init(keys[0], notBefore: 1_000), .init(tokenType: 1, tokenKey: [1, 2, 3]), .init(keys[1]),
            ])
    }

    @Test func aDirectoryIsReadBackAsItWasWritten() throws {
        let directory = try directory()
        let json = String(decoding: directory.encoded, as: UTF8.self)
        let key = Base64URL.encode(directory.keys[0].tokenKey)
        #expect(
            json.hasPrefix(
                #"{"issuer-request-uri":"/issue","token-keys":[{"not-before":1000,"token-key":"\#(key)","token-type":2}"#
            ))
        #expect(try IssuerDirectory(decoding: directory.encoded) == directory)
    }

    @Test func unknownMembersAndMissingPaddingAreAccepted() throws {
        let json =
            #"{"a":[{}],"issuer-request-uri":"/i","token-keys":[{"token-type":1,"token-key":"AQI","b":1}]}"#
        let directory = try IssuerDirectory(decoding: Array(json.utf8))
        #expect(directory.keys == [.init(tokenType: 1, tokenKey: [1, 2])])
        #expect(directory.usableKeys(at: .max).isEmpty)
    }

    @Test func aKeyIsNotOfferedBeforeItsTime() throws {
        let directory = try directory()
        let keys = try SharedKeys.tiers().publicKeys
        #expect(directory.usableKeys(at: 999) == [keys[1]])
        #expect(directory.usableKeys(at: 1_000) == keys)
        #expect(!directory.offers(keys[0], at: 999))
        #expect(directory.offers(keys[0], at: 1_000))
    }

    @Test(
        "the request URL is resolved against the directory's",
        arguments: [
            ("/issue", "https://issuer.example/issue"),
            ("issue", "https://issuer.example/.well-known/issue"),
            ("https://other.example:8443/a?b=c", "https://other.example:8443/a?b=c"),
            ("//other.example/x", "https://other.example/x"),
            ("?q", "https://issuer.example/.well-known/private-token-issuer-directory?q"),
        ])
    func requestURLs(uri: String, expected: String) throws {
        let base = "https://issuer.example" + IssuerDirectory.path
        #expect(try directory(uri: uri).requestURL(relativeTo: base) == expected)
    }

    @Test(
        "a request URL that is no web address is refused", arguments: ["file:///etc/passwd", "mailto:a@b.c"])
    func unusableURLs(uri: String) throws {
        let directory = try directory(uri: uri)
        #expect(throws: IssuerDirectoryError.unusableURI(uri)) {
            try directory.requestURL(relativeTo: "https://issuer.example" + IssuerDirectory.path)
        }
        #expect(throws: IssuerDirectoryError.unusableURI("/issue")) {
            try self.directory().requestURL(relativeTo: "issuer.example")
        }
    }

    @Test(
        "text that is no directory is refused by its first wrong member",
        arguments: [
            ("", .member("")), ("[", .member("")), ("[]", .member("")), ("\u{FF}", .member("")),
            ("{}", .member("issuer-request-uri")),
            (#"{"issuer-request-uri":1,"token-keys":[]}"#, .member("issuer-request-uri")),
            (#"{"issuer-request-uri":"/i"}"#, .member("token-keys")),
            (#"{"issuer-request-uri":"/i","token-keys":[1]}"#, .member("token-keys.0")),
            (
                #"{"issuer-request-uri":"/i","token-keys":[{"token-type":65536,"token-key":""}]}"#,
                .member("token-keys.0.token-type")
            ),
            (
                #"{"issuer-request-uri":"/i","token-keys":[{"token-type":2}]}"#,
                .member("token-keys.0.token-key")
            ),
            (
                #"{"issuer-request-uri":"/i","token-keys":[{"token-type":2,"token-key":"+"}]}"#,
                .keyNotBase64URL(index: 0)
            ),
            (
                #"{"issuer-request-uri":"/i","token-keys":[{"token-type":2,"token-key":"AAAA"}]}"#,
                .unusableKey(index: 0, .publicKeyLength(3, expected: 342))
            ),
            (#"{"issuer-request-uri":"","token-keys":[]}"#, .uriLength(0, allowed: 1...2_048)),
        ] as [(String, IssuerDirectoryError)])
    func brokenDirectories(json: String, error: IssuerDirectoryError) {
        #expect(throws: error) { try IssuerDirectory(decoding: Array(json.utf8)) }
    }

    @Test func aDirectoryThatIsTooLargeIsRefused() throws {
        let blank = Array(repeating: UInt8(ascii: " "), count: 256 << 10)
        #expect(throws: IssuerDirectoryError.tooLong(blank.count + 1, limit: blank.count)) {
            try IssuerDirectory(decoding: blank + [0])
        }
        let keys = Array(repeating: IssuerDirectory.Key(tokenType: 1, tokenKey: [1]), count: 256)
        let most = try IssuerDirectory(issuerRequestURI: "/i", keys: keys)
        #expect(try IssuerDirectory(decoding: most.encoded) == most)
        #expect(throws: IssuerDirectoryError.tooManyKeys(257, limit: 256)) {
            try IssuerDirectory(issuerRequestURI: "/i", keys: keys + keys.prefix(1))
        }
        let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: IssuerDirectoryError.self) { try IssuerDirectory(decoding: deep) }
    }

    @Test func damagedDirectoriesAreRefusedOrReadAsSomethingThatCanBeWritten() throws {
        let json = try directory().encoded
        for bytes in Damage.truncations(of: json) {
            #expect(throws: IssuerDirectoryError.self) { try IssuerDirectory(decoding: bytes) }
        }
        for bytes in Damage.mutations(of: json, count: 2_000, seed: 8) {
            guard let directory = try? IssuerDirectory(decoding: bytes) else { continue }
            #expect(try IssuerDirectory(decoding: directory.encoded) == directory)
        }
    }
}
