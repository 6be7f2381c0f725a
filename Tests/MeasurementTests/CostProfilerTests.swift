import FleetModel
import Foundation
import Measurement
import Testing
import Timing
import URLFilter
import Workload

struct CostProfilerTests {
    @Test func aProfileHasEveryEndpointWithTimesAndExactSizes() throws {
        let profile = try CostProfiler.measure(
            entries: BlockList(Lists.entries), rlweParameters: Lists.parameters, shardCount: 2)
        for endpoint in Endpoint.ofLookups {
            let cost = try #require(profile[endpoint], "\(endpoint)")
            for stage in [
                cost.deviceBegins, cost.gatewayOpens, cost.serviceAnswers, cost.gatewaySeals, cost.deviceEnds,
            ] {
                #expect(stage.samples.count >= 10 && stage.samples.allSatisfy { $0 > 0 }, "\(endpoint)")
                #expect(stage.samples == stage.samples.sorted())
            }
        }
        // The sizes are those of any other device.
        let work = try Lists.real()
        try work.startSteadily(device: 0, tokens: 8)
        for endpoint in [Endpoint.directory, .tokenKey, .issue, .config, .key] {
            let seen = try work.ask(endpoint, second: 9)
            #expect(profile[endpoint]?.requestBytes == seen.request, "\(endpoint)")
            #expect(profile[endpoint]?.responseBytes == seen.response, "\(endpoint)")
        }
        let one = try work.ask(.queries, keys: [1])
        let three = try work.ask(.queries, keys: [1, 2, 300])
        #expect(profile[.queries]?.requestBytes == one.request)
        #expect(profile[.queries]?.responseBytes == one.response)
        // Lengths are written in one byte more here and there.
        #expect(abs(one.request + 2 * profile.extraKeyword.requestBytes - three.request) <= 16)
        #expect(abs(one.response + 2 * profile.extraKeyword.responseBytes - three.response) <= 16)
        #expect((28_000...31_000).contains(one.request))
        let upload = try #require(profile[.key]).requestBytes
        // A hundred entries need fewer Galois keys than the 50,000 of a usual shard, whose upload has 596 kB.
        #expect((200_000...650_000).contains(upload))
        // In memory the key is unpacked, with both halves of each ciphertext.
        #expect(profile.evaluationKeyBytes > upload)
        #expect((0...1).contains(try #require(profile.followerShare)))
        #expect(profile.subject.shards == 2)
        #expect((50..<100).contains(profile.subject.entries))
        // It drives the calibrated work.
        _ = try CalibratedWork(
            profile: profile, deviceCount: 1, tokensPerUserPerDay: nil, seed: 1, replication: 0)

        let encoded = try JSONEncoder().encode(profile)
        #expect(try JSONDecoder().decode(CostProfile.self, from: encoded) == profile)
    }

    @Test func aListWithEmptyShardsCanBeMeasured() throws {
        let profile = try CostProfiler.measure(
            entries: BlockList(["only.example"]), rlweParameters: Lists.parameters, shardCount: 64)
        #expect(profile.subject.entries == 1)
        #expect(profile.subject.shards == 64)
    }

    private static let stage = #"{"samples":[5,3]}"#

    private func endpoint(_ changes: [String: String]) -> String {
        var fields = ["requestBytes": "10", "responseBytes": "20"]
        for name in ["deviceBegins", "gatewayOpens", "serviceAnswers", "gatewaySeals", "deviceEnds"] {
            fields[name] = Self.stage
        }
        fields.merge(changes) { $1 }
        return "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    @Test(
        "numbers that the model could not use are refused",
        arguments: [
            ["deviceBegins": #"{"samples":[]}"#], ["deviceEnds": #"{"samples":[-1]}"#],
            ["gatewaySeals": #"{"samples":[2000000000000]}"#], ["requestBytes": "-1"],
            ["responseBytes": "9000000000"], ["serviceAnswers": #"{"samples":"x"}"#],
        ])
    func refused(changes: [String: String]) throws {
        let good = try JSONDecoder().decode(EndpointCost.self, from: Data(endpoint([:]).utf8))
        #expect(good.deviceBegins.samples == [3, 5])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(EndpointCost.self, from: Data(endpoint(changes).utf8))
        }
    }

    @Test func aProfileWithoutAnEndpointIsRefused() throws {
        var profile = CostProfile(
            machine: Machine.current,
            subject: .init(rlweParameters: "", entries: 1, shards: 1, dimensions: [], databaseBytes: 1),
            endpoints: [:],
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0), evaluationKeyBytes: 0)
        profile.endpoints["issue"] = try JSONDecoder().decode(
            EndpointCost.self, from: Data(endpoint([:]).utf8))
        #expect(throws: CostProfileError.missingEndpoint("directory")) {
            try CalibratedWork(
                profile: profile, deviceCount: 1, tokensPerUserPerDay: nil, seed: 1, replication: 0)
        }
    }
}
