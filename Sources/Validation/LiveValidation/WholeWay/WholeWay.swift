import DeviceFleet
import DeviceNetwork
import EventSimulation
import FleetModel
package import Foundation
import LiveStack
import Parties
import RandomStreams
import Statistics
import Timing
import URLFilter
package import Workload

/// The model against all parties as processes, of which some are killed and started again.
///
/// For each way of balancing: start the processes and the devices, calibrate, predict and save that, run, compare.
package struct WholeWay: Sendable {
    private let plan: WholeWayPlan
    private let list: BlockList
    private let executable: URL
    private let files: WholeWayFiles
    private let target: LiveTarget
    private let isStopped: @Sendable () -> Bool
    private let progress: @Sendable (String) -> Void

    /// Names on no list that get past the prefilter: assumption, more than devices load.
    private static let decoys = 4096

    /// - Parameters:
    ///   - list: Distinct keys.
    ///   - executable: Of this program.
    ///   - folder: For what was seen and predicted.
    ///   - isStopped: Asked a few times a second.
    ///   - progress: What is being done, in words.
    package init(
        _ plan: WholeWayPlan, list: BlockList, executable: URL, folder: String,
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (String) -> Void
    ) throws {
        self.plan = plan
        self.list = list
        self.executable = executable
        self.isStopped = isStopped
        self.progress = progress
        files = try WholeWayFiles(folder: folder)
        let decoys = BlockList((0..<Self.decoys).map { "harmless\($0).example" })
        // The devices' prefilter has the decoys, too, so that the servers are asked for what is on no list.
        let seed = BloomParameters.defaultMurmurSeed
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: list.count + decoys.count,
                falsePositiveTolerance: BloomParameters.defaultFalsePositiveTolerance, murmurSeed: seed))
        for entries in [list, decoys] {
            for entry in entries { filter.insert(KeyDigest(entry, murmurSeed: seed)) }
        }
        let order = plan.world.seed
        target = try LiveTarget(list, filter: filter) { prefilter in
            Self.mix(
                LookupURLs.make(of: list, prefilter: prefilter, seed: order),
                LookupURLs.make(of: decoys, prefilter: prefilter, seed: order), seed: order)
        }
        guard target.urls.count >= 2 else {
            throw LiveValidationError.tooFewURLs(target.urls.count, needed: 2)
        }
    }

    /// Mixes as many of each, in random order.
    private static func mix(_ listed: [String], _ others: [String], seed: UInt64) -> [String] {
        let count = min(listed.count, others.count)
        var urls = Array(listed.prefix(count) + others.prefix(count))
        var random = RandomStream(
            seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("whole way URLs"))
        for place in urls.indices { urls.swapAt(place, place + random.index(below: urls.count - place)) }
        return urls
    }

    /// - Returns: A run for each way of balancing; fewer if it was stopped.
    package func callAsFunction() async throws -> [WholeWayOutcome] {
        var outcomes: [WholeWayOutcome] = []
        for balancing in plan.balancings where !isStopped() {
            progress("\(balancing.rawValue): starting issuer, PIR servers, gateway and relay")
            let servers = try await LiveValidation.computed { [self] in
                try OwnServers(executable: executable, serving: list, plan.servers(balancing))
            }
            do {
                if let outcome = try await perform(balancing, servers) { outcomes.append(outcome) }
            } catch {
                await Self.stop(servers)
                throw error
            }
            await Self.stop(servers)
            try files.write(outcomes.flatMap(\.figures), to: "figures")
        }
        return outcomes
    }

    private static func stop(_ servers: OwnServers) async {
        try? await LiveValidation.computed { servers.stop() }
    }

    private func perform(
        _ balancing: Balancing, _ servers: OwnServers
    ) async throws -> WholeWayOutcome? {
        progress("\(balancing.rawValue): killing and starting PIR servers, to see how long they take")
        let (alone, together) = try await LiveValidation.computed { () -> ([Double], [[Double]]) in
            let all = 0..<WholeWayPlan.instances
            let last = WholeWayPlan.instances - 1..<WholeWayPlan.instances
            func time(_ instances: Range<Int>) throws -> [Double] {
                servers.crash(instances)
                return try servers.restart(instances)
            }
            return (try time(last) + time(last), try [time(all), time(all)])
        }
        guard !isStopped() else { return nil }
        let slowest = (alone + together.flatMap(\.self)).max() ?? 0
        guard slowest < plan.shortestRecovery else {
            throw LiveValidationError.slowStart(seconds: slowest, limit: plan.shortestRecovery)
        }
        let caller = try HTTPCaller()
        do {
            let fleet = try await fleet(balancing, servers, caller)
            let session = WholeWaySession(
                plan: plan, balancing: balancing, servers: servers, fleet: fleet, target: target,
                isStopped: isStopped, progress: progress)
            let outcome = try await perform(session, alone, together)
            await fleet.stop()
            await caller.shutdown()
            return outcome
        } catch {
            await caller.shutdown()
            throw error
        }
    }

    private func fleet(
        _ balancing: Balancing, _ servers: OwnServers, _ caller: HTTPCaller
    ) async throws -> ReplayFleet {
        let deployment = try servers.deployment()
        var settings = ReplayFleet.Settings(
            count: plan.world.devices, usecase: PIRDatabase.usecaseName, prefilter: target.prefilter)
        settings.device.constants = LiveWorld.constants
        settings.device.generation = plan.generation
        settings.device.configurationRefetch = .seconds(plan.refetch)
        settings.device.retryPause = .seconds(plan.retryPause)
        settings.device.retryCeiling = .seconds(plan.refetch)
        settings.preparationSeconds = plan.refetch
        settings.pseudonyms = Self.pseudonyms(plan.world.devices)
        let label = balancing.rawValue
        return try await ReplayFleet(
            settings, services: deployment.services, channel: try await deployment.channel(caller),
            isStopped: isStopped,
            progress: { [progress, plan] in
                progress("\(label): preparing devices: \($0)/\(plan.world.devices)")
            })
    }

    /// Names by which the gateway's balancer has each device with the instance that the model has it with.
    package static func pseudonyms(_ count: Int) -> [String] {
        let run = UUID().uuidString.lowercased()
        func instance(_ user: UInt64) -> Int? {
            var balancer = Balancer(.stickyByUser, instances: WholeWayPlan.instances)
            return balancer.choose(user: user, load: { _ in 0 }, draw: { _ in 0 })
        }
        return (0..<count).map { device in
            for number in 0... {
                let name = "\(run)-\(device)-\(number)"
                let user = BalancedInstances.number(ofUser: name)
                if instance(user) == instance(UInt64(device)) { return name }
            }
            return run
        }
    }

    /// Calibrates, predicts, runs.
    ///
    /// - Returns: `nil` if it was stopped.
    private func perform(
        _ session: WholeWaySession, _ alone: [Double], _ together: [[Double]]
    ) async throws -> WholeWayOutcome? {
        let label = session.balancing.rawValue
        progress("\(label): calibrating")
        guard let (calibration, rate) = try await session.calibrate(alone, together) else { return nil }
        try files.write(calibration, of: label)
        progress("\(label): predicting")
        let trace = try session.trace(rate: rate, end: plan.seconds, number: 1)
        let model = WholeWayModel(plan, catalog: target.catalog, urls: target.urls)
        let simulations = try await LiveValidation.computed { [isStopped] in
            try model(trace, calibration, session.balancing, isStopped: isStopped)
        }
        guard !isStopped() else { return nil }
        var figures = WholeWayFigure.predict(simulations, balancing: label)
        try files.write(simulations: simulations, of: label)
        try files.write(figures, to: "\(label)-predicted")
        let run = try await session.run(trace)
        guard !isStopped() else { return nil }
        try files.write(run.lookups, events: run.events, plan: plan, of: label)
        let tally = WholeWayTally(run.lookups, plan)
        for place in figures.indices {
            figures[place].seen = tally[figures[place].phase, figures[place].quantity]
        }
        let instants = try files.instants(of: label)
        if run.lookups.lostWaitEnds == 0 {
            progress("\(label): simulating again, with the instants of the devices")
            let simulations = try await LiveValidation.computed { [isStopped] in
                try model(
                    trace, calibration, session.balancing, instants: instants, isStopped: isStopped)
            }
            if !isStopped() { for place in figures.indices { figures[place].replay(simulations) } }
        }
        return WholeWayOutcome(
            balancing: label, lookupsPerSecond: rate, meanService: calibration.stack.meanService,
            startsAlone: alone, startsTogether: together, wrongVerdicts: tally.wrongVerdicts,
            lookups: run.lookups.all.count, instants: instants.count,
            lostInstants: run.lookups.lostWaitEnds, otherCores: run.otherCores, stolenCores: run.stolenCores,
            lateness: Percentile.nearestRank(0.99, sorted: run.lookups.all.map(\.lateness).sorted()) ?? 0,
            figures: figures)
    }
}

/// One run through the whole way, and what was predicted of it.
package struct WholeWayOutcome: LiveRun, Codable, Hashable, Sendable {
    package var balancing: String
    package var lookupsPerSecond: Double
    /// Seconds of a PIR server for a lookup alone, in the calibration.
    package var meanService: Double
    package var startsAlone: [Double]
    package var startsTogether: [[Double]]
    package var wrongVerdicts: Int
    package var lookups: Int
    /// Ends of waits of the devices in the log of the run, and how many it left out: with one, nothing is replayed.
    package var instants: Int
    package var lostInstants: Int
    package var otherCores: Double?
    package var stolenCores: Double?
    /// Seconds by which one lookup in a hundred began too late.
    package var lateness: Double
    package var figures: [WholeWayFigure]

    package var name: String { balancing }

    /// Whether simulations had the run's own instants, too.
    package var isReplayed: Bool { figures.contains { $0.replayed != nil } }

    package var disturbances: [String] {
        DisturbanceRule().reasons(otherCores: otherCores, stolenCores: stolenCores)
    }

    /// Those that something is asked of.
    package var judged: [WholeWayFigure] { figures.filter { !$0.quantity.isGiven } }
}

extension WholeWayTally {
    init(_ lookups: ReplayLookups, _ plan: WholeWayPlan) {
        func starts(_ endpoint: Endpoint) -> [Double] {
            lookups.exchanges.filter { $0.endpoint == endpoint }.map(\.offset)
        }
        self.init(
            plan, rows: lookups.all.map { WholeWayRow($0) }, keyUploads: starts(.key), tokens: starts(.issue))
    }
}
