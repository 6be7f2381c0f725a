import DeviceFleet
import EventSimulation
import FleetModel
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import RandomStreams
import Synchronization
import Testing
import Timing
import URLFilter
import Workload

/// The list and the prefilter of both drivers.
private enum ScriptList {
    static let list = BlockList((0..<DeviceScript.entryCount).map(DeviceScript.entry))

    static func filter() throws -> BloomFilter {
        var filter = BloomFilter(
            parameters: try BloomParameters(
                entryCount: DeviceScript.entryCount, falsePositiveTolerance: 1e-6, murmurSeed: 1))
        for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 1)) }
        return filter
    }

    static func usecase() throws -> PIRUsecase {
        try PIRDatabase.usecase(
            named: PIRDatabase.usecaseName, entries: list, rlweParameters: "n_4096_logq_27_28_28_logt_5",
            shardCount: 1, seed: 1)
    }
}

extension DeviceScript {
    /// What a device of the fleet model sends.
    func exchangesOfModel() throws -> [Endpoint] { try model().begun.map(\.endpoint) }

    /// The whole seconds in which a device of the fleet model asks for the configuration, with replayed instants.
    func configurationsOfModel(replaying instants: [DeviceInstants.End]) throws -> [Int64] {
        try model(replaying: DeviceInstants(instants)).begun.filter { $0.endpoint == .config }.map(\.second)
    }

    private func model(replaying instants: DeviceInstants? = nil) throws -> ScriptedServices {
        let catalog = URLCatalog(
            filter: try ScriptList.filter(), list: BlockListIndex(ScriptList.list), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        var configuration = try configuration()
        configuration.instants = instants
        let calibrated = try CalibratedWork(
            profile: .flat(nanoseconds: 0), deviceCount: 1, tokensPerUserPerDay: nil, seed: 1, replication: 0)
        let work = ScriptedServices(calibrated, script: self)
        let record = try runReplication(configuration, catalogs: [catalog], .urlFilter(work), replication: 0)
        #expect(record?.resourceChecks.allSatisfy { $0.check.holds } == true)
        return work
    }

    private func configuration() throws -> FleetConfiguration {
        let origin: Int64 = 1_790_000_000
        var text = "time,client,url\n\(origin),c0,https://nothing.example/\n"
        var load = 0
        var faults: [Fault] = []
        for (second, action) in actions {
            switch action {
            case .load:
                text += "\(origin + second),c0,\(Self.url(load))\n"
                load += 1
            case .restart(let part):
                faults.append(Fault(kind: .restart(part), begin: .seconds(Double(second)), length: .zero))
            }
        }
        let bytes = Array(text.utf8)
        var options = TraceOptions()
        options.format = .delimited(separator: ",")
        options.columns = TraceColumns(time: "time", client: "client", url: "url", timeUnit: .seconds)
        let fixed = options
        let trace = TraceReplay(
            open: { try TraceReader(ByteSource(bytes: bytes, name: "script"), options: fixed) },
            clientCount: 1, origin: origin * Self.second, compression: 1, spread: .zero)
        let station = StationConfiguration(instances: 1, cores: 64, queueCapacity: nil, cpuFactor: 1)
        return FleetConfiguration(
            seed: 1, duration: .seconds(Double(end)), warmUp: .zero, drain: .seconds(100),
            seriesInterval: .seconds(60), start: .cold,
            groups: [
                DeviceGroup(
                    name: "all", count: 1, workload: .trace(trace),
                    access: AccessNetwork(oneWayDelay: .constant(0.001), uplink: 1e9, downlink: 1e9),
                    rules: .documented, generation: generation)
            ],
            behaviour: DeviceBehaviour(
                configurationRefetch: .seconds(Double(refetch)), exchangeTimeout: .seconds(60),
                retryPause: .seconds(30), retryCeiling: .minutes(15), cpuFactor: 1),
            services: ServiceConfiguration(
                relay: RelayConfiguration(
                    oneWayDelay: .constant(0.001), maximumRequestBody: nil, maximumResponseBody: nil),
                gateway: station, issuer: station, pir: station, backendDelay: .constant(0.001),
                tokensPerUserPerDay: nil),
            urlFilter: URLFilterConfiguration(
                device: constants, policy: .failOpen,
                prefilter: PrefilterConfiguration(
                    byteCount: 1_000, unchangedByteCount: 100, originBandwidth: nil, republishInterval: nil)),
            faults: faults, freshURLs: .tested)
    }

    /// What a device of the live fleet sends.
    func exchangesOfLiveDevice() async throws -> [Endpoint] { try await liveDevice().begun }

    /// The ends of the waits of a device of the live fleet.
    func waitEndsOfLiveDevice() async throws -> [DeviceInstants.End] { try await liveDevice().ends }

    private func liveDevice() async throws -> (begun: [Endpoint], ends: [DeviceInstants.End]) {
        let channel = try ScriptedChannel(self)
        let clock = ScriptClock()
        var settings = LiveDevice.Settings()
        settings.constants = constants
        settings.generation = generation
        settings.configurationRefetch = .seconds(refetch)
        let device = LiveDevice(
            DeviceClient.Identity(userIdentifier: "someone", userToken: "user"),
            usecase: PIRDatabase.usecaseName, services: DeviceClient.Services(), channel: channel,
            settings: settings, clock: clock, waitObserver: clock.note)
        await device.load(DevicePrefilter(filter: try ScriptList.filter(), rules: .documented))
        func pass(to time: Nanoseconds) async {
            while let next = await device.nextWaitEnd, next <= time {
                clock.set(max(next, clock.now))
                await device.endWaits()
                await device.idle()
            }
            clock.set(time)
        }
        try? await device.refresh()
        await device.idle()
        var load = 0
        for (second, action) in actions {
            await pass(to: second * Self.second)
            switch action {
            case .load:
                _ = try await device.check(Array(Self.url(load).utf8))
                load += 1
            case .restart(let part): try await channel.restart(part)
            }
            await device.idle()
        }
        await pass(to: end * Self.second)
        await device.stop()
        return (await channel.begun, clock.ends)
    }
}

/// Calibrated work with the answers of a script in between.
private final class ScriptedServices: ProtocolWork {
    private let work: CalibratedWork
    private let script: DeviceScript
    private(set) var begun: [(endpoint: Endpoint, second: Int64)] = []
    private var scripted: [Int: DeviceScript.Answer] = [:]

    init(_ work: CalibratedWork, script: DeviceScript) {
        self.work = work
        self.script = script
    }

    func deviceBegins(_ exchange: Int, request: ExchangeRequest) -> StageWork {
        let number = begun.count { $0.endpoint == request.endpoint }
        begun.append((request.endpoint, request.second))
        scripted[exchange] = script.answers[request.endpoint]?[number]
        return work.deviceBegins(exchange, request: request)
    }

    func gatewayOpens(_ exchange: Int) -> StageWork { work.gatewayOpens(exchange) }

    func serviceAnswers(_ exchange: Int, at _: ServerPlace) -> StageWork {
        switch scripted[exchange] {
        case nil: work.serviceAnswers(exchange)
        case .status, .noConnection: StageWork(cpu: 0, bytes: 0)
        case .noAnswerInTime: StageWork(cpu: 100 * DeviceScript.second, bytes: 0)
        }
    }

    func withdrawConfiguration(of exchange: Int) { work.withdrawConfiguration(of: exchange) }

    func gatewaySeals(_ exchange: Int) -> StageWork { work.gatewaySeals(exchange) }

    func deviceEnds(_ exchange: Int) -> (cpu: Int64, outcome: ExchangeOutcome) {
        guard let answer = scripted.removeValue(forKey: exchange) else { return work.deviceEnds(exchange) }
        work.abandon(exchange)
        if case .status(let status) = answer { return (0, .failure(status: status)) }
        return (0, .failure(status: 0))
    }

    func abandon(_ exchange: Int) {
        scripted[exchange] = nil
        work.abandon(exchange)
    }

    func startSteadily(device: Int, tokens: Int, at _: ServerPlace) {
        work.startSteadily(device: device, tokens: tokens)
    }
    func discardTokens(device: Int, oldest count: Int) { work.discardTokens(device: device, oldest: count) }
    func receivePublicConfiguration(device: Int) { work.receivePublicConfiguration(device: device) }
    func forgetTokenKey(device: Int) { work.forgetTokenKey(device: device) }
    func restart(_ part: Part, region: Int, instances: Range<Int>?) { work.restart(part) }
    var serverMemory: ServerMemory? { nil }
}

extension CostProfile {
    /// Of the same CPU time in every stage.
    static func flat(nanoseconds: Int64) -> CostProfile {
        let stage = StageCost(samples: [nanoseconds])
        let cost = EndpointCost(
            deviceBegins: stage, gatewayOpens: stage, serviceAnswers: stage, gatewaySeals: stage,
            deviceEnds: stage, requestBytes: 100, responseBytes: 100)
        return CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "test"),
            subject: .init(
                rlweParameters: "none", entries: 1, shards: 1, dimensions: [1, 1], databaseBytes: 1),
            endpoints: Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, cost) }),
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0),
            evaluationKeyBytes: 1)
    }
}

/// The real parties with the answers of a script in between. Requests come in the order in which they were sent,
/// because it is an actor.
private actor ScriptedChannel: ExchangeChannel {
    private let service: OperatorService
    private let script: DeviceScript
    private(set) var begun: [Endpoint] = []

    init(_ script: DeviceScript) throws {
        self.script = script
        service = try OperatorService(usecase: ScriptList.usecase(), tokensPerUserPerDay: nil)
    }

    func restart(_ part: Part) throws {
        if part == .issuer { try service.restartIssuer(second: 0) } else { service.restartPIR() }
    }

    func exchange(_ request: BinaryHTTPRequest) async throws -> ChannelReply {
        // The fleet model does not follow what comes from Apple's cache.
        if request.method == "GET", request.path == "/config" {
            return ChannelReply(
                response: service.respond(to: request, second: 0), sentBytes: 0, receivedBytes: 0)
        }
        let endpoint = try #require(Self.endpoint(of: request))
        let number = begun.count { $0 == endpoint }
        begun.append(endpoint)
        let response: BinaryHTTPResponse
        switch script.answers[endpoint]?[number] {
        case nil: response = service.respond(to: request, second: 0)
        case .status(let status): response = BinaryHTTPResponse(status: status)
        case .noConnection: throw ExchangeError.unreachable("scripted")
        case .noAnswerInTime: throw ExchangeError.timedOut(seconds: 60)
        }
        return ChannelReply(response: response, sentBytes: 0, receivedBytes: 0)
    }

    private static func endpoint(of request: BinaryHTTPRequest) -> Endpoint? {
        switch request.path {
        case ServiceNames.tokenKeyPath: .tokenKey
        case ServiceNames.issuePath: .issue
        case "/config": .config
        case "/key": .key
        case "/queries": .queries
        default: request.path.hasSuffix("private-token-issuer-directory") ? .directory : nil
        }
    }
}

/// A clock that stands still until the test moves it; who sleeps by it is woken by the test itself.
private final class ScriptClock: DeviceClock {
    private let time = Mutex<Nanoseconds>(0)
    private let noted = Mutex<[DeviceInstants.End]>([])

    var ends: [DeviceInstants.End] { noted.withLock { $0 } }

    /// Notes that a wait of the only device is over.
    @Sendable func note(_ wait: ExchangeWait) {
        let now = now
        noted.withLock { $0.append(.init(device: 0, wait: wait, time: now)) }
    }

    var now: Nanoseconds { time.withLock { $0 } }

    func set(_ time: Nanoseconds) { self.time.withLock { $0 = time } }

    func sleep(until _: Nanoseconds) async throws { try await Task.sleep(for: .seconds(1_000_000)) }
}
