import Experiment
import Foundation
import Questions
import RandomStreams
import TestSupport
import Testing
import Workload

/// What the next edition of a list asks, against databases that are made here.
@Suite struct UpdatePlanTests {
    private static func list(_ numbers: some Sequence<Int>, in folder: TemporaryFolder, _ name: String) throws
        -> UpdatePlanner.NamedList
    {
        let text = numbers.map { "listed\($0).example\n" }.joined()
        let path = try folder.write(text, to: name)
        return (name, try BlockListReader.read(path: path).0)
    }

    private static func plan(
        _ old: some Sequence<Int>, _ new: some Sequence<Int>, _ settings: String = ""
    ) throws -> UpdatePlan {
        let folder = try TemporaryFolder()
        let scenario = try resolve(
            """
            duration: 1h
            blocklist: { file: list.txt }
            devices: [{ name: homes, count: 1000 }]
            prices: { downloadGigabyte: 2, egressGigabyte: 3, ingressGigabyte: 5 }
            \(settings)
            """)
        return try UpdatePlanner(
            scenario, old: list(old, in: folder, "old.txt"), new: list(new, in: folder, "new.txt"),
            hasFleet: true
        ).plan(takesAll: true, folder: folder.path) { _ in }
    }

    @Test func aFewEntriesKeepTheParameters() throws {
        let plan = try Self.plan(0..<600, 10..<605)
        #expect(plan.added == 5 && plan.removed == 10 && plan.new.entries == 595)
        let update = try #require(plan.update)
        #expect(plan.keepsParameters && plan.refusal == nil && !plan.voidsKeys)
        #expect(update.configurationID == plan.before.configurationID)
        #expect(update.rewrittenShards == 1 && update.shards == 1 && update.measuredShards == 1)
        #expect(plan.device.configuration == 0 && plan.device.evaluationKey == 0)
        // Bits by the formula of the article on devices, in whole bytes.
        let bits = (-595.0 * log(0.001) / (log(2) * log(2))).rounded(.up)
        #expect(abs(Double(plan.device.prefilter) - (bits / 8).rounded(.up)) <= 1)
        #expect(plan.memory.whileLoading == plan.memory.before + plan.memory.after)
        let fleet = try #require(plan.fleet)
        #expect(fleet.downloadBytes == 1000 * Double(plan.device.prefilter) && fleet.uploadBytes == 0)
        #expect(abs(fleet.money - fleet.downloadBytes * 2e-9) < 1e-15)
        #expect(plan.risks.isEmpty, "\(plan.risks)")
    }

    /// The old table has no room.
    @Test func aListThatOutgrewItsTableChangesThem() throws {
        let plan = try Self.plan(0..<300, 0..<3000)
        #expect(!plan.keepsParameters)
        #expect(plan.refusal?.contains("cannot hold 3000 in its buckets") == true, "\(plan.refusal ?? "")")
        #expect(plan.chosen == plan.anew && plan.anew.configurationID != plan.before.configurationID)
        #expect(plan.device.configuration == plan.anew.configurationBytes)
        #expect(plan.device.evaluationKey == (plan.voidsKeys ? plan.anew.evaluationKeyBytes : 0))
        #expect(plan.anew.evaluationKeyBytes > 100_000)
        #expect(plan.risks.contains { $0.contains("900.0 %") }, "\(plan.risks)")
        let fleet = try #require(plan.fleet)
        let money =
            1000e-9
            * (2 * Double(plan.device.prefilter) + 3 * Double(plan.device.configuration) + 5
                * Double(plan.device.evaluationKey))
        #expect(abs(fleet.money - money) < 1e-12)
    }

    /// Devices fetch every four hours and the configuration every two; the parameters stay.
    @Test func aRepairLastsUntilDevicesHaveFetchedIt() throws {
        let plan = try Self.plan(
            0..<300, 0..<302,
            "filter: { prefilterFetchInterval: 4h }\nbehaviour: { configurationRefetch: 2h }\n"
                + "updates: { appRestart: 0s }\n")
        let seconds = plan.chosen.wallSeconds
        let (complained, allows, blocks) = (plan.repairs[0], plan.repairs[1], plan.repairs[2])
        // The answer is remembered for longer than four hours, so only the new prefilter frees the entry.
        #expect(complained.late == blocks.late.map { min($0, 0.99 * 14_400) })
        #expect(complained.meaning.hasPrefix("who complained") && allows.meaning.hasSuffix("stays"))
        #expect(abs(try #require(blocks.mean) - 7200) < 1 + seconds)
        #expect(abs(try #require(blocks.late) - 0.99 * 14_400) < 1 + seconds)
        #expect(abs(try #require(allows.late) - seconds) < 1)
        #expect(abs(try #require(allows.mean) - seconds) < 1)
        #expect(plan.fetchedPerHour == 0.25 && plan.answersKept == 14_400)
    }

    /// Devices drawn one by one: phases of the prefilter and of the configuration; a complaint just before the repair.
    @Test(arguments: [(7_200.0, true), (1_000, true), (1_000, false), (1e6, true)])
    func whoComplainedWaitsForThePrefilterOrForTheEndOfTheAnswer(kept: Double, changes: Bool) throws {
        let forecast = FreshnessForecast(
            fetchInterval: 14_400, refetchInterval: 6_000, reloadDelay: 300, appRestart: nil,
            changesConfiguration: changes)
        var stream = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let times = (0..<100_000).map { _ in
            let (fetch, ask) = (stream.uniform() * 14_400, changes ? stream.uniform() * 6_000 : 0)
            return min(fetch, max(kept, 300 + ask))
        }.sorted()
        let found = forecast.repairs(answersKept: kept)[0]
        let mean = times.reduce(0, +) / 100_000
        #expect(abs(try #require(found.mean) / mean - 1) < 0.01, "\(found) \(mean)")
        #expect(abs(try #require(found.late) / times[98_999] - 1) < 0.01, "\(found) \(times[98_999])")
    }

    @Test func aPartOfTheShardsStandsForAll() throws {
        let folder = try TemporaryFolder()
        let (_, list) = try Self.list(0..<2000, in: folder, "list.txt")
        func outcome(_ entries: Int, _ name: String) throws -> EditionProcessor.Outcome {
            try EditionProcessor(
                rlweParameters: "n_4096_logq_27_28_28_logt_5", shardCount: 4, entries: entries,
                takesAll: false,
                folder: folder.path
            ).process(list, as: name)
        }
        let (whole, part) = (try outcome(2000, "whole"), try outcome(10_000_000, "part"))
        #expect(whole.measuredShards == 4 && part.measuredShards == 2 && part.shards == 4)
        #expect(part.rewrittenShards == 4)
        #expect(abs(part.memoryBytes / whole.memoryBytes - 1) < 0.2)
        #expect(part.evaluationKeyBytes == whole.evaluationKeyBytes)
    }

    @Test func otherToolsAreRatiosToOurs() throws {
        let plan = try Self.plan(0..<300, 0..<301)
        let other = try #require(plan.otherTools.first)
        #expect(other.name == "pir-service-example")
        #expect(abs(other.least / plan.anew.cpuSeconds - 4.7) < 1e-9)
        #expect(abs(other.most / plan.anew.cpuSeconds - 7.2) < 1e-9)
    }
}
