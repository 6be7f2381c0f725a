import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import PrivacyPass
import ServerTestSupport
import Testing

/// What each party receives on the wire in whole conversations of two devices.
struct PrivacyTests {
    private static let urls = ["blocked7.example", "harmless-and-private.example"]

    /// The servers, with a tap in front of each.
    private struct Tapped {
        let taps: [Party: TapProxy]
        /// Of each device, in the order they were sent.
        let requests: [BinaryHTTPRequest]

        func received(_ party: Party) -> [UInt8] { taps[party]?.seen.received ?? [] }

        func exchanged(_ party: Party) -> [UInt8] { received(party) + (taps[party]?.seen.sent ?? []) }
    }

    private static func conversation() async throws -> Tapped {
        var options = LiveStackOptions.patient([.issuer], coreCount: 1)
        let issuer = try await RunningStack.start(options) { .withoutDatabase }
        let issuerTap = try TapProxy(to: issuer.authority)
        options.parties = [.pir]
        options.upstreams = .init(issuer: issuer.url)
        let pir = try await RunningStack.start(options) { Fixture.data }
        let pirTap = try TapProxy(to: pir.authority)
        options.parties = [.gateway]
        options.upstreams = .init(issuer: issuerTap.url, pir: pirTap.url)
        let gateway = try await RunningStack.start(options) { .withoutDatabase }
        let gatewayTap = try TapProxy(to: gateway.authority)
        options.parties = [.relay]
        options.upstreams = .init(gateway: gatewayTap.url)
        let relay = try await RunningStack.start(options) { .withoutDatabase }
        let relayTap = try TapProxy(to: relay.authority)

        let way = TestDevice.Way.sealed(
            to: relayTap.url + ServiceNames.relayPath, keys: relayTap.url + ServiceNames.relayPath)
        var requests: [BinaryHTTPRequest] = []
        for number in 0..<2 {
            var device = try TestDevice(number: number, way: way)
            try await device.settle(tokens: 2)
            for url in urls {
                _ = try await device.look(up: [url])
                if let request = device.lastRequest { requests.append(request) }
            }
        }
        for stack in [relay, gateway, pir, issuer] { try await stack.stop() }
        let taps: [Party: TapProxy] = [
            .relay: relayTap, .gateway: gatewayTap, .issuer: issuerTap, .pir: pirTap,
        ]
        for tap in taps.values { tap.close() }
        return Tapped(taps: taps, requests: requests)
    }

    @Test func eachPartyReceivesOnlyWhatItNeeds() async throws {
        let seen = try await Self.conversation()
        let userTokens = ["user-0", "user-1"], pseudonyms = ["device-0", "device-1"]

        // The relay: bytes it cannot read, and no name of anything inside.
        let inner =
            userTokens + pseudonyms + Self.urls
            + ["/queries", "/config", "/issue", "PrivateToken", "Bearer", "ciphermld", "pir.example"]
        for word in inner {
            #expect(!contains(seen.exchanged(.relay), word), "the relay sees '\(word)'")
            #expect(
                !contains(seen.exchanged(.gateway), word), "'\(word)' is readable before the gateway opens it"
            )
        }
        #expect(contains(seen.received(.relay), OHTTPMediaType.request))

        // The gateway: nothing that says who sent it. The client's own fields end at the relay.
        for field in [
            "forwarded", "via", "x-forwarded-for", "client-ip", "x-real-ip", "user-agent", "cookie",
        ] {
            #expect(
                !contains(lowercased(seen.received(.gateway)), "\r\n\(field):"),
                "the gateway is told '\(field)'")
        }
        // The relay is the only peer: its requests look the same for both clients.
        #expect(contains(seen.received(.gateway), "POST \(ServiceNames.gatewayPath) HTTP/1.1"))

        // The PIR server: pseudonyms and tokens, but no URL and no user token.
        for word in userTokens + Self.urls {
            #expect(!contains(seen.exchanged(.pir), word), "the PIR server sees '\(word)'")
        }
        for pseudonym in pseudonyms { #expect(contains(seen.received(.pir), pseudonym)) }

        // The issuer: user tokens, but no pseudonym and no URL.
        for word in pseudonyms + Self.urls {
            #expect(!contains(seen.exchanged(.issuer), word), "the issuer sees '\(word)'")
        }
        for token in userTokens { #expect(contains(seen.received(.issuer), token)) }
    }

    /// The issuer signs blinded messages; nothing of a token as it is spent was in what it received or sent.
    @Test func spentTokensCannotBeMatchedToUsersByValue() async throws {
        let seen = try await Self.conversation()
        let issuer = windows(of: seen.exchanged(.issuer))
        var nonces: Set<[UInt8]> = []
        for request in seen.requests {
            let token = try Token(authorization: try #require(request.authorization))
            #expect(contains(seen.received(.pir), token.authorization))
            nonces.insert(token.input.nonce.bytes)
            for part in [token.input.nonce.bytes, token.authenticator] {
                for start in stride(from: 0, through: part.count - 8, by: 8) {
                    #expect(!issuer.contains(Array(part[start..<start + 8])))
                }
            }
            // What all tokens have in common tells nobody apart.
            #expect(token.input.challengeDigest == TokenChallenge.digestOfAll(seen.requests))
        }
        #expect(nonces.count == seen.requests.count)
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        Data(bytes).range(of: Data(text.utf8)) != nil
    }

    private func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }

    /// All runs of eight bytes.
    private func windows(of bytes: [UInt8]) -> Set<[UInt8]> {
        var windows: Set<[UInt8]> = []
        for start in 0..<max(0, bytes.count - 7) { windows.insert(Array(bytes[start..<start + 8])) }
        return windows
    }
}

extension TokenChallenge {
    /// The digest in the first of these requests.
    fileprivate static func digestOfAll(_ requests: [BinaryHTTPRequest]) -> [UInt8]? {
        requests.first?.authorization.flatMap { try? Token(authorization: $0).input.challengeDigest }
    }
}
