import Decoding
import Foundation
import ListAnalysis
import PrivateInformationRetrieval
import Report
import TestSupport
import Testing

@Suite struct PIRProcessTextTests {
    /// Three small shards in a directory of their own.
    private func withShards(
        _ body: (ProcessConfiguration, DatabaseProcessor, (Range<Int>) throws -> KeywordRows) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let json = """
            { "inputDatabase": "none", "outputDatabase": "\(folder.path)/s-SHARD_ID.bin",
              "outputPirParameters": "\(folder.path)/s-SHARD_ID.params.txtpb",
              "rlweParameters": "insecure_n_512_logq_4x60_logt_20", "sharding": { "shardCount": 3 },
              "useMaxSerializedBucketSize": true }
            """
        let (configuration, _) = try ProcessConfiguration.read(json: Array(json.utf8))
        try body(configuration, DatabaseProcessor(configuration)) { range in
            try KeywordRows(range.map { (Array("host\($0)".utf8), [0x31]) })
        }
    }

    private func summary(_ shards: [ShardSummary], kept: Bool? = nil) -> PIRProcessSummary {
        PIRProcessSummary(
            configuration: "c.json", encryptionParameters: "set", seed: 0, seconds: 1.5, unknownKeys: [],
            previous: kept == nil ? nil : "old", parametersKept: kept, shards: shards)
    }

    @Test func whatWasNotMadeIsSaid() throws {
        try withShards { _, processor, rows in
            let first = PIRText.render(summary(try processor.run(rows(0..<90))))
            #expect(first.contains("90 rows in 3 shards"))
            #expect(!first.contains("earlier run"))
            let again = PIRText.render(summary(try processor.run(rows(0..<90))))
            #expect(again.contains("3 of 3 shards were finished by an earlier run and taken over"))
        }
    }

    @Test func anUpdateCountsRowsAndShards() throws {
        try withShards { configuration, processor, rows in
            _ = try processor.run(rows(0..<90))
            let previous = PreviousDatabase(
                database: configuration.outputDatabase, parameters: configuration.outputPirParameters)
            let summary = summary(try processor.update(rows(1..<91), previous: previous), kept: true)
            let change = try #require(summary.change)
            #expect(change.addedRows == 1 && change.removedRows == 1 && change.changedValues == 0)
            let text = PIRText.render(summary)
            #expect(text.contains("1 rows added, 1 removed, 0 with a new value; "))
            #expect(text.contains("the parameters are kept: clients keep their configuration and their keys"))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
            let json = try JSONText.render(summary)
            let read = try JSONDecoder().decode(PIRProcessSummary.self, from: Data(json.utf8))
            #expect(read == summary)
        }
    }

    @Test func inspectionShowsShardsAndMessages() throws {
        try withShards { configuration, processor, rows in
            let summaries = try processor.run(rows(0..<90))
            var random = SystemRandomNumberGenerator()
            let shards = try summaries.map { summary in
                let names = (
                    ProcessConfiguration.path(configuration.outputDatabase, shard: summary.shard),
                    ProcessConfiguration.path(configuration.outputPirParameters, shard: summary.shard)
                )
                let stored = try StoredShard(databasePath: names.0, parametersPath: names.1)
                var shard = PIRInspection.Shard(parametersFile: names.1, parameters: stored.parameters)
                shard.databaseFile = names.0
                shard.contents = PIRInspection.Contents(stored, headroom: stored.headroom(using: &random))
                return shard
            }
            let parameters = summaries.map(\.parameters)
            let usecase = try processor.usecase(named: "u", rows: rows(0..<90))
            let inspection = try PIRInspection(
                parameters: parameters,
                messages: MessageSizes(
                    configuration: usecase.configuration, evaluationKey: usecase.keyConfiguration),
                shards: shards)
            #expect(inspection.shards.compactMap(\.contents?.rows).reduce(0, +) == 90)
            let id = usecase.configurationID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(inspection.configurationID == id)
            let room = try #require(inspection.headroomRows)
            #expect(room > 0 && room % 3 == 0)
            let text = PIRInspectionText.render(inspection)
            #expect(text.contains("configuration id        \(id)"))
            #expect(text.contains("more rows, evenly spread, before parameters change"))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
            let json = try JSONText.render(inspection)
            let read = try JSONDecoder().decode(PIRInspection.self, from: Data(json.utf8))
            #expect(read == inspection)
        }
    }

    @Test func parametersAloneHaveNoContents() throws {
        try withShards { _, processor, rows in
            let usecase = try processor.usecase(named: "u", rows: rows(0..<90))
            let inspection = try PIRInspection(
                parameters: usecase.shards.map(\.parameters),
                messages: MessageSizes(
                    configuration: usecase.configuration, evaluationKey: usecase.keyConfiguration),
                shards: usecase.shards.map {
                    PIRInspection.Shard(parametersFile: "p", parameters: $0.parameters)
                })
            #expect(inspection.headroomRows == nil)
            #expect(!PIRInspectionText.render(inspection).contains("headroom"))
        }
    }
}
