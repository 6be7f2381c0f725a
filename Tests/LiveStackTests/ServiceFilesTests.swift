import Foundation
import HomomorphicEncryption
import LiveStack
import Parties
import PrivateInformationRetrieval
import Testing

/// A service configuration and processed shards as Apple's tools name them.
struct ServiceFilesTests {
    @Test func whatWasProcessedIsServedToTheUsersOfTheConfiguration() async throws {
        try await Fixture.withStateFile { path in
            let stem = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("url")
                .path
            try Self.process(to: stem)
            let json = """
                {"users": [{"tier": "tier1", "tokens": ["user-0"]}, {"tier": "tier2", "tokens": ["user-1"]}],
                 "usecases": [{"name": "\(PIRDatabase.usecaseName)", "fileStem": "\(stem)", "shardCount": 2}]}
                """
            let configuration = try ServiceConfiguration.read(json: Array(json.utf8)).configuration
            let data = try LiveData(configuration)
            try await Fixture.withStack(load: { data }) { stack async throws in
                for number in 0..<2 {
                    var device = try TestDevice(number: number, directTo: stack.url, data: data)
                    try await device.settle(tokens: 1)
                    #expect(try await device.look(up: ["blocked7.example", "a.example"]) == [true, false])
                }
                var stranger = try TestDevice(number: 2, directTo: stack.url, data: data)
                try await stranger.exchange { $0.directoryRequest() }
                let refused = await #expect(throws: Refused.self) {
                    try await stranger.exchange { $0.tokenKeyRequest() }
                }
                #expect(refused?.status == 401)
            }
        }
    }

    private static func process(to stem: String) throws {
        var configuration = ProcessConfiguration(
            inputDatabase: "", outputDatabase: stem + "-SHARD_ID.bin",
            outputPirParameters: stem + "-SHARD_ID.params.txtpb",
            encryption: try EncryptionParameters(named: "n_4096_logq_27_28_28_logt_5"))
        configuration.sharding = try Sharding(.shardCount(2))
        let rows = try KeywordRows(Fixture.entries.map { (keyword: Array($0.utf8), value: [0x31]) })
        _ = try DatabaseProcessor(configuration, seed: 0).run(rows, parallel: false)
    }
}
