import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import ServerTestSupport
import Testing

/// Where a gateway sends what is in sealed requests, and what of it.
struct GatewayTargetTests {
    /// A gateway with a tap in front of the PIR server, which is also its issuer, and a listener that nobody named.
    private struct Place {
        let pir: TapProxy
        let bait: TapProxy
        var device: TestDevice

        static func with(_ body: (inout Place) async throws -> Void) async throws {
            try await Fixture.withStack { stack async throws in
                let pir = try TapProxy(to: stack.authority)
                let bait = try TapProxy(to: stack.authority)
                var options = LiveStackOptions.patient([.gateway], coreCount: 1)
                options.upstreams = .init(issuer: pir.url, pir: pir.url)
                let gateway = try await RunningStack.start(options) { .withoutDatabase }
                let url = gateway.url + ServiceNames.gatewayPath
                var place = Place(
                    pir: pir, bait: bait, device: try TestDevice(way: .sealed(to: url, keys: url)))
                try await body(&place)
                try await gateway.stop()
                pir.close()
                bait.close()
            }
        }

        /// - Returns: The inner response.
        mutating func send(
            _ method: String, _ path: String, _ fields: [BinaryHTTPField] = [], _ content: [UInt8] = []
        ) async throws -> BinaryHTTPResponse {
            try await device.send(
                BinaryHTTPRequest(
                    method: method, authority: ServiceNames.pirAuthority, path: path, fields: fields,
                    content: content))
        }
    }

    @Test func aSealedPathLeadsToNoOtherPlace() async throws {
        try await Place.with { place async throws in
            let bait = place.bait.url.replacing("http://", with: "")
            let secret = [BinaryHTTPField("authorization", "Bearer secret")]
            for path in [
                "@\(bait)/x", "\\@\(bait)/queries", ":1@\(bait)/", "//\(bait)/queries", ".\(bait)",
                "http://\(bait)/queries", "/queries?@\(bait)", "/queries#", "/x/../queries", "/%71ueries",
                "/queries/", "/metrics", "/health", ServiceNames.gatewayPath, ServiceNames.relayPath, "/",
                "*",
            ] {
                for method in ["GET", "POST"] {
                    #expect(try await place.send(method, path, secret).status == 404, "\(method) \(path)")
                }
            }
            for method in ["GET", "PUT", "DELETE", "TRACE", "OPTIONS", "HEAD", "post", "X"] {
                #expect(try await place.send(method, "/queries", secret).status == 404, "\(method)")
            }
            #expect(place.bait.seen.received.isEmpty)
            #expect(place.pir.seen.received.isEmpty)
        }
    }

    @Test func onlyWhatATargetReadsIsPassedOn() async throws {
        try await Place.with { place async throws in
            let others = [
                BinaryHTTPField("cookie", "who=alice"), BinaryHTTPField("x-forwarded-for", "192.0.2.7"),
                BinaryHTTPField("connection", "user-identifier"), BinaryHTTPField("te", "gzip"),
                BinaryHTTPField("accept-language", "gsw"), BinaryHTTPField(":protocol", "websocket"),
            ].sorted { $0.name < $1.name }
            let user = BinaryHTTPField("user-identifier", "device-42")
            func authorized(_ value: String) -> [BinaryHTTPField] {
                others + [user, BinaryHTTPField("authorization", value)]
            }
            // Credentials for the one party do not get to the other.
            #expect(
                try await place.send("POST", "/queries", authorized("Bearer alices-token")).status == 401)
            #expect(
                try await place.send("POST", "/issue", authorized("PrivateToken token=alices")).status == 401)
            var seen = String(decoding: place.pir.seen.received, as: UTF8.self).lowercased()
            #expect(seen.contains("post /queries") && seen.contains("post /issue"))
            for word in ["alice", "192.0.2.7", "gsw", "websocket", "te:", "cookie"] {
                #expect(!seen.contains(word), "\(word)")
            }
            // The pseudonym goes to the PIR server only, whatever a field says of it.
            #expect(seen.components(separatedBy: "device-42").count == 2)
            _ = try await place.send(
                "GET", ServiceNames.tokenKeyPath, authorized("Bearer alices-token"))
            seen = String(decoding: place.pir.seen.received, as: UTF8.self)
            #expect(seen.contains("Bearer alices-token"))
            #expect(seen.components(separatedBy: "device-42").count == 2)
        }
    }

    @Test func contentsBeyondATargetsLimitAreNotCarried() async throws {
        try await Place.with { place async throws in
            let answer = try await place.send("POST", "/issue", [], Array(repeating: 0, count: 5_000))
            #expect(answer.status == 413)
            #expect(place.pir.seen.received.isEmpty)
        }
    }

    @Test func aRequestNamesOneHost() async throws {
        try await Place.with { place async throws in
            let other = BinaryHTTPField("host", "elsewhere.example")
            #expect(try await place.send("POST", "/queries", [other]).status == 400)
            #expect(place.pir.seen.received.isEmpty)
        }
    }

    @Test(arguments: [
        "http://user@127.0.0.1:1", "http://127.0.0.1:1/path", "http://127.0.0.1:1?x", "ftp://127.0.0.1",
        "127.0.0.1:1",
        "http://", "http://127.0.0.1:1#x",
    ])
    func baseURLsAreSchemeHostAndPort(url: String) async throws {
        var options = LiveStackOptions.patient([.relay], coreCount: 1)
        options.upstreams = .init(gateway: url)
        await #expect(throws: LiveStackError.unusableUpstream(url)) {
            _ = try await RunningStack.start(options) { .withoutDatabase }
        }
        #expect(try PartyURL("https://[::1]:8443/").text == "https://[::1]:8443")
    }

    @Test func whatIsCountedIsNotForOthers() async throws {
        try await Fixture.withStack { stack async throws in
            let relay = stack.url + ServiceNames.relayPath
            var device = try TestDevice(way: .sealed(to: relay, keys: relay))
            let sealed = BinaryHTTPRequest(
                method: "GET", authority: ServiceNames.pirAuthority, path: "/metrics")
            #expect(try await device.send(sealed).status == 404)
            func status(_ fields: String) async throws -> Int? {
                let connection = try RawConnection(to: stack.authority)
                defer { connection.close() }
                await connection.send("GET /metrics HTTP/1.1\r\n\(fields)\r\n\r\n")
                return await connection.status()
            }
            let good = "host: \(stack.authority)"
            #expect(try await status(good) == 200)
            #expect(try await status("host: localhost") == 200)
            for fields in [
                "host: filter.example", "host: 127.0.0.1.example", "\(good)\r\nforwarded: for=192.0.2.7",
                "\(good)\r\nvia: 1.1 proxy", "\(good)\r\nX-Forwarded-For: 192.0.2.7",
            ] {
                #expect(try await status(fields) == 404, "\(fields)")
            }
        }
    }
}
