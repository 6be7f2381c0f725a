import TestSupport
import Testing
import URLFilter

/// The machine as dictionaries and linear history, written from the article "Device" without regard to speed.
private struct ReferenceMachine {
    let constants: DeviceConstants
    let policy: FailurePolicy
    var agent: [Int: Bool] = [:]
    /// Every answer ever cached below the agent, oldest first; the last one of a key counts.
    var pir: [(key: Int, listed: Bool, time: Nanoseconds)] = []
    var flights:
        [(keys: Set<Int>, asked: [Int], known: [Int: Bool], waiting: [(RequestNumber, Nanoseconds)])?] = []

    var noAnswer: Verdict { policy == .failOpen ? .allowedByPolicy : .blockedByPolicy }

    mutating func storeInAgent(_ key: Int, _ listed: Bool) {
        if agent.count > constants.agentCacheLimit { agent = [:] }
        agent[key] = listed
    }

    func pirKnows(_ key: Int, _ now: Nanoseconds) -> Bool? {
        pir.last { $0.key == key && now - $0.time < constants.pirCacheTimeToLive }?.listed
    }

    mutating func check(_ batch: [Int], _ request: RequestNumber, _ now: Nanoseconds) -> CheckOutcome<Int> {
        if batch.allSatisfy({ agent[$0] != nil }) {
            return .decided(
                batch.contains { agent[$0] == true } ? .blockedByServer : .allowedByServer, .agentCache)
        }
        let deadline = now + constants.verdictTimeout
        if let index = flights.firstIndex(where: { $0?.keys == Set(batch) }) {
            flights[index]?.waiting.append((request, deadline))
            return .joined(BatchNumber(rawValue: UInt32(index + 1)), deadline: deadline)
        }
        let known = Dictionary(
            uniqueKeysWithValues: batch.compactMap { key in pirKnows(key, now).map { (key, $0) } })
        let asked = batch.filter { known[$0] == nil }
        if asked.isEmpty {
            for key in batch { storeInAgent(key, known[key]!) }
            return .decided(known.values.contains(true) ? .blockedByServer : .allowedByServer, .pirCache)
        }
        flights.append((Set(batch), asked, known, [(request, deadline)]))
        return .lookUp(BatchNumber(rawValue: UInt32(flights.count)), asked: asked, deadline: deadline)
    }

    mutating func answer(_ number: Int, _ present: [Bool], _ now: Nanoseconds, order: [Int])
        -> [RequestNumber: Verdict]
    {
        guard let flight = flights[number] else { return [:] }
        flights[number] = nil
        for key in order where flight.known[key] != nil { storeInAgent(key, flight.known[key]!) }
        for (key, listed) in zip(flight.asked, present) {
            storeInAgent(key, listed)
            pir.removeAll { $0.key == key || now - $0.time >= constants.pirCacheTimeToLive }
            pir.append((key, listed, now))
            if pir.count > constants.pirCacheEntries { pir.removeFirst() }
        }
        let blocked = present.contains(true) || flight.known.values.contains(true)
        return Dictionary(
            uniqueKeysWithValues: flight.waiting.map { request, deadline in
                (request, deadline < now ? noAnswer : blocked ? .blockedByServer : .allowedByServer)
            })
    }
}

@Suite struct VerdictMachineModelTests {
    @Test(arguments: [FailurePolicy.failOpen, .failClosed], [UInt64(1), 2, 3])
    func longRandomHistoriesEqualTheReference(policy: FailurePolicy, seed: UInt64) {
        var random = SplitMix(seed: seed)
        var constants = DeviceConstants()
        constants.verdictTimeout = 50
        constants.agentCacheLimit = 6
        constants.pirCacheEntries = 12
        constants.pirCacheTimeToLive = 600
        var machine = VerdictMachine<Int>(constants: constants, policy: policy)
        var reference = ReferenceMachine(constants: constants, policy: policy)
        var orders: [[Int]] = []
        var open: [(request: RequestNumber, batch: BatchNumber, deadline: Nanoseconds)] = []
        var now: Nanoseconds = 0
        var sources: [DecisionSource: Int] = [:]
        var (joins, partial) = (0, 0)

        for step in 0..<4000 {
            now += Nanoseconds(random.below(12))
            switch random.below(10) {
            case 0..<6:
                let batch = Array(Set((0...random.below(3)).map { _ in random.below(25) })).sorted()
                let request = RequestNumber(step)
                let outcome = machine.check(batch, request: request, at: now, filterIsReady: true)
                #expect(outcome == reference.check(batch, request, now), "step \(step)")
                switch outcome {
                case .decided(_, let source): sources[source, default: 0] += 1
                case .lookUp(let number, let asked, let deadline):
                    orders.append(batch)
                    if asked.count < batch.count { partial += 1 }
                    open.append((request, number, deadline))
                case .joined(let number, let deadline):
                    joins += 1
                    open.append((request, number, deadline))
                }
            case 6..<8:
                let flying = reference.flights.indices.filter { reference.flights[$0] != nil }
                guard !flying.isEmpty else { continue }
                let index = random.pick(flying)
                let number = BatchNumber(rawValue: UInt32(index + 1))
                let present = (reference.flights[index]?.asked ?? []).map { _ in random.chance(20) }
                let got = machine.answer(number, present: present, at: now)
                let expected = reference.answer(index, present, now, order: orders[index])
                #expect(Dictionary(uniqueKeysWithValues: got.map { ($0.request, $0.verdict) }) == expected)
                open.removeAll { $0.batch == number }
            case 8:
                guard let index = open.firstIndex(where: { $0.deadline <= now }) else { continue }
                let waiting = open.remove(at: index)
                #expect(machine.timeOut(waiting.request, batch: waiting.batch, at: now) == reference.noAnswer)
                let flight = Int(waiting.batch.rawValue) - 1
                reference.flights[flight]?.waiting.removeAll { $0.0 == waiting.request }
            default:
                let flying = reference.flights.indices.filter { reference.flights[$0] != nil }
                if random.chance(10) {
                    machine.clearCaches()
                    (reference.agent, reference.pir) = ([:], [])
                } else if let index = flying.first {
                    let failed = machine.fail(BatchNumber(rawValue: UInt32(index + 1)), at: now)
                    #expect(failed.map(\.request) == reference.flights[index]?.waiting.map(\.0))
                    #expect(failed.allSatisfy { $0.verdict == reference.noAnswer })
                    reference.flights[index] = nil
                    open.removeAll { $0.batch.rawValue == UInt32(index + 1) }
                }
            }
            #expect(machine.batchesInFlight == reference.flights.count { $0 != nil })
        }
        #expect((sources[.agentCache] ?? 0) > 50 && (sources[.pirCache] ?? 0) > 50)
        #expect(joins > 50 && partial > 50)
    }
}
