import DeviceFleet
import DeviceNetwork
import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import RandomStreams
import Testing

/// What no device of ours sends.
extension Crowd {
    mutating func sendAgain() async throws {
        guard !spent.isEmpty else { return }
        let request = spent[stream.index(below: spent.count)]
        let channel = channels[stream.index(below: 2)]
        tally.repeats += 1
        let status = try await channel.exchange(request).response.status
        #expect(status == 401, "a token is taken twice: \(request.method) \(request.path)")
    }

    private mutating func goodRequest(_ number: Int) async throws -> BinaryHTTPRequest {
        if !members[number].hasKey { try await uploadKey(number) }
        try await needToken(number)
        switch stream.index(below: 4) {
        case 0: return try members[number].client.configRequest().0
        case 1:
            // The device goes on with the key from before, so that nobody knows what an accepted one does.
            members[number].hasKey = false
            return try members[number].client.keyRequest(second: 0, using: &random).0
        case 2: return try members[number].client.queriesRequest([[0x61]], using: &random).0
        default:
            var request = try members[number].client.configRequest().0
            request.path = ServiceNames.reportPath
            request.content = [0x0A, 3, 0x61, 0x22, 0x62]
            return request
        }
    }

    mutating func sendDamagedContent(_ number: Int) async throws {
        var request = try await goodRequest(number)
        request.content = damaged(request.content)
        let response = try await send(request, number)
        guard response.status == 200 else { return }
        switch request.path {
        case "/config": _ = try WireCoding.message(WireConfigResponse.self, from: response.content)
        case "/queries": _ = try WireCoding.message(WireResponses.self, from: response.content)
        case "/key": storedKeys += 1
        default: break
        }
    }

    mutating func sendDamagedFields(_ number: Int) async throws {
        var request = try await goodRequest(number)
        switch stream.index(below: 5) {
        case 0: request.fields.remove(at: stream.index(below: request.fields.count))
        case 1: request.path = ["/", "/config/", "/Queries", "/issue", "/key?x=1"][stream.index(below: 5)]
        case 2: request.method = ["GET", "PUT", "HEAD"][stream.index(below: 3)]
        case 3: request.fields += request.fields
        default:
            let token = damaged(Array((request.authorization ?? "").utf8)).filter { $0 > 32 && $0 < 127 }
                .prefix(4_000)
            request.fields.removeAll { $0.name == "authorization" }
            request.fields.append(
                BinaryHTTPField("authorization", String(decoding: token, as: UTF8.self)))
        }
        // Whatever becomes of the token, it may be good no longer.
        let response = try await send(request, number)
        if response.status == 200, request.path == "/key" { storedKeys += 1 }
    }

    mutating func sendDamagedSeal() async throws {
        guard let caller else { return }
        let keys = try OHTTPKeyConfiguration.decodeList(
            try await caller.get(url + ServiceNames.relayPath).body)
        let inner = try BinaryHTTPRequest(
            method: "GET", authority: ServiceNames.issuerAuthority, path: ServiceNames.tokenKeyPath
        ).encoded()
        let isInside = stream.index(below: 2) == 0
        var (message, context) = try OHTTPClient(configuration: keys[0]).seal(
            isInside ? damaged(inner) : inner)
        if !isInside { message = damaged(message) }
        let path = [ServiceNames.relayPath, ServiceNames.gatewayPath][stream.index(below: 2)]
        let reply = try await caller.call(
            "POST", url + path, fields: [BinaryHTTPField("content-type", OHTTPMediaType.request)],
            body: message)
        let request = BinaryHTTPRequest(method: "POST", authority: "", path: path)
        note(BinaryHTTPResponse(status: reply.status, fields: reply.fields), to: request, isSealed: false)
        if isInside {
            #expect(reply.status == 200)
            note(try BinaryHTTPResponse(decoding: context.open(reply.body)), to: request, isSealed: true)
        }
    }

    mutating func sendDamagedTokenRequest(_ number: Int) async throws {
        if !members[number].client.knowsTokenKey { try await fetchToken(number) }
        var request = try members[number].client.issueRequest().0
        request.content = damaged(request.content)
        _ = try await send(request, number)
    }

    mutating func sendManyTimesAtOnce(_ number: Int) async throws {
        let request = try await goodRequest(number)
        let ways = channels
        let answers = try await withThrowingTaskGroup(of: BinaryHTTPResponse.self) { group in
            for copy in 0..<6 { group.addTask { try await ways[copy % 2].exchange(request).response } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        tally.repeats += 5
        #expect(answers.filter { $0.status != 401 }.count == 1, "a token is taken twice")
        for answer in answers where answer.status != 401 {
            note(answer, to: request, isSealed: false)
            if answer.status == 200, request.path == "/key" { storedKeys += 1 }
        }
    }

    private mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        tally.damaged += 1
        return Mutator(seeds: [bytes], words: [], grammar: nil).damaged(using: &stream)
    }
}
