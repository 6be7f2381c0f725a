package import EventSimulation
import RandomStreams
import ServiceRules
import URLFilter

/// Charges every stage from a cost profile and answers from the block list.
///
/// What is modelled here and not executed: cryptography, encodings and the servers' tables. What the servers would
/// remember is in ``SimulatedServices``, so refused tokens and lost keys have the same consequences as with the real
/// code.
package final class CalibratedWork: ProtocolWork {
    private let profile: CostProfile
    private let costs: [EndpointCost]
    private var stream: RandomStream
    private var devices: [Device]
    private var exchanges: [Exchange?] = []
    private var services: SimulatedServices
    /// Second of the latest request, which is the services' clock when one of them restarts.
    private var lastSecond: Int64 = 0

    /// Token keys that the tokens in stock were made with.
    private var tokens: DeviceQueues<Int16>

    /// 8 bytes, because a device is one of a million; numbers as in ``SimulatedServices``.
    private struct Device {
        /// Token key in the directory at hand; 0 when there is none.
        var directory: Int16 = 0
        /// Token key that the device would use; 0 when it knows none.
        var tokenKey: Int16 = 0
        /// Number of the evaluation key in use; 0 before the first one.
        var key: Int16 = 0
        /// Number of the last evaluation key made.
        var lastKey: Int16 = 0
    }

    private struct Exchange {
        var request: ExchangeRequest
        /// Token key of the token spent, or for `.issue` of the one that is asked for.
        var token: Int16
        /// Number of the evaluation key that belongs to the request.
        var key: Int16
        var isConfigurationServed = true
        var answer = SimulatedServices.Answer()
        let size: Size
    }

    /// Part of a request that decides what its stages cost.
    private struct Size {
        /// Place of its costs.
        let endpoint: Int
        let extraKeywords: Int64
        /// A request has a part for each keyword, and each part its key.
        let carriedKeys: Int

        init(_ request: ExchangeRequest) {
            endpoint = request.endpoint.place
            let keywords = request.keys.count
            extraKeywords = request.endpoint == .queries ? Int64(max(keywords - 1, 0)) : 0
            carriedKeys = request.carriesKey ? keywords : 0
        }
    }

    /// - Parameters:
    ///   - profile: Must hold a cost for every endpoint; a report without one costs what a configuration does.
    ///   - tokenKeysKept: See ``ServiceConfiguration/tokenKeysKept``.
    ///   - servers: By region.
    package init(
        profile: CostProfile, deviceCount: Int, tokensPerUserPerDay: Int?,
        tokenKeysKept: SimulatedDuration = .zero, servers: [KeyServers] = [.init()],
        seed: UInt64, replication: UInt32
    ) throws(CostProfileError) {
        var costs: [EndpointCost] = []
        for endpoint in Endpoint.allCases {
            // A report is a small request with a token, and a small answer.
            let known = profile[endpoint] ?? (endpoint == .report ? profile[.config] : nil)
            guard let cost = known else { throw .missingEndpoint(endpoint.rawValue) }
            costs.append(cost)
        }
        self.profile = profile
        self.costs = costs
        stream = RandomStream(
            seed: seed, replication: replication, entity: 0, purpose: StreamPurpose("service cost"))
        devices = Array(repeating: Device(), count: deviceCount)
        services = SimulatedServices(
            deviceCount: deviceCount, tokensPerUserPerDay: tokensPerUserPerDay,
            secondsTokenKeysKept: Int64(tokenKeysKept.seconds), servers: servers)
        tokens = DeviceQueues(deviceCount: deviceCount)
    }

    package func deviceBegins(_ exchange: Int, request: ExchangeRequest) -> StageWork {
        if exchange >= exchanges.count {
            exchanges.append(contentsOf: repeatElement(nil, count: exchange - exchanges.count + 1))
        }
        lastSecond = request.second
        var token: Int16 = 0
        if request.endpoint.needsToken { token = tokens.removeFirst(of: request.device) ?? 0 }
        if request.endpoint == .issue { token = devices[request.device].tokenKey }
        if request.endpoint == .key {
            devices[request.device].lastKey = SimulatedServices.next(devices[request.device].lastKey)
        }
        let device = devices[request.device]
        let size = Size(request)
        exchanges[exchange] = Exchange(
            request: request, token: token, key: request.endpoint == .key ? device.lastKey : device.key,
            size: size)
        let extra = size.extraKeywords
        let making = request.carriesKey ? draw(costs[Endpoint.key.place].deviceBegins) : 0
        return StageWork(
            cpu: draw(costs[size.endpoint].deviceBegins) + extra * profile.extraKeyword.deviceBegins + making,
            bytes: costs[size.endpoint].requestBytes + Int(extra) * profile.extraKeyword.requestBytes
                + request.keys.count * request.reportedEntryBytes + size.carriedKeys
                * costs[Endpoint.key.place].requestBytes)
    }

    package func gatewayOpens(_ exchange: Int) -> StageWork {
        let size = size(of: exchange)
        return StageWork(
            cpu: draw(costs[size.endpoint].gatewayOpens) + draw(costs[size.endpoint].gatewayPort)
                + size.extraKeywords * profile.extraKeyword.gatewayOpens
                + work(onKeysIn: size) { $0.gatewayOpens },
            bytes: costs[size.endpoint].requestBytes)
    }

    package func withdrawConfiguration(of exchange: Int) {
        exchanges[exchange]?.isConfigurationServed = false
    }

    package func serviceAnswers(_ exchange: Int, at server: ServerPlace = .only) -> StageWork {
        let size = size(of: exchange)
        let answer = answer(exchange, at: server)
        guard answer.refusal == nil else {
            // A refusal costs about what the smallest authenticated request costs.
            let least = costs[Endpoint.directory.place]
            return StageWork(
                cpu: draw(least.serviceAnswers) + draw(least.servicePort), bytes: refusalBytes,
                isRefusal: true)
        }
        // A key is read from its store by the same work as from an upload.
        return StageWork(
            cpu: draw(costs[size.endpoint].serviceAnswers) + draw(costs[size.endpoint].servicePort)
                + size.extraKeywords * profile.extraKeyword.serviceAnswers
                + (answer.readsKey ? draw(costs[Endpoint.key.place].serviceAnswers) : 0)
                + work(onKeysIn: size) { $0.serviceAnswers },
            bytes: responseBytes(of: size), readsKey: answer.readsKey)
    }

    private func answer(_ exchange: Int, at server: ServerPlace) -> SimulatedServices.Answer {
        guard let open = exchanges[exchange] else { preconditionFailure("exchange \(exchange) is not open") }
        let answer = services.answer(
            open.request, token: open.token, key: open.key, isConfigurationServed: open.isConfigurationServed,
            at: server)
        exchanges[exchange]?.answer = answer
        return answer
    }

    package func gatewaySeals(_ exchange: Int) -> StageWork {
        let size = size(of: exchange)
        let isRefusal = exchanges[exchange]?.answer.refusal != nil
        return StageWork(
            cpu: draw(costs[size.endpoint].gatewaySeals)
                + size.extraKeywords * profile.extraKeyword.gatewaySeals,
            bytes: isRefusal ? refusalBytes : responseBytes(of: size))
    }

    package func deviceEnds(_ exchange: Int) -> (cpu: Int64, outcome: ExchangeOutcome) {
        guard exchange < exchanges.count, let open = exchanges[exchange].take() else {
            preconditionFailure("exchange \(exchange) is not open")
        }
        let device = open.request.device
        let cpu =
            draw(costs[open.size.endpoint].deviceEnds)
            + open.size.extraKeywords * profile.extraKeyword.deviceEnds
        if let refusal = open.answer.refusal { return (cpu, .failure(status: refusal.status)) }
        let number = open.answer.number
        var keyUploadNeeded = false
        switch open.request.endpoint {
        case .directory:
            devices[device].directory = number
            if open.request.takesFirstTokenKey { devices[device].tokenKey = number }
        case .tokenKey:
            // The key must be in the directory that was asked for before.
            guard devices[device].directory == number else { return (cpu, .failure(status: 0)) }
            devices[device].tokenKey = number
        case .issue: tokens.append(open.token, to: device)
        case .config: keyUploadNeeded = number == 0 || number != devices[device].key
        case .key: devices[device].key = open.key
        case .report: break
        case .queries:
            // Computed with another key than the query was made with: it decrypts to nonsense.
            guard number == open.key else { return (cpu, .failure(status: 0)) }
        }
        return (cpu, .success(present: open.request.listed, keyUploadNeeded: keyUploadNeeded))
    }

    package func abandon(_ exchange: Int) { exchanges[exchange] = nil }

    package func startSteadily(device: Int, tokens: Int, at server: ServerPlace = .only) {
        let tokenKey = services.tokenKey(in: server.region)
        devices[device].directory = tokenKey
        devices[device].tokenKey = tokenKey
        for _ in 0..<tokens { self.tokens.append(tokenKey, to: device) }
        devices[device].lastKey = SimulatedServices.next(devices[device].lastKey)
        devices[device].key = devices[device].lastKey
        services.upload(devices[device].lastKey, of: device, at: server)
    }

    package func discardTokens(device: Int, oldest count: Int) {
        for _ in 0..<count { _ = tokens.removeFirst(of: device) }
    }

    /// All configurations are alike here.
    package func receivePublicConfiguration(device _: Int) {}

    package func forgetTokenKey(device: Int) {
        devices[device].directory = 0
        devices[device].tokenKey = 0
    }

    package func restart(_ part: Part, region: Int = 0, instances: Range<Int>? = nil) {
        services.restart(part, region: region, instances: instances, second: lastSecond)
    }

    package var serverMemory: ServerMemory? {
        services.keyUsage.map {
            ServerMemory(
                peakBytes: profile.subject.allBytes + $0.peak * profile.evaluationKeyBytes,
                evictions: $0.evictions)
        }
    }

    /// Sealed size of a refusal: a status line and nothing else.
    private var refusalBytes: Int { 64 }

    private func responseBytes(of size: Size) -> Int {
        costs[size.endpoint].responseBytes + Int(size.extraKeywords) * profile.extraKeyword.responseBytes
    }

    /// Draws the time that the keys of a request take: as much as so many uploads.
    private func work(onKeysIn size: Size, _ stage: (EndpointCost) -> StageCost) -> Int64 {
        guard size.carriedKeys > 0 else { return 0 }
        let cost = stage(costs[Endpoint.key.place])
        return (0..<size.carriedKeys).reduce(0) { sum, _ in sum + draw(cost) }
    }

    private func draw(_ cost: StageCost) -> Int64 { cost.samples[stream.index(below: cost.samples.count)] }

    private func draw(_ cost: StageCost?) -> Int64 { cost.map(draw) ?? 0 }

    private func size(of exchange: Int) -> Size {
        guard exchange < exchanges.count, let size = exchanges[exchange]?.size else {
            preconditionFailure("exchange \(exchange) is not open")
        }
        return size
    }
}
