import EventSimulation
import FleetModel
import Foundation
import LiveStack
import LiveValidation
import RandomStreams
import Statistics
import TestSupport
import Testing
import URLFilter
import Workload

struct WholeWayTests {
    typealias Phase = WholeWayPlan.Phase

    private static let list = BlockList((0..<400).map { "listed\($0).example" })

    private static var plan: WholeWayPlan {
        var plan = WholeWayPlan()
        plan.phaseSeconds = [20, 10, 20, 10, 20]
        plan.world.devices = 12
        plan.world.replications = 5
        // So that nobody learns that a key is lost.
        plan.refetch = 1_000_000
        return plan
    }

    /// Alternately listed and on no list; all of them are asked for.
    private static let urls = (0..<400).map {
        $0 % 2 == 0 ? "https://listed\($0).example" : "https://harmless\($0).example"
    }

    private static func model(_ plan: WholeWayPlan) throws -> WholeWayModel {
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: 800, falsePositiveTolerance: 1e-6, murmurSeed: 1))
        for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 1)) }
        for entry in BlockList((0..<400).map { "harmless\($0).example" }) {
            filter.insert(KeyDigest(entry, murmurSeed: 1))
        }
        let catalog = URLCatalog(
            filter: filter, list: BlockListIndex(list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        return WholeWayModel(plan, catalog: catalog, urls: urls)
    }

    private static func trace(_ plan: WholeWayPlan, rate: Double = 20) throws -> LookupTrace {
        try LookupTrace(
            rate: rate, end: plan.seconds, deviceCount: plan.world.devices, urlCount: urls.count, seed: 1,
            number: 1
        )
    }

    private static let calibration = WholeWayCalibration(
        stack: StackCalibration(services: [0.002], waysTo: [0], waysBack: [0.003], followerShare: 1),
        answers: [:], way: 0.001, startsAlone: [0], startsTogether: [[0, 0]])

    /// Loads of the trace by phase: all, and those whose URL is listed.
    private static func loads(
        _ trace: LookupTrace, _ plan: WholeWayPlan, _ phase: Phase, of isWanted: (Int) -> Bool = { _ in true }
    ) -> (all: Int, listed: Int) {
        let bounds = plan.bounds(of: phase)
        let mine = trace.loads.filter { bounds.contains(Double($0.time) * 1e-9) && isWanted($0.device) }
        return (mine.count, mine.count { $0.url % 2 == 0 })
    }

    /// Nobody waits for the deadline, because a refusal comes at once; no cache answers; and no key is uploaded again.
    /// So with servers that are back at once, who fails can be counted in the trace: in the restart and after it those
    /// whose instance was killed, in the outage and after it all.
    @Test func withUsersWhoStickFailuresAreThoseOfTheTrace() throws {
        let plan = Self.plan
        let trace = try Self.trace(plan)
        let found = try Self.model(plan)(trace, Self.calibration, .stickyByUser)
        let killed = Self.killed(in: trace)
        #expect(found.count == 5)
        for tally in found {
            #expect(tally.wrongVerdicts == 0)
            #expect(tally[.well, .failures] == 0)
            for phase in [Phase.restart, .afterRestart, .outage, .afterOutage] {
                let expected =
                    phase == .restart || phase == .afterRestart
                    ? Self.loads(trace, plan, phase, of: killed.contains) : Self.loads(trace, plan, phase)
                #expect(tally[phase, .failures] == Double(expected.all), "\(phase)")
                #expect(tally[phase, .leaks] == Double(expected.listed), "\(phase)")
                #expect(tally[phase, .lookups] == Double(Self.loads(trace, plan, phase).all), "\(phase)")
                #expect(tally[phase, .keyUploads] == 0)
            }
            #expect(tally[.outage, .keyMissing] ?? 1 == 0)
            let latency = try #require(tally[.well, .p50])
            #expect(abs(latency - 0.005) < 1e-6)
        }
    }

    /// In turn, one instance has all keys: nobody fails while the other is away, and half of the lookups once it is back.
    @Test func inTurnHalfFailsAfterTheRestart() throws {
        let plan = Self.plan
        let trace = try Self.trace(plan)
        let after = Self.loads(trace, plan, .afterRestart).all
        let begin = plan.bounds(of: .afterRestart).lowerBound
        // The gateway looks again within a second.
        let unseen = trace.loads.count { (begin..<begin + 1).contains(Double($0.time) * 1e-9) }
        for tally in try Self.model(plan)(trace, Self.calibration, .roundRobin) {
            #expect(tally[.restart, .failures] == 0)
            let failures = try #require(tally[.afterRestart, .failures])
            #expect((Double(after - unseen) / 2 - 1...Double(after) / 2 + 1).contains(failures))
            #expect(tally[.afterRestart, .keyMissing] == failures)
            #expect(tally[.outage, .failures] == Double(Self.loads(trace, plan, .outage).all))
        }
    }

    /// A device of the killed instance fails until its configuration is due, at a random time of a period of R seconds,
    /// and uploads its key to the other instance; when its own is back it fails again until the next time. So each of its
    /// loads fails with probability 1 - t/R, for t seconds since the instance went or came.
    @Test func devicesFailUntilTheyAskForTheConfiguration() throws {
        var plan = Self.plan
        let period = 5.0
        plan.phaseSeconds = [5, 12, 15, 1, 1]
        plan.refetch = period
        plan.world.devices = 60
        plan.world.replications = 40
        var calibration = Self.calibration
        calibration.startsTogether = []
        let trace = try Self.trace(plan, rate: 60)
        let killed = Self.killed(in: trace)
        let tallies = try Self.model(plan)(trace, calibration, .stickyByUser)
        func failing(_ since: Double) -> Double { since > 0 ? max(0, 1 - since / period) : 0 }
        func check(_ phase: Phase, _ probability: (Double) -> Double) throws {
            let begin = plan.bounds(of: phase).lowerBound
            let expected = trace.loads.filter {
                killed.contains($0.device) && plan.bounds(of: phase).contains(Double($0.time) * 1e-9)
            }.reduce(0) { $0 + probability(Double($1.time) * 1e-9 - begin) }
            let found = try #require(
                MeanEstimate(
                    replicationMeans: tallies.compactMap { $0[phase, .failures] }, confidence: 0.9999))
            #expect(found.bounds.contains(expected), "\(phase): \(found.bounds), not \(expected)")
        }
        try check(.restart, failing)
        // The gateway looks again at a random time within a second.
        try check(.afterRestart) { time in
            (0..<1_000).reduce(0) { $0 + failing(time - (Double($1) + 0.5) / 1_000) / 1_000 }
        }
        for tally in tallies {
            #expect(tally[.restart, .keyUploads] == Double(killed.count))
            #expect(tally[.afterRestart, .keyUploads] == Double(killed.count))
            #expect(tally[.afterRestart, .recovery] ?? 99 <= 1 + period + 0.1)
        }
    }

    /// With replayed instants chance has no part in who fails while an instance is away: those that it had, until each
    /// asks for the configuration for the first time after that.
    @Test func whoFailsFollowsFromReplayedInstants() throws {
        var plan = Self.plan
        plan.phaseSeconds = [5, 12, 15, 1, 1]
        plan.refetch = 5
        plan.world.devices = 60
        var calibration = Self.calibration
        calibration.startsTogether = []
        let trace = try Self.trace(plan, rate: 60)
        let order = Self.order(of: trace)
        // Each device at a phase of its own, the first ones last.
        func first(_ number: Int) -> Double { 0.05 + 4.9 * Double(order.count - number) / 61 }
        let instants = DeviceInstants(
            order.indices.flatMap { number in
                (0..<8).map { round in
                    DeviceInstants.End(
                        device: number, wait: .refetch,
                        time: Nanoseconds((first(number) + 5 * Double(round)) * 1e9))
                }
            })
        let killed = Self.killed(in: trace)
        let times = trace.loads.compactMap { load -> Double? in
            let time = Double(load.time) * 1e-9
            guard killed.contains(load.device), plan.phase(at: time) == .restart,
                let number = order.firstIndex(of: load.device)
            else { return nil }
            return time - 5 - first(number)
        }
        // Configuration and key take a few milliseconds; a device without tokens waits for one.
        let bounds = Double(times.count { $0 < 0 })...Double(times.count { $0 < 0.02 })
        let model = try Self.model(plan)
        for tally in try model(trace, calibration, .stickyByUser, instants: instants) {
            let failures = try #require(tally[.restart, .failures])
            #expect(bounds.contains(failures), "\(failures) of \(bounds)")
            #expect(tally[.restart, .keyUploads] == Double(killed.count))
        }
        #expect(bounds.upperBound - bounds.lowerBound <= 5 && bounds.lowerBound > 20)
        let drawn = try model(trace, calibration, .stickyByUser).compactMap { $0[.restart, .failures] }
        #expect(Set(drawn).count > 1)
    }

    /// Half of the devices have no instants, the others a first one after more than a period: each is taken where it fits.
    @Test func aLogWithGapsIsReplayedAsFarAsItGoes() throws {
        var plan = Self.plan
        plan.phaseSeconds = [12, 5, 12, 1, 1]
        plan.refetch = 5
        plan.world.replications = 2
        var calibration = Self.calibration
        calibration.startsTogether = []
        let trace = try Self.trace(plan)
        let instants = DeviceInstants(
            (0..<6).map { .init(device: $0, wait: .refetch, time: 11_000_000_000 + Nanoseconds($0)) })
        let model = try Self.model(plan)
        for tally in try model(trace, calibration, .stickyByUser, instants: instants) {
            #expect(tally[.well, .failures] == 0 && tally.wrongVerdicts == 0)
            #expect((tally[.well, .lookups] ?? 0) > 0)
        }
    }

    /// A file of instants is read or refused, and what is refused is named by its line.
    @Test func instantsAreReadOrRefused() throws {
        let header = DeviceInstants.header.joined(separator: ",") + "\n"
        let found = try DeviceInstants(
            header + "3,refetch,2000\n3,refetch,1000\n3,retry,-5\n7,refill,4\n", name: "log")
        #expect(
            found
                == DeviceInstants([
                    .init(device: 3, wait: .refetch, time: 1_000),
                    .init(device: 7, wait: .refill, time: 4), .init(device: 3, wait: .refetch, time: 2_000),
                ]))
        #expect(found.count == 3 && found.first(.refetch, of: 3) == 1_000)
        #expect(found.first(.retry, of: 3) == nil && found.first(.refetch, of: 4) == nil)
        #expect(found.next(.refetch, of: 3, after: 1_000, longest: 500) == 2_000)
        #expect(found.next(.refetch, of: 3, after: 1_000, longest: 499) == nil)
        #expect(found.next(.refetch, of: 3, after: 2_000, longest: .max) == nil)
        #expect(try DeviceInstants(header, name: "log").count == 0)
        for (text, line) in [
            ("", 1), ("device,wait\n", 1), (header + "1,retry\n", 2), (header + "-1,retry,1\n", 2),
            (header + "1,retry,1\n1,sleep,1\n", 3), (header + "1,retry,9223372036854775808\n", 2),
        ] {
            let error = #expect(throws: LiveCSVError.self) { try DeviceInstants(text, name: "log") }
            #expect(error?.line == line, "\(text)")
        }
    }

    /// Devices of the trace in the order in which they appear, which is the model's.
    private static func order(of trace: LookupTrace) -> [Int] {
        var order: [Int] = []
        for load in trace.loads where !order.contains(load.device) { order.append(load.device) }
        return order
    }

    /// Devices of the trace that the model has with the last instance: its devices are those of the trace in the order
    /// in which they appear.
    private static func killed(in trace: LookupTrace) -> Set<Int> {
        let order = order(of: trace)
        return Set(
            order.indices.filter { number in
                var balancer = Balancer(.stickyByUser, instances: 2)
                return balancer.choose(user: UInt64(number), load: { _ in 0 }, draw: { _ in 0 }) == 1
            }.map { order[$0] })
    }

    @Test func figuresAreWhatARecountFinds() {
        var plan = Self.plan
        plan.phaseSeconds = [3, 2, 4, 1, 5]
        var random = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("rows"))
        let verdicts: [Verdict] = [.allowedByServer, .blockedByServer, .allowedByPolicy, .blockedByPolicy]
        let rows = (0..<2_000).map { _ in
            WholeWayRow(
                offset: 15 * random.uniform(), latency: random.uniform(),
                verdict: verdicts[random.index(below: 4)], isListed: random.index(below: 2) == 0,
                cause: random.index(below: 2) == 0 ? .keyMissing : .unavailable)
        }
        let uploads = (0..<50).map { _ in 15 * random.uniform() }
        let tally = WholeWayTally(plan, rows: rows, keyUploads: uploads, tokens: [0, 14.9])
        let edges: [(Phase, Double, Double)] = [
            (.well, 0, 3), (.restart, 3, 5), (.afterRestart, 5, 9), (.outage, 9, 10), (.afterOutage, 10, 15),
        ]
        for (phase, begin, end) in edges {
            var (all, failures, leaks, last) = (0.0, 0.0, 0.0, begin)
            for row in rows where row.offset >= begin && row.offset < end {
                all += 1
                if row.cause == .keyMissing { last = max(last, row.offset) }
                guard row.verdict == .allowedByPolicy || row.verdict == .blockedByPolicy else { continue }
                failures += 1
                if row.verdict == .allowedByPolicy, row.isListed { leaks += 1 }
            }
            #expect(tally[phase, .lookups] == all && tally[phase, .failures] == failures)
            #expect(tally[phase, .leaks] == leaks)
            #expect(tally[phase, .keyUploads] == Double(uploads.count { $0 >= begin && $0 < end }))
            if phase.isRecovery { #expect(tally[phase, .recovery] == last - begin) }
        }
        #expect(tally[.well, .tokens] == 1 && tally[.afterOutage, .tokens] == 1)
        let wrong = rows.count {
            $0.verdict == .allowedByServer && $0.isListed || $0.verdict == .blockedByServer && !$0.isListed
        }
        #expect(tally.wrongVerdicts == wrong)
    }

    /// A figure passes by its interval, or by the margin that was set before.
    @Test(arguments: [
        (WholeWayQuantity.failures, 95.0, true), (.failures, 89, false), (.failures, 90, true),
        (.recovery, 111, false), (.recovery, 110, true), (.p95, 120, true), (.p95, 121, false),
    ])
    func marginsDecide(quantity: WholeWayQuantity, seen: Double, passes: Bool) {
        let figure = WholeWayFigure(
            balancing: "roundRobin", phase: .afterOutage, quantity: quantity, seen: seen,
            predicted: .init(value: 100, low: 94, high: 106))
        #expect(figure.passed == passes)
    }

    /// The built program beside the bundle of the tests.
    private static var executable: URL {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(
            "urlfilter-live")
    }

    /// All of it with real processes. What is measured depends on the machine, so only what is always true is checked.
    @Test func aRunKeepsItsBooks() async throws {
        try await SlowMachine.patiently { try await keepBooks(times: $0) }
    }

    /// - Parameter factor: How much longer than on a machine with nothing else to do.
    private func keepBooks(times factor: Double) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var plan = WholeWayPlan()
        plan.balancings = [.roundRobin]
        plan.phaseSeconds = [2, 1, 5 * factor, 2, 5 * factor]
        plan.firstLookups *= Int(factor)
        plan.world.devices = 4
        plan.refetch = 2
        plan.retryPause = 0.5
        plan.refillSeconds = 1
        plan.world.calibrationSeconds = 6 * factor
        plan.largestMachineShare = 0.2
        plan.world.replications = 39
        let outcomes = try await WholeWay(
            plan, list: Self.list, executable: Self.executable, folder: folder.path, isStopped: { false },
            progress: { _ in })()
        let outcome = try #require(outcomes.first)
        #expect(outcomes.count == 1 && outcome.wrongVerdicts == 0)
        func cells(_ name: String) throws -> [[String]] {
            let text = String(decoding: try folder.read(name + ".csv"), as: UTF8.self)
            return text.split(separator: "\n").dropFirst().map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
        }
        let lookups = try cells("roundRobin-lookups")
        #expect(lookups.count == outcome.lookups)
        for phase in Phase.allCases {
            func seen(_ quantity: WholeWayQuantity) -> Double? {
                outcome.figures.first { $0.phase == phase && $0.quantity == quantity }?.seen
            }
            let mine = lookups.filter { $0[1] == phase.rawValue }
            #expect(seen(.lookups) == Double(mine.count))
            #expect(seen(.failures) == Double(mine.count { $0[4].hasSuffix("ByPolicy") }))
            #expect(seen(.leaks) == Double(mine.count { $0[4] == "allowedByPolicy" && $0[5] == "yes" }))
            for row in mine {
                #expect(plan.bounds(of: phase).contains(Double(row[0]) ?? -1), "\(row)")
            }
        }
        // Nothing can be answered while both servers are away.
        let outage = outcome.figures.first { $0.phase == .outage && $0.quantity == .failures }
        #expect(outage?.seen ?? 0 > 0)
        #expect(
            try cells("roundRobin-events").map { $0[1] } == [
                "killed 1 of 2", "started 1 of 2", "serves again", "killed 2 of 2", "started 2 of 2",
                "serves again", "serves again",
            ])
        #expect(try cells("roundRobin-predicted").count == outcome.figures.count)
        #expect(try cells("figures").count == outcome.figures.count)
        #expect(outcome.figures.allSatisfy { $0.seen != nil && $0.replayed != nil })
        // Each of four devices fetches every two seconds, but where it has to try again.
        #expect(try cells("roundRobin-instants").count >= outcome.instants)
        #expect(outcome.lostInstants == 0 && outcome.instants > 0)
    }

    /// A gateway's balancer and the model's have every device with the same instance, and each has some.
    @Test func bothWorldsSplitTheDevicesAlike() {
        func instance(_ user: UInt64) -> Int? {
            var balancer = Balancer(.stickyByUser, instances: WholeWayPlan.instances)
            return balancer.choose(user: user, load: { _ in 0 }, draw: { _ in 0 })
        }
        let names = WholeWay.pseudonyms(40)
        let instances = names.map { instance(BalancedInstances.number(ofUser: $0)) }
        #expect(instances == (0..<40).map { instance(UInt64($0)) })
        #expect(Set(names).count == 40 && Set(instances).count == 2)
    }
}
