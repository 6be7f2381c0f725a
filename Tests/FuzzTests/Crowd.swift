import DeviceFleet
import DeviceNetwork
import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import RandomStreams
import Testing

/// Devices that know what they were promised, and one that sends anything.
struct Crowd {
    struct Tally: CustomStringConvertible {
        var sequences = 0
        var exchanges = 0
        var lookups = 0
        var repeats = 0
        var damaged = 0
        var refused = 0
        var busy = 0

        var description: String {
            "\(sequences) sequences, \(exchanges) exchanges: \(lookups) lookups, \(repeats) tokens sent again, "
                + "\(damaged) damaged messages; \(refused) refused, \(busy) answered with 503"
        }
    }

    struct Member {
        var client: DeviceClient
        let isSealed: Bool
        var hasKey = false
        var uploads: Int64 = 0
    }

    var tally = Tally()
    private let usecase: PIRUsecase
    var stream: RandomStream
    var members: [Member] = []
    private(set) var channels: [any ExchangeChannel] = []
    private(set) var caller: HTTPCaller?
    private(set) var url = ""
    /// Requests whose token was taken: any of them, because an uploaded key is long.
    private(set) var spent: [BinaryHTTPRequest] = []
    /// All tokens that were taken.
    private var spentCount = 0
    private static let spentLimit = 1_000
    /// Uploads that were answered with 200.
    var storedKeys = 0
    var random = SystemRandomNumberGenerator()

    init(usecase: PIRUsecase, seed: UInt64) {
        self.usecase = usecase
        stream = RandomStream(
            seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("conversations"))
    }

    /// Goes on with a server that was started anew, at another port.
    mutating func enter(_ url: String, _ caller: HTTPCaller) async throws {
        self.url = url
        self.caller = caller
        let relay = url + ServiceNames.relayPath
        channels = [
            Direct(caller: caller, url: url),
            try await ObliviousChannel(caller, resource: relay, keys: relay),
        ]
        guard members.isEmpty else { return }
        for number in 0..<5 {
            members.append(
                Member(
                    client: DeviceClient(
                        number: number, usecase: usecase.name, context: usecase.shards[0].context),
                    isSealed: number % 2 == 1))
        }
    }

    mutating func converse() async throws {
        tally.sequences += 1
        for _ in 0...stream.index(below: 8) {
            let number = stream.index(below: members.count)
            // The last one sends what others would not.
            let isWild = number == members.count - 1
            switch stream.index(below: isWild ? 12 : 6) {
            case 0: try await fetchToken(number)
            case 1: try await fetchConfiguration(number)
            case 2: try await uploadKey(number)
            case 3, 4: try await lookUp(number)
            case 5: try await sendAgain()
            case 6, 7: try await sendDamagedContent(number)
            case 8: try await sendDamagedFields(number)
            case 9: try await sendDamagedSeal()
            case 10: try await sendDamagedTokenRequest(number)
            default: try await sendManyTimesAtOnce(number)
            }
        }
    }

    /// What the servers keep is what they acknowledged.
    func checkCounts() async throws {
        guard let caller else { return }
        let page = String(decoding: try await caller.get(url + "/metrics").body, as: UTF8.self)
        func metric(_ name: String) -> Int? {
            let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }.map { Int($0) }
        }
        #expect(metric("urlfilter_spent_tokens") == spentCount)
        #expect(metric("urlfilter_evaluation_keys").map { $0 <= storedKeys } == true)
    }

    // Good exchanges

    mutating func needToken(_ number: Int) async throws {
        if members[number].client.tokenCount == 0 { try await fetchToken(number) }
    }

    mutating func fetchToken(_ number: Int) async throws {
        if !members[number].client.knowsTokenKey {
            try await exchange(number) { client, _ in client.directoryRequest() }
            try await exchange(number) { client, _ in client.tokenKeyRequest() }
        }
        try await exchange(number) { client, _ in try client.issueRequest() }
    }

    private mutating func fetchConfiguration(_ number: Int) async throws {
        try await needToken(number)
        let answer = try await exchange(number) { client, _ in try client.configRequest() }
        guard case .keyUploadNeeded(let isNeeded) = answer, number < members.count - 1 else { return }
        #expect(isNeeded != members[number].hasKey, "device \(number)")
    }

    mutating func uploadKey(_ number: Int) async throws {
        if members[number].client.session.client == nil { try await fetchConfiguration(number) }
        try await needToken(number)
        members[number].uploads += 1
        let second = members[number].uploads
        try await exchange(number) { try $0.keyRequest(second: second, using: &$1) }
        members[number].hasKey = true
        storedKeys += 1
    }

    private mutating func lookUp(_ number: Int) async throws {
        if !members[number].hasKey { try await uploadKey(number) }
        try await needToken(number)
        let keywords = ["blocked\(stream.index(below: 40)).example", "harmless.example"].map {
            Array($0.utf8)
        }
        let answer = try await exchange(number) { try $0.queriesRequest(keywords, using: &$1) }
        guard case .present(let present) = answer else { return }
        #expect(present == [true, false])
        tally.lookups += 1
    }

    @discardableResult
    private mutating func exchange(
        _ number: Int,
        _ make: (inout DeviceClient, inout SystemRandomNumberGenerator) throws -> (
            BinaryHTTPRequest, DeviceClient.Pending
        )
    ) async throws -> DeviceClient.Answer {
        let (request, pending) = try make(&members[number].client, &random)
        let response = try await send(request, number)
        guard response.status == 200 else { throw Broken("a good request is answered \(response.status)") }
        return try members[number].client.read(
            response.content, to: pending, second: Int64(Date().timeIntervalSince1970), using: &random)
    }

    mutating func send(_ request: BinaryHTTPRequest, _ number: Int) async throws -> BinaryHTTPResponse {
        let isSealed = members[number].isSealed
        let response = try await channels[isSealed ? 1 : 0].exchange(request).response
        note(response, to: request, isSealed: isSealed)
        return response
    }

    mutating func note(_ response: BinaryHTTPResponse, to request: BinaryHTTPRequest, isSealed: Bool) {
        tally.exchanges += 1
        switch response.status {
        case 200: break
        // 501: a message asks for something that Apple defines and no server of ours has.
        case 400..<500, 501: tally.refused += 1
        case 503 where response.fields.first(named: "retry-after") != nil: tally.busy += 1
        default: Issue.record("status \(response.status) to \(request.method) \(request.path.prefix(99))")
        }
        let paths = ["/config", "/key", "/queries", ServiceNames.reportPath]
        // A server reads no query, and a gateway carries none. A 404 at one of these paths speaks of a usecase, after
        // the token. Who finds no room keeps it.
        let path = isSealed ? request.path : String(request.plainPath)
        let keepsToken = [401, 405, 413, 503].contains(response.status)
        if !keepsToken, request.method == "POST", paths.contains(path) {
            var request = request
            request.path = path
            spentCount += 1
            if spent.count < Self.spentLimit {
                spent.append(request)
            } else {
                spent[stream.index(below: spent.count)] = request
            }
        }
    }

    /// Why a sequence cannot go on.
    private struct Broken: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// Straight to the server, whatever host a request names.
    private struct Direct: ExchangeChannel {
        let caller: HTTPCaller
        let url: String

        func exchange(_ request: BinaryHTTPRequest) async throws -> ChannelReply {
            let reply = try await caller.call(
                request.method, url + request.path, fields: request.fields, body: request.content)
            return ChannelReply(
                response: BinaryHTTPResponse(status: reply.status, fields: reply.fields, content: reply.body),
                sentBytes: 0, receivedBytes: 0)
        }
    }
}
