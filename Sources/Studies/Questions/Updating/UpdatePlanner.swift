import Decoding
import EventSimulation
import Experiment
import FleetModel
import Foundation
package import Scenarios
import URLFilter
package import Workload

/// Compares two editions of a list under the settings of a scenario, by processing both.
package struct UpdatePlanner {
    package typealias NamedList = (file: String, list: BlockList)

    let scenario: Scenario
    let old: NamedList
    let new: NamedList
    private let hasFleet: Bool

    /// - Parameters:
    ///   - hasFleet: The devices of the scenario are somebody's, and their bytes are worth a sum.
    package init(_ scenario: Scenario, old: NamedList, new: NamedList, hasFleet: Bool) {
        self.scenario = scenario
        self.old = old
        self.new = new
        self.hasFleet = hasFleet
    }

    /// - Parameters:
    ///   - takesAll: Process all shards of any list.
    ///   - folder: Where databases are written; the caller removes it.
    ///   - progress: Told in words what is being done.
    package func plan(
        takesAll: Bool, folder: String, progress: (String) -> Void
    ) throws -> UpdatePlan {
        let entries = max(old.list.count, new.list.count)
        func processor(_ shards: Int) throws -> EditionProcessor {
            try EditionProcessor(
                rlweParameters: scenario.pir.rlweParameters, shardCount: shards, entries: entries,
                takesAll: takesAll, folder: folder)
        }
        func shards(_ list: BlockList) throws -> Int {
            try scenario.pir.shards ?? DatabaseChoice.usualShardCount(entries: list.count)
        }
        let first = try processor(shards(old.list))
        progress("processing \(old.file)")
        let before = try first.process(old.list, as: "old")
        progress("updating it to \(new.file)")
        var (update, refusal): (EditionProcessor.Outcome?, String?)
        switch try first.update(new.list, of: "old", as: "new") {
        case .kept(let outcome): update = outcome
        case .refused(let reason): refusal = reason
        }
        progress("processing \(new.file) anew")
        let anew = try processor(shards(new.list)).process(new.list, as: "anew")
        let chosen = update ?? anew
        let difference = difference()
        let voids = chosen.evaluationKeyID != before.evaluationKeyID
        let newEdition = try edition(new)
        let device = UpdatePlan.Device(
            prefilter: newEdition.prefilterBytes,
            unchanged: PrefilterConfiguration.usualUnchangedByteCount,
            configuration: chosen.configurationID == before.configurationID ? 0 : chosen.configurationBytes,
            evaluationKey: voids ? chosen.evaluationKeyBytes : 0)
        let interval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        let answersKept = Double(nanoseconds: scenario.device.pirCacheTimeToLive)
        var plan = UpdatePlan(
            old: try edition(old), new: newEdition, added: difference.added, removed: difference.removed,
            before: before, update: update, refusal: refusal, anew: anew,
            sample: before.measuredShards < before.shards
                ? "shards 0 to \(before.measuredShards - 1) of \(before.shards) were processed, chosen by the hash of"
                    + " their keywords; times and sizes are scaled to all" : nil,
            otherTools: otherTools(anew), device: device, fleet: fleet(device),
            memory: UpdatePlan.Memory(
                before: before.memoryBytes, after: chosen.memoryBytes,
                whileLoading: before.memoryBytes + chosen.memoryBytes),
            repairs: repairs(
                processing: chosen.wallSeconds, keepsParameters: update != nil, answersKept: answersKept),
            fetchedPerHour: min(1, 3600 / interval), answersKept: min(interval, answersKept), risks: [])
        plan.risks = risks(of: plan)
        return plan
    }

    private func edition(_ named: NamedList) throws -> UpdatePlan.Edition {
        let parameters = try PrefilterBuilder.parameters(
            itemCount: named.list.count, settings: scenario.filter)
        return UpdatePlan.Edition(
            file: named.file, entries: named.list.count, bitCount: parameters.bitCount,
            hashCount: parameters.hashCount, prefilterBytes: parameters.byteCount)
    }

    private func difference() -> (added: Int, removed: Int) {
        func strings(_ list: BlockList) -> Set<[UInt8]> { Set(list.map { Array($0) }) }
        let (before, after) = (strings(old.list), strings(new.list))
        return (after.subtracting(before).count, before.subtracting(after).count)
    }

    private func otherTools(_ anew: EditionProcessor.Outcome) -> [UpdatePlan.OtherTool] {
        let profiles =
            scenario.pir.server.other.map { [$0] }
            ?? [ServerDescription.shipped["apple-example"]]
            .compactMap(\.self)
        return profiles.compactMap { profile in
            guard let ratio = profile.processing else { return nil }
            let memory = profile.processingMemory
            return UpdatePlan.OtherTool(
                name: profile.name, version: profile.version, cpuSeconds: anew.cpuSeconds * ratio.value,
                least: anew.cpuSeconds * (ratio.low ?? ratio.value),
                most: anew.cpuSeconds * (ratio.high ?? ratio.value),
                memoryRatio: memory.map { [$0.low ?? $0.value, $0.high ?? $0.value] })
        }
    }

    private func fleet(_ device: UpdatePlan.Device) -> UpdatePlan.Fleet? {
        guard hasFleet else { return nil }
        let count = Double(scenario.deviceCount)
        let prices = scenario.prices
        let (list, answer, upload) = (
            count * Double(device.prefilter), count * Double(device.configuration),
            count * Double(device.evaluationKey)
        )
        // One of a month's editions, of which each device downloads as many as it fetches.
        let interval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        let editions =
            Prices.daysPerMonth * 86_400
            / max(interval, scenario.prefilter.updates.interval?.seconds ?? interval)
        let gigabyte = prices.downloadGigabyte(in: nil, ofAll: Double(gigabytesOf: list * editions))
        return UpdatePlan.Fleet(
            devices: scenario.deviceCount, downloadBytes: list + answer, uploadBytes: upload,
            money: Double(
                gigabytesOf: list * gigabyte + answer * prices.rates.egressGigabyte
                    + upload * prices.rates.ingressGigabyte), currency: prices.currency)
    }

    /// - Parameters:
    ///   - processing: Seconds that the repaired edition takes.
    ///   - answersKept: Seconds for which a device remembers an answer.
    private func repairs(processing: Double, keepsParameters: Bool, answersKept: Double) -> [EntryRepair] {
        FreshnessForecast(
            fetchInterval: Double(nanoseconds: scenario.device.prefilterFetchInterval),
            refetchInterval: scenario.behaviour.configurationRefetch.seconds,
            reloadDelay: scenario.prefilter.updates.reloadDelay.seconds + processing,
            appRestart: scenario.prefilter.updates.appRestart, changesConfiguration: !keepsParameters
        ).repairs(answersKept: answersKept)
    }
}
