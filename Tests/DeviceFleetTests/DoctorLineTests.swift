import DeviceFleet
import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Testing
import URLFilter

/// For each line of the doctor a deployment that has this one fault, and nothing else.
struct DoctorLineTests {
    @Test(arguments: DoctorCheck.allCases)
    func eachLineFailsAlone(_ check: DoctorCheck) async throws {
        let report = try await Self.examination(failing: check)
        #expect(report.failures == [check], "\(report.lines.filter { $0.outcome == .fail })")
        let line = try #require(report.line(check))
        #expect(line.fix == check.fix && line.signature == check.signature)
    }

    /// The compiler asks for the fault of a new line.
    private static func examination(failing check: DoctorCheck) async throws -> DoctorReport {
        switch check {
        case .hostOnlyURLs, .propertyLists, .dnsRecord, .icloudHosts, .reachable, .clock, .http2, .ohttpKeys,
            .ohttpExchange:
            try await aroundTheServices(check)
        case .directory, .tokenKey, .tokenIssue, .tokenRedeem, .missingToken, .replayedToken:
            try await DoctorBench.examine(withoutTokens(check))
        case .usecaseName, .configuration, .publicConfiguration, .shardCount, .powerOfTwoShards:
            try await withoutConfiguration(check)
        case .keyUpload, .keyKept, .keyInQuery, .relayCap, .testEntry, .absentEntry, .oldQuery, .reloadedData,
            .generationOrder:
            try await withoutData(check)
        }
    }

    private static func aroundTheServices(_ check: DoctorCheck) async throws -> DoctorReport {
        switch check {
        case .hostOnlyURLs:
            return try await DoctorBench.examine(StackDouble()) { $0.serviceText = "https://pir.example/" }
        case .propertyLists:
            return try await DoctorBench.examine(StackDouble()) {
                $0.app = PIRAddresses(server: "https://pir.example", issuer: "https://issuer.example")
                $0.profile = PIRAddresses(server: "https://pir.example", issuer: nil)
            }
        case .dnsRecord: return try await DoctorBench.examine(StackDouble(), records: .found([]))
        case .icloudHosts: return try await DoctorBench.examine(StackDouble(), hosts: .noSuchName)
        case .clock: return try await DoctorBench.examine(StackDouble(), now: StackDouble.dateSeconds - 61)
        case .reachable:
            let stack = try StackDouble(outer: { _, url, reply in
                if url.hasPrefix("https://issuer.example") { reply.status = 0 }
            })
            return try await DoctorBench.examine(stack)
        case .http2:
            let stack = try StackDouble(outer: { _, url, reply in
                if url == StackDouble.gatewayURL { reply.isHTTP2 = false }
            })
            return try await DoctorBench.examine(stack, sealed: true)
        default:
            // Keys that devices do not take, and keys that are not those of the gateway.
            let isOther = check == .ohttpKeys
            let other = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 9, kem: isOther ? .p256 : .x25519)])
            let stack = try StackDouble(outer: { method, url, reply in
                if method == "GET", url == StackDouble.gatewayURL { reply.body = other.encodedConfigurations }
            })
            return try await DoctorBench.examine(stack, sealed: true)
        }
    }

    private static func withoutTokens(_ check: DoctorCheck) throws -> StackDouble {
        switch check {
        case .directory: try StackDouble(before: { $0.isDirectory ? BinaryHTTPResponse(status: 404) : nil })
        case .tokenKey: try answering(401, "/token-key-for-user-token")
        case .tokenIssue: try answering(429, "/issue")
        case .tokenRedeem: try answering(401, "/config")
        case .missingToken:
            try StackDouble(after: { request, response in
                if request.path == "/config", request.token == nil { response.status = 200 }
            })
        default:
            try StackDouble(after: { request, response in
                if request.token != nil, response.status == 401 { response.status = 200 }
            })
        }
    }

    private static func answering(_ status: Int, _ path: String) throws -> StackDouble {
        try StackDouble(before: { $0.path == path ? BinaryHTTPResponse(status: status) : nil })
    }

    private static func withoutConfiguration(_ check: DoctorCheck) async throws -> DoctorReport {
        switch check {
        case .usecaseName:
            let stack = try StackDouble(
                usecase: TestList.usecase(of: TestList.entries, named: "blocklist"))
            return try await DoctorBench.examine(stack) { $0.usecase = "blocklist" }
        case .configuration:
            return try await DoctorBench.examine(
                StackDouble(), records: .found(["apple-url-filter=com.example.other"])
            ) { $0.usecase = "com.example.other.url.filtering" }
        case .publicConfiguration:
            let stack = try StackDouble(before: {
                $0.method == "GET" && $0.path == "/config" ? BinaryHTTPResponse(status: 405) : nil
            })
            return try await DoctorBench.examine(stack) { $0.generation = .iOS27_3 }
        default:
            let count: UInt32 = check == .shardCount ? 16_384 : 3
            let stack = try StackDouble(after: { request, response in
                guard request.path == "/config", response.status == 200 else { return }
                response.content = DoctorBench.configuration(response.content, shardCount: count)
            })
            return try await DoctorBench.examine(stack)
        }
    }

    private static func withoutData(_ check: DoctorCheck) async throws -> DoctorReport {
        switch check {
        case .keyUpload: return try await DoctorBench.examine(answering(413, "/key"))
        case .keyKept: return try await DoctorBench.examine(answering(200, "/key"))
        case .keyInQuery:
            let stack = try StackDouble(before: {
                $0.path == "/queries" && $0.content.count > 100_000 ? BinaryHTTPResponse(status: 413) : nil
            })
            return try await DoctorBench.examine(stack) { $0.generation = .iOS27_3 }
        case .relayCap: return try await DoctorBench.examine(StackDouble()) { $0.relayCap = 30_000 }
        case .testEntry:
            let entries = TestList.entries.filter { $0 != TestEntry.validated }
            return try await DoctorBench.examine(StackDouble(usecase: TestList.usecase(of: entries)))
        case .absentEntry:
            let stack = try StackDouble(usecase: TestList.usecase(of: TestList.entries + ["listed.invalid"]))
            return try await DoctorBench.examine(stack) { $0.absentEntry = "listed.invalid" }
        case .oldQuery: return try await DoctorBench.examineReload(.ignoresTheVersion)
        case .reloadedData: return try await DoctorBench.examineReload(.keepsTheOldData)
        default:
            return try await DoctorBench.examine(StackDouble()) {
                $0.newEntries = [Array(TestEntry.validated.utf8), Array("new.example".utf8)]
            }
        }
    }
}

/// What a query of the configuration before gets behind a reload, and whether the data are others.
struct ReloadTests {
    @Test(
        arguments: [
            (.keepsTwoVersions, .pass, "still answered", .pass, "became"),
            (.keepsOneVersion, .pass, "status 410", .pass, "became"),
            (.ignoresTheVersion, .fail, "neither its answer nor 410", .pass, "became"),
            (.losesTheEntry, .fail, "reads as absent", .pass, "configuration "),
            (.keepsTheOldData, .pass, "still answered", .fail, "1 of 1 new entries are absent"),
            (.fails, .notChecked, "the reload failed", .notChecked, "the reload failed"),
        ] as [(Reload, DoctorReport.Outcome, String, DoctorReport.Outcome, String)])
    func kindsOfServices(
        kind: Reload, query: DoctorReport.Outcome, queryWords: String, data: DoctorReport.Outcome,
        dataWords: String
    ) async throws {
        let report = try await DoctorBench.examineReload(kind)
        let (first, second) = (try #require(report.line(.oldQuery)), try #require(report.line(.reloadedData)))
        #expect(first.outcome == query && first.detail.contains(queryWords), "\(first)")
        #expect(second.outcome == data && second.detail.contains(dataWords), "\(second)")
        // Where new data came, the entries of the next prefilter are theirs.
        let order = report.line(.generationOrder)?.outcome
        #expect(order == (data == .pass ? .pass : data == .fail ? .notChecked : .fail))
    }

    /// The same list again, or one in tables of the same sizes: from the identifier alone nobody can tell.
    @Test func theSameConfigurationIsANoteUntilAnEntryDecides() async throws {
        let report = try await DoctorBench.examine(StackDouble()) { $0.reload = {} }
        #expect(report.line(.reloadedData)?.outcome == .note && !report.hasFailure)
        let told = try await DoctorBench.examine(StackDouble()) {
            $0.reload = {}
            $0.newEntries = [Array("blocked1.example".utf8)]
        }
        #expect(told.line(.reloadedData)?.outcome == .pass && !told.hasFailure)
    }
}

enum Reload {
    case keepsTwoVersions, keepsOneVersion, keepsTheOldData, fails
    /// Answers old queries with the new data, whose tables have other sizes.
    case ignoresTheVersion
    /// The same, in tables of the same sizes: nothing in the answer tells.
    case losesTheEntry
}

extension DoctorBench {
    /// Another list, with an entry of its own and without the test entry.
    private static let next = TestList.usecase(of: (0..<90).map { "next\($0).example" })

    private static let alike = TestList.usecase(
        of: TestList.entries.map { $0 == TestEntry.validated ? "next7.example" : $0 })

    static func examineReload(_ kind: Reload) async throws -> DoctorReport {
        struct Refused: Error {}
        let reloads = Reloads()
        let stack = try StackDouble(before: { request in
            guard [.ignoresTheVersion, .losesTheEntry].contains(kind), request.path == "/queries",
                await reloads.count > 0,
                var message = try? WireCoding.message(WireRequests.self, from: request.content)
            else { return nil }
            for index in message.requests.indices {
                message.requests[index].pirRequest.configurationHash = Data(
                    (kind == .losesTheEntry ? alike : next).configurationID)
            }
            request.content = WireCoding.bytes(of: message)
            return nil
        })
        return try await examine(stack) { settings in
            settings.newEntries = [Array("next7.example".utf8)]
            settings.reload = {
                if kind == .fails { throw Refused() }
                await reloads.add()
                guard kind != .keepsTheOldData else { return }
                await stack.install(
                    kind == .losesTheEntry ? alike : next, versionCount: kind == .keepsTwoVersions ? 2 : 1)
            }
        }
    }

    private actor Reloads {
        private(set) var count = 0
        func add() { count += 1 }
    }

    /// The configuration with another number of shards, all alike.
    static func configuration(_ content: [UInt8], shardCount: UInt32) -> [UInt8] {
        guard var message = try? WireCoding.message(WireConfigResponse.self, from: content),
            var config = message.configs[PIRDatabase.usecaseName]
        else { return content }
        let shape =
            config.pirConfig.hasPirShardConfigs
            ? config.pirConfig.pirShardConfigs.repeatedShardConfig.shardConfig
            : config.pirConfig.shardConfigs[0]
        config.pirConfig.shardConfigs = []
        config.pirConfig.pirShardConfigs.repeatedShardConfig.shardConfig = shape
        config.pirConfig.pirShardConfigs.repeatedShardConfig.shardCount = shardCount
        message.configs[PIRDatabase.usecaseName] = config
        return WireCoding.bytes(of: message)
    }
}
