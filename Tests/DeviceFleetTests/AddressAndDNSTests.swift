import DeviceFleet
import DeviceNetwork
import Testing

struct ServiceAddressTests {
    @Test func anAddressIsSchemeHostAndPort() throws {
        let address = try ServiceAddress("https://PIR.example.com:8443")
        #expect(address.authority == "PIR.example.com:8443" && address.effectivePort == 8443)
        #expect(try ServiceAddress("http://[::1]:8080").authority == "[::1]:8080")
        #expect(try ServiceAddress("https://a.example/").hasTrailingSlash)
        #expect(try ServiceAddress(originOf: "https://a.example/b/c?d").description == "https://a.example")
    }

    @Test(arguments: [
        "", "pir.example.com", "ftp://a.example", "https://", "https://a.example/path",
        "https://a.example?x=1",
        "https://user@a.example", "https://a.example#x", "http://[]", "http://[]:80", "http://[",
    ])
    func somethingElseIsRefused(text: String) {
        #expect(throws: AddressError.self) { try ServiceAddress(text) }
    }

    @Test func onlyNamesOfThisMachineAreLoopback() throws {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]"] {
            #expect(try ServiceAddress("http://\(host):80").isLoopback)
        }
        for host in [
            "example.com", "127.example.com", "128.0.0.1", "localhost.example.com", "127.0.0.1.example",
        ] {
            #expect(try !ServiceAddress("http://\(host)").isLoopback)
        }
        let mine = try ServiceAddress("http://localhost:1")
        #expect(Deployment(service: mine).isLoopback)
        let away = Deployment(
            service: mine, route: .oblivious(resource: "https://relay.example/", keys: "http://localhost:1/k")
        )
        #expect(!away.isLoopback)
    }
}

/// DNS messages written by hand after RFC 1035.
struct TextRecordTests {
    private let query = TextRecordQuery(number: 0x1234, host: "a.example")

    @Test func theQuestionIsThatOfTheStandard() {
        #expect(
            query.encoded == [
                0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 7, 0x65, 0x78, 0x61, 0x6D, 0x70,
                0x6C,
                0x65, 0, 0, 16, 0, 1,
            ])
        #expect(TextRecordQuery(number: 1, host: String(repeating: "a", count: 64)).encoded == nil)
    }

    @Test func recordsAreReadAndOthersPassedOver() throws {
        let question = try #require(query.encoded).dropFirst(12)
        let address: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]
        let text: [UInt8] = [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 6, 2, 0x61, 0x62, 2, 0x63, 0x64]
        let answer = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0] + question + address + text
        #expect(query.records(in: answer) == ["abcd"])
        let nothing = [0x12, 0x34, 0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0] + question
        #expect(query.records(in: nothing) == [])
    }

    @Test func whatIsNoAnswerIsNone() throws {
        let question = try #require(query.encoded).dropFirst(12)
        let text: [UInt8] = [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 3, 2, 0x61, 0x62]
        let good = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + question + text
        #expect(query.records(in: good) == ["ab"])
        // Every shorter message, and every message with one byte changed, is read without a trap.
        for count in good.indices { #expect(query.records(in: Array(good[..<count])) == nil) }
        for index in good.indices {
            for bit in 0..<8 {
                var other = good
                other[index] ^= 1 << UInt8(bit)
                _ = query.records(in: other)
            }
        }
        var stranger = good
        stranger[0] ^= 1
        #expect(query.records(in: stranger) == nil)
    }

    @Test func resolversAreThoseOfTheFile() {
        let text = "# comment\nnameserver 10.0.0.1\nsearch a b\nnameserver\tfe80::1\n"
        #expect(TextRecordResolver.resolvers(text) == ["10.0.0.1", "fe80::1"])
    }
}

struct HTTPDateTests {
    @Test func theDateOfTheStandardIsRead() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
        for text in ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "now"] {
            #expect(HTTPDate.seconds(text) == nil)
        }
    }
}
