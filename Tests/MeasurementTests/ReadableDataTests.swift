import FleetModel
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import RandomStreams
import Testing
import URLFilter

/// What the model says that a gateway and its services read, against the bytes that a device really makes.
struct ReadableDataTests {
    private static let pseudonym = "pseudonym-4711"
    private static let userToken = "user-token-0815"
    private static let word = Array("blocked7.example".utf8)

    /// A device with a configuration, an evaluation key and some tokens.
    private struct Talk {
        let service: OperatorService
        var device: DeviceClient
        var generator = RandomStream(
            seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("what is readable"))

        init() throws {
            service = try OperatorService(usecase: Lists.usecase, tokensPerUserPerDay: nil)
            device = DeviceClient(
                DeviceClient.Identity(
                    userIdentifier: ReadableDataTests.pseudonym, userToken: ReadableDataTests.userToken),
                usecase: Lists.usecase.name, services: DeviceClient.Services(),
                startOfClock: 1_800_000_000, context: Lists.usecase.shards[0].context)
        }

        /// Sends a request, and lets the device read the answer.
        mutating func send(_ made: (BinaryHTTPRequest, DeviceClient.Pending)) throws -> BinaryHTTPRequest {
            let response = service.respond(to: made.0, second: 0)
            try #require(response.status == 200)
            _ = try device.read(response.content, to: made.1, second: 0, using: &generator)
            return made.0
        }

        mutating func requests() throws -> [(endpoint: Endpoint, withKey: Bool, request: BinaryHTTPRequest)] {
            let directory = try send(device.directoryRequest())
            let tokenKey = try send(device.tokenKeyRequest())
            let issue = try send(device.issueRequest())
            for _ in 0..<5 { _ = try send(device.issueRequest()) }
            let config = try send(device.configRequest())
            let key = try send(device.keyRequest(second: 0, using: &generator))
            let word = ReadableDataTests.word
            return [
                (.directory, false, directory), (.tokenKey, false, tokenKey), (.issue, false, issue),
                (.config, false, config), (.key, false, key),
                (.queries, false, try device.queriesRequest([word], using: &generator).0),
                (
                    .queries, true,
                    try device.queriesRequestWithKey([word], second: 0, using: &generator).0
                ),
                (.report, false, try device.reportRequest([word]).0),
            ]
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        part.count <= bytes.count
            && bytes.indices.dropLast(part.count - 1).contains { bytes[$0...].starts(with: part) }
    }

    /// What somebody finds who takes a request apart.
    private static func found(in request: BinaryHTTPRequest) throws -> Set<Datum> {
        func field(_ name: String) -> String? { request.fields.first { $0.name == name }?.text }
        var found: Set<Datum> = []
        let authorization = field("authorization") ?? ""
        if authorization.hasPrefix("PrivateToken ") { found.insert(.token) }
        if authorization == "Bearer " + userToken { found.insert(.userToken) }
        if field("user-identifier") == pseudonym { found.insert(.userIdentifier) }
        if field("user-agent")?.contains("iOS/") == true { found.insert(.systemVersion) }
        if contains(request.content, word) { found.insert(.blockedEntry) }
        switch request.path {
        case "/key":
            let keys = try WireCoding.message(WireEvaluationKeys.self, from: request.content).keys
            if !keys.isEmpty { found.insert(.evaluationKey) }
        case "/queries":
            let message = try WireCoding.message(WireRequests.self, from: request.content)
            for part in message.requests.map(\.pirRequest) {
                found.formUnion([.shardIndex, .encryptedKeyword])
                if part.hasEvaluationKey { found.insert(.evaluationKey) }
            }
        default: break
        }
        return found
    }

    @Test func aRequestSaysWhatTheModelSays() throws {
        var talk = try Talk()
        let requests = try talk.requests()
        #expect(Set(requests.map(\.endpoint)) == Set(Endpoint.allCases))
        for (endpoint, withKey, request) in requests {
            let found = try Self.found(in: request)
            #expect(found == endpoint.readable(withKey: withKey), "\(endpoint) \(withKey)")
        }
    }

    /// Neither pseudonym nor user token is anywhere but where the model says, not even inside a message.
    @Test func identitiesStandNowhereElse() throws {
        var talk = try Talk()
        for (endpoint, _, request) in try talk.requests() {
            let bytes = try request.encoded()
            let names = endpoint.readable()
            #expect(
                Self.contains(bytes, Array(Self.pseudonym.utf8)) == names.contains(.userIdentifier),
                "\(endpoint)")
            #expect(
                Self.contains(bytes, Array(Self.userToken.utf8)) == names.contains(.userToken), "\(endpoint)")
        }
    }

    /// The configuration of everybody (iOS 27.3) has neither token nor pseudonym.
    @Test func thePublicConfigurationNamesNobody() throws {
        let talk = try Talk()
        let request = talk.device.publicConfigRequest().0
        #expect(try Self.found(in: request).isEmpty && request.fields.isEmpty)
    }
}
