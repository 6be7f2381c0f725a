import DeviceFleet
import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Testing
import URLFilter

/// The doctor at a healthy deployment, and at broken ones: each has one fault and gets one failing line.
struct DoctorTests {
    @Test(arguments: [false, true])
    func aHealthyDeploymentPassesEverything(sealed: Bool) async throws {
        let report = try await DoctorBench.examine(StackDouble(), sealed: sealed) { $0.relayCap = 1_000_000 }
        #expect(!report.hasFailure)
        let unchecked = report.lines.filter { $0.outcome == .notChecked }.map(\.check)
        #expect(
            unchecked == [.propertyLists, .icloudHosts] + (sealed ? [] : [.ohttpKeys, .ohttpExchange])
                + [.publicConfiguration, .keyInQuery, .oldQuery, .reloadedData, .generationOrder])
        #expect(report.lines.map(\.check) == DoctorCheck.allCases)
    }

    /// Our own services answer what devices of 27.3 ask; a service that does not gets one failing line for each.
    @Test func iOS27_3AsksForMore() async throws {
        let addresses = PIRAddresses(server: "https://pir.example", issuer: "https://issuer.example")
        let report = try await DoctorBench.examine(StackDouble(), sealed: true, hosts: .found(["17.0.0.1"])) {
            $0.relayCap = 10_000_000
            $0.generation = .iOS27_3
            ($0.app, $0.profile) = (addresses, addresses)
            ($0.serviceText, $0.issuerText) = (addresses.server, addresses.issuer)
            $0.newEntries = [Array(TestEntry.validated.utf8)]
            $0.reload = {}
        }
        #expect(
            report.lines.allSatisfy { $0.outcome == .pass }, "\(report.lines.filter { $0.outcome != .pass })")
        #expect(report.causes.map(\.state) == [.excluded, .excluded, .excluded, .excluded, .possible])
        let keyed = try #require(report.lines.first { $0.check == .keyInQuery })
        #expect(keyed.detail.contains("bytes accepted"))
        let older = try StackDouble(before: { request in
            if request.method == "GET", request.path == "/config" { return BinaryHTTPResponse(status: 405) }
            let isLong = request.path == "/queries" && request.content.count > 100_000
            return isLong ? BinaryHTTPResponse(status: 413) : nil
        })
        #expect(
            try await DoctorBench.examine(older) { $0.generation = .iOS27_3 }.failures == [
                .publicConfiguration, .keyInQuery,
            ])
        #expect(try await DoctorBench.examine(older).failures.isEmpty)
    }

    @Test func iOS27_3DoesNotAskWhichTokenKeyAUserHas() async throws {
        let stack = try StackDouble(before: {
            $0.path == "/token-key-for-user-token" ? BinaryHTTPResponse(status: 404) : nil
        })
        #expect(try await DoctorBench.examine(stack) { $0.generation = .iOS27_3 }.failures.isEmpty)
        #expect(try await DoctorBench.examine(stack).failures == [.tokenKey])
    }

    @Test func aServiceOfADeveloperNeedsNeitherHTTP2NorDNS() async throws {
        let stack = try StackDouble(outer: { _, _, reply in reply.isHTTP2 = false })
        let service = try ServiceAddress("https://127.0.0.1")
        var settings = DoctorBench.settings(sealed: false)
        settings.deployment.service = service
        settings.deployment.issuer = service
        let report = await Doctor(settings, http: stack, textRecords: { _ in .unknown("asked") }).examine()
        for check in [DoctorCheck.hostOnlyURLs, .dnsRecord, .http2] {
            #expect(report.lines.first { $0.check == check }?.outcome == .notChecked)
        }
    }

    @Test func aPathAPortOrASlashIsNotAHost() async throws {
        for text in [
            "https://pir.example/", "https://pir.example:8443", "https://pir.example/v1",
            "http://pir.example",
        ] {
            let report = try await DoctorBench.examine(StackDouble()) { $0.serviceText = text }
            #expect(report.failures == [.hostOnlyURLs])
        }
    }

    @Test func theTextRecordHasToNameTheApp() async throws {
        let other = try await DoctorBench.examine(
            StackDouble(), records: .found(["apple-url-filter=com.other"]))
        #expect(other.failures == [.dnsRecord])
        #expect(other.lines.first { $0.check == .dnsRecord }?.detail.contains("com.other") == true)
        let none = try await DoctorBench.examine(StackDouble(), records: .found([]))
        #expect(none.failures == [.dnsRecord])
        let unknown = try await DoctorBench.examine(StackDouble(), records: .unknown("no resolver"))
        #expect(unknown.failures.isEmpty)
    }

    /// What lists against Private Relay make a resolver say.
    @Test(
        arguments: [
            (.noSuchName, true), (.found([]), true), (.found(["0.0.0.0"]), true),
            (.found(["127.0.0.1", "::"]), true),
            (.found(["17.0.0.1", "0.0.0.0"]), false), (.unknown("no resolver"), nil),
        ] as [(Doctor.HostAddresses, Bool?)])
    func aNetworkThatBlocksApplesHostsIsFound(hosts: Doctor.HostAddresses, isBlocked: Bool?) async throws {
        let report = try await DoctorBench.examine(StackDouble(), hosts: hosts)
        #expect(report.failures == (isBlocked == true ? [.icloudHosts] : []))
        let cause = try #require(report.causes.first { $0.kind == .blockedHosts })
        #expect(cause.state == isBlocked.map { $0 ? .found : .excluded } ?? .possible)
    }

    @Test func appAndProfileHaveToNameTheSameServices() async throws {
        let app = PIRAddresses(server: "https://pir.example", issuer: "https://issuer.example")
        let other = PIRAddresses(server: "https://pir.example", issuer: nil)
        let report = try await DoctorBench.examine(StackDouble()) { ($0.app, $0.profile) = (app, other) }
        #expect(report.failures == [.propertyLists])
        #expect(report.causes.first { $0.kind == .propertyLists }?.state == .found)
    }

    @Test func theDatabaseComesBeforeThePrefilter() async throws {
        let report = try await DoctorBench.examine(StackDouble()) {
            $0.newEntries = [Array(TestEntry.validated.utf8), Array("new.example".utf8)]
        }
        #expect(report.failures == [.generationOrder])
        let line = report.lines.first { $0.check == .generationOrder }
        #expect(line?.detail.contains("1 of 2 entries are not there yet, such as 'new.example'") == true)
    }

    @Test func tooManyShardsAndAMissingRecordAreTwoCauses() async throws {
        let report = try await DoctorBench.examine(StackDouble(), records: .found([]))
        #expect(report.causes.first { $0.kind == .relay }?.state == .found)
        #expect(report.causes.first { $0.kind == .shards }?.state == .excluded)
    }

    @Test func aServiceThatDoesNotAnswerEndsTheExamination() async throws {
        let stack = try StackDouble(outer: { _, url, reply in
            if url.hasPrefix("https://pir.example") { reply.status = 0 }
        })
        let report = try await DoctorBench.examine(stack, sealed: true)
        #expect(report.failures == [.reachable])
        #expect(report.count(.pass) == 2)
    }

    @Test func aClockThatIsWrongIsSeenInTheDate() async throws {
        let report = try await DoctorBench.examine(StackDouble(), now: StackDouble.dateSeconds + 300)
        #expect(report.failures == [.clock])
    }

    @Test func theGatewayHasToSpeakHTTP2() async throws {
        let stack = try StackDouble(outer: { _, url, reply in
            if url == StackDouble.gatewayURL { reply.isHTTP2 = false }
        })
        #expect(try await DoctorBench.examine(stack, sealed: true).failures == [.http2])
    }

    @Test func keyConfigurationsHaveAFormAndAMediaType() async throws {
        let garbage = try StackDouble(outer: { method, url, reply in
            if method == "GET", url == StackDouble.gatewayURL { reply.body = [0, 1, 2] }
        })
        #expect(try await DoctorBench.examine(garbage, sealed: true).failures == [.ohttpKeys])
        let untyped = try StackDouble(outer: { method, url, reply in
            if method == "GET", url == StackDouble.gatewayURL {
                reply.fields = [BinaryHTTPField("content-type", "text/html")]
            }
        })
        #expect(try await DoctorBench.examine(untyped, sealed: true).failures == [.ohttpKeys])
        let missing = try StackDouble(outer: { method, url, reply in
            if method == "GET", url == StackDouble.gatewayURL { reply.status = 404 }
        })
        #expect(try await DoctorBench.examine(missing, sealed: true).failures == [.ohttpKeys])
    }

    @Test func theGatewayHasToOpenWithTheKeyThatItPublishes() async throws {
        let other = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 9)])
        let stack = try StackDouble(outer: { method, url, reply in
            if method == "GET", url == StackDouble.gatewayURL { reply.body = other.encodedConfigurations }
        })
        #expect(try await DoctorBench.examine(stack, sealed: true).failures == [.ohttpExchange])
    }

    @Test func theDirectoryHasAPlaceAndAMediaType() async throws {
        let missing = try StackDouble(before: { $0.isDirectory ? BinaryHTTPResponse(status: 404) : nil })
        #expect(try await DoctorBench.examine(missing).failures == [.directory])
        let untyped = try StackDouble(after: { request, response in
            if request.isDirectory {
                response.fields = [BinaryHTTPField("content-type", "text/html")]
            }
        })
        #expect(try await DoctorBench.examine(untyped).failures == [.directory])
        let garbage = try StackDouble(after: { request, response in
            if request.isDirectory { response.content = Array("{}".utf8) }
        })
        #expect(try await DoctorBench.examine(garbage).failures == [.directory])
    }

    /// Apple's example service sends its directory so, and devices work with it.
    @Test func aDirectoryAsPlainJSONIsANoteAndTheRestIsChecked() async throws {
        let apple = try StackDouble(after: { request, response in
            if request.isDirectory {
                response.fields = [BinaryHTTPField("content-type", "application/json; charset=utf-8")]
            }
        })
        let report = try await DoctorBench.examine(apple)
        #expect(!report.hasFailure)
        #expect(report.lines.filter { $0.outcome == .note }.map(\.check) == [.directory])
        #expect(report.lines.first { $0.check == .testEntry }?.outcome == .pass)
    }

    @Test func theTokenKeyHasToBeInTheDirectory() async throws {
        let refused = try StackDouble(before: {
            $0.path == "/token-key-for-user-token" ? BinaryHTTPResponse(status: 401) : nil
        })
        #expect(try await DoctorBench.examine(refused).failures == [.tokenKey])
        let stranger = try StackDouble()
        let directory = try await stranger.call(
            "GET", "https://issuer.example/.well-known/private-token-issuer-directory", fields: [], body: [])
        let other = try StackDouble(after: { request, response in
            if request.isDirectory { response.content = directory.body }
        })
        #expect(try await DoctorBench.examine(other).failures == [.tokenKey])
    }

    @Test func theIssuerHasToSign() async throws {
        let refused = try StackDouble(before: {
            $0.path == "/issue" ? BinaryHTTPResponse(status: 429) : nil
        })
        #expect(try await DoctorBench.examine(refused).failures == [.tokenIssue])
        let wrong = try StackDouble(after: { request, response in
            if request.path == "/issue" { response.content[100] ^= 1 }
        })
        #expect(try await DoctorBench.examine(wrong).failures == [.tokenIssue])
    }

    @Test func theServiceHasToKnowTheIssuersKey() async throws {
        let stack = try StackDouble(before: {
            $0.path == "/config" ? BinaryHTTPResponse(status: 401) : nil
        })
        #expect(try await DoctorBench.examine(stack).failures == [.tokenRedeem])
    }

    @Test func tokensAreNeededAndGoodForOneRequest() async throws {
        let open = try StackDouble(after: { request, response in
            if request.path == "/config", request.token == nil { response.status = 200 }
        })
        #expect(try await DoctorBench.examine(open).failures == [.missingToken])
        let forgetful = try StackDouble(after: { request, response in
            if request.token != nil, response.status == 401 { response.status = 200 }
        })
        #expect(try await DoctorBench.examine(forgetful).failures == [.replayedToken])
    }

    @Test func theUsecaseHasToExistUnderTheNameThatDevicesAskFor() async throws {
        let unknown = try await DoctorBench.examine(StackDouble()) {
            $0.usecase = "com.example.other.url.filtering"
        }
        // The text record is that of another app, too.
        #expect(unknown.failures == [.dnsRecord, .configuration])
        let misnamed = try await DoctorBench.examine(StackDouble()) { $0.usecase = "blocklist" }
        #expect(misnamed.failures == [.usecaseName, .configuration])
    }

    @Test func shardsAreAPowerOfTwoAndNotTooMany() async throws {
        for (count, check) in [(UInt32(3), DoctorCheck.powerOfTwoShards), (16_384, .shardCount)] {
            let stack = try StackDouble(after: { request, response in
                guard request.path == "/config", response.status == 200 else { return }
                response.content = DoctorBench.configuration(response.content, shardCount: count)
            })
            #expect(try await DoctorBench.examine(stack).failures == [check])
        }
    }

    @Test func theKeyHasToBeAcceptedAndKept() async throws {
        let refused = try StackDouble(before: {
            $0.path == "/key" ? BinaryHTTPResponse(status: 413) : nil
        })
        #expect(try await DoctorBench.examine(refused).failures == [.keyUpload])
        let dropped = try StackDouble(before: {
            $0.path == "/key" ? BinaryHTTPResponse(status: 200) : nil
        })
        #expect(try await DoctorBench.examine(dropped).failures == [.keyKept])
    }

    /// A device stops behind the directory where the gateway offers P-256 only, although RFC 9458 leaves the suite open.
    @Test func theGatewayHasToOfferX25519() async throws {
        let other = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 9, kem: .p256)])
        let stack = try StackDouble(outer: { method, url, reply in
            if method == "GET", url == StackDouble.gatewayURL { reply.body = other.encodedConfigurations }
        })
        let report = try await DoctorBench.examine(stack, sealed: true)
        #expect(report.failures == [.ohttpKeys])
        #expect(report.lines.first { $0.check == .ohttpKeys }?.detail.contains("0x0010") == true)
    }

    @Test func theTestEntryHasToBeListedAndNothingElse() async throws {
        let without = try StackDouble(before: { request in
            request.path == "/queries" ? BinaryHTTPResponse(status: 400) : nil
        })
        #expect(try await DoctorBench.examine(without).failures == [.testEntry])
    }

    @Test func theKeyHasToFitThroughTheRelay() async throws {
        let report = try await DoctorBench.examine(StackDouble(), sealed: true) { $0.relayCap = 30_000 }
        #expect(report.failures == [.relayCap])
        let line = try #require(report.lines.first { $0.check == .relayCap })
        #expect(line.signature?.contains("413") == true && line.fix != nil)
    }
}
