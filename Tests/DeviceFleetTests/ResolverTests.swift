import DeviceFleet
import DeviceNetwork
import Parties
import TestSupport
import Testing

/// The doctor's question for the text record, asked over UDP.
struct ResolverTests {
    private static let wanted = "apple-url-filter=com.example.workbench"

    private static func line(
        _ answers: [NameServer.Answer], timeout: Duration = Patience.ceiling
    ) async throws -> DoctorReport.Line {
        var servers: [NameServer] = []
        for answer in answers { servers.append(try await NameServer(answer)) }
        let addresses = try servers.map {
            try #require(TextRecordResolver.Address("127.0.0.1:\($0.port)"))
        }
        let resolver = TextRecordResolver(addresses, timeout: timeout)
        var settings = Doctor.Settings(
            serviceText: "https://pir.example", issuerText: "https://issuer.example",
            deployment: Deployment(
                service: try ServiceAddress("https://pir.example"),
                issuer: try ServiceAddress("https://issuer.example")),
            usecase: PIRDatabase.usecaseName, userToken: "user")
        settings.isDistribution = true
        let doctor = Doctor(
            settings, http: try StackDouble(), textRecords: resolver.textRecords,
            now: { StackDouble.dateSeconds })
        let report = await doctor.examine()
        for server in servers { try await server.close() }
        #expect(report.count(.fail) == report.lines.count { $0.check == .dnsRecord && $0.outcome == .fail })
        return try #require(report.lines.first { $0.check == .dnsRecord })
    }

    @Test func theRightRecordPassesWhereverItStands() async throws {
        let line = try await Self.line([.records([["v=spf1 -all"], [Self.wanted]])])
        #expect(line.outcome == .pass && line.detail == Self.wanted)
        // A record may come in pieces of up to 255 bytes, which belong together.
        #expect(
            try await Self.line([.records([["apple-url-filter=", "com.example.workbench"]])]).outcome == .pass
        )
    }

    @Test func aRecordOfAnotherAppFails() async throws {
        let line = try await Self.line([.records([["apple-url-filter=com.example.other"]])])
        #expect(line.outcome == .fail)
        #expect(line.detail == "it is 'apple-url-filter=com.example.other', not '\(Self.wanted)'")
        #expect(line.fix != nil && line.signature?.contains("serverSetupIncomplete") == true)
    }

    @Test func noRecordFails() async throws {
        for answer in [NameServer.Answer.records([]), .records([["v=spf1 -all"]]), .noSuchName] {
            let line = try await Self.line([answer])
            #expect(line.outcome == .fail && line.detail == "there is no '\(Self.wanted)'")
        }
    }

    @Test func withoutAnAnswerNothingIsSaid() async throws {
        for answer in [NameServer.Answer.nothing, .failure, .stranger] {
            let line = try await Self.line([answer], timeout: .milliseconds(50))
            #expect(line.outcome == .notChecked && line.detail == "no resolver answered")
        }
    }

    @Test func theNextResolverIsAskedWhenOneIsSilent() async throws {
        // The silent one costs the whole time, so it is short unless the machine is too busy for the second one's answer.
        for timeout in [Duration.milliseconds(100), .seconds(2), .seconds(60)] {
            let line = try await Self.line([.nothing, .records([[Self.wanted]])], timeout: timeout)
            if line.outcome == .pass { return }
        }
        Issue.record("the second resolver's answer never counted")
    }

    @Test func aResolverIsAnAddressAndAPort() {
        for (text, host, port) in [
            ("192.0.2.1", "192.0.2.1", 53), ("127.0.0.1:5353", "127.0.0.1", 5_353), ("::1", "::1", 53),
            ("[::1]:5353", "::1", 5_353), ("[::1]", "::1", 53), ("2001:db8::53", "2001:db8::53", 53),
        ] {
            let address = TextRecordResolver.Address(text)
            #expect(address?.host == host && address?.port == port, "\(text)")
        }
        for text in [
            "", ":", ":53", "localhost", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "[::1", "[]:1",
            "[::1]5",
        ] {
            #expect(TextRecordResolver.Address(text) == nil, "\(text)")
        }
    }
}
