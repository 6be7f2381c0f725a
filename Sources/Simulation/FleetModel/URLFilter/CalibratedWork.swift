import Decoding
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
        exchanges[exchange] = Exchange(
            request: request, token: token, key: request.endpoint == .key ? device.lastKey : device.key)
        let cost = cost(of: request)
        let extra = extraKeywords(of: request)
        let making = request.carriesKey ? draw(costs[Endpoint.key.place].deviceBegins) : 0
        return StageWork(
            cpu: draw(cost.deviceBegins) + extra * profile.extraKeyword.deviceBegins + making,
            bytes: cost.requestBytes + Int(extra) * profile.extraKeyword.requestBytes
                + request.keys.count * request.reportedEntryBytes + carriedKeys(by: request)
                * costs[Endpoint.key.place].requestBytes)
    }

    package func gatewayOpens(_ exchange: Int) -> StageWork {
        let request = open(exchange).request
        return StageWork(
            cpu: draw(cost(of: request).gatewayOpens) + draw(cost(of: request).gatewayPort)
                + extraKeywords(of: request) * profile.extraKeyword.gatewayOpens
                + work(\.gatewayOpens, onKeysIn: request),
            bytes: cost(of: request).requestBytes)
    }

    package func withdrawConfiguration(of exchange: Int) {
        exchanges[exchange]?.isConfigurationServed = false
    }

    package func serviceAnswers(_ exchange: Int, at server: ServerPlace = .only) -> StageWork {
        var open = open(exchange)
        open.answer = services.answer(
            open.request, token: open.token, key: open.key, isConfigurationServed: open.isConfigurationServed,
            at: server)
        exchanges[exchange] = open
        guard open.answer.refusal == nil else {
            // A refusal costs about what the smallest authenticated request costs.
            let least = costs[Endpoint.directory.place]
            return StageWork(
                cpu: draw(least.serviceAnswers) + draw(least.servicePort), bytes: refusalBytes,
                isRefusal: true)
        }
        let cost = cost(of: open.request)
        let extra = extraKeywords(of: open.request)
        // A key is read from its store by the same work as from an upload.
        return StageWork(
            cpu: draw(cost.serviceAnswers) + draw(cost.servicePort) + extra
                * profile.extraKeyword.serviceAnswers
                + (open.answer.readsKey ? draw(costs[Endpoint.key.place].serviceAnswers) : 0)
                + work(\.serviceAnswers, onKeysIn: open.request),
            bytes: responseBytes(of: open), readsKey: open.answer.readsKey)
    }

    package func gatewaySeals(_ exchange: Int) -> StageWork {
        let open = open(exchange)
        return StageWork(
            cpu: draw(cost(of: open.request).gatewaySeals)
                + extraKeywords(of: open.request) * profile.extraKeyword.gatewaySeals,
            bytes: responseBytes(of: open))
    }

    package func deviceEnds(_ exchange: Int) -> (cpu: Int64, outcome: ExchangeOutcome) {
        let open = open(exchange)
        exchanges[exchange] = nil
        let device = open.request.device
        let cpu =
            draw(cost(of: open.request).deviceEnds)
            + extraKeywords(of: open.request) * profile.extraKeyword.deviceEnds
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

    private func responseBytes(of exchange: Exchange) -> Int {
        guard exchange.answer.refusal == nil else { return refusalBytes }
        return cost(of: exchange.request).responseBytes
            + Int(extraKeywords(of: exchange.request)) * profile.extraKeyword.responseBytes
    }

    private func cost(of request: ExchangeRequest) -> EndpointCost { costs[request.endpoint.place] }

    private func extraKeywords(of request: ExchangeRequest) -> Int64 {
        request.endpoint == .queries ? Int64(max(request.keys.count - 1, 0)) : 0
    }

    /// A request has a part for each keyword, and each part its key.
    private func carriedKeys(by request: ExchangeRequest) -> Int {
        request.carriesKey ? request.keys.count : 0
    }

    /// Draws the time that the keys of a request take: as much as so many uploads.
    private func work(_ stage: KeyPath<EndpointCost, StageCost>, onKeysIn request: ExchangeRequest) -> Int64 {
        (0..<carriedKeys(by: request)).reduce(0) { sum, _ in
            sum + draw(costs[Endpoint.key.place][keyPath: stage])
        }
    }

    private func draw(_ cost: StageCost) -> Int64 { cost.samples[stream.index(below: cost.samples.count)] }

    private func draw(_ cost: StageCost?) -> Int64 { cost.map(draw) ?? 0 }

    private func open(_ exchange: Int) -> Exchange {
        guard exchange < exchanges.count, let open = exchanges[exchange] else {
            preconditionFailure("exchange \(exchange) is not open")
        }
        return open
    }
}

/// Why a cost profile cannot be used.
package enum CostProfileError: InputFault, Equatable, CustomStringConvertible {
    case missingEndpoint(String)

    package var description: String {
        switch self {
        case .missingEndpoint(let name):
            "the cost profile has no endpoint '\(name)'; delete the file and measure again"
        }
    }
}
