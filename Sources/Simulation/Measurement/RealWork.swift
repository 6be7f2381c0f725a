package import FleetModel
import Foundation
import ObliviousHTTP
import Parties
package import PrivateInformationRetrieval
import RandomStreams
import Timing
import URLFilter

/// Does every party's work with the real protocol code, and reports its measured CPU time.
///
/// Nothing is shortened: tokens are blind-signed and redeemed, requests are binary HTTP inside Oblivious HTTP,
/// lookups are encrypted, answered and decrypted. Since CPU times are measured, they differ from run to run.
package final class RealWork: ProtocolWork {
    private let service: OperatorService
    private let gateway: OHTTPGateway
    private let client: OHTTPClient
    private let usecase: PIRUsecase
    private let keyword: @Sendable (UInt64) -> [UInt8]?
    private var devices: [DeviceClient]
    private var generator: RandomStream
    /// Second of the latest request, which is the services' clock when one of them restarts.
    private var lastSecond: Int64 = 0
    private var exchanges: [Int: Exchange] = [:]

    /// The messages of one exchange, each replaced by the next.
    private struct Exchange {
        var device: Int
        var second: Int64
        var pending: DeviceClient.Pending
        var takesFirstTokenKey: Bool
        var clientContext: OHTTPClientContext
        var serverContext: OHTTPServerContext?
        /// On the wire: the sealed request, then the sealed response.
        var sealed: [UInt8]
        /// Inside: the binary HTTP request, then the response.
        var opened: [UInt8] = []
    }

    /// - Parameters:
    ///   - usecase: The processed database; may be shared by many replications.
    ///   - secondsTokenKeysKept: How long tokens are taken after their issuer has restarted.
    ///   - keys: How the server keeps evaluation keys.
    ///   - keyword: The lookup string behind a key of the fleet model.
    package init(
        usecase: PIRUsecase, deviceCount: Int, tokensPerUserPerDay: Int?, secondsTokenKeysKept: Int64 = 0,
        seed: UInt64, replication: UInt32, keys: EvaluationKeyForm = .ready,
        keyword: @escaping @Sendable (UInt64) -> [UInt8]?
    ) throws {
        self.usecase = usecase
        self.keyword = keyword
        service = try OperatorService(
            usecase: usecase, tokensPerUserPerDay: tokensPerUserPerDay,
            secondsTokenKeysKept: secondsTokenKeysKept, keys: keys)
        gateway = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)])
        client = try OHTTPClient(configuration: gateway.configurations[0])
        let context = usecase.shards[0].context
        devices = (0..<deviceCount).map { DeviceClient(number: $0, usecase: usecase.name, context: context) }
        generator = RandomStream(
            seed: seed, replication: replication, entity: 0, purpose: StreamPurpose("simulated secrets"))
    }

    package func deviceBegins(_ exchange: Int, request: ExchangeRequest) throws -> StageWork {
        lastSecond = max(lastSecond, request.second)
        let keywords = try request.keys.map { key in
            guard let keyword = keyword(key) else { throw RealWorkError.unknownKey(key) }
            return keyword
        }
        let (made, cpu) = try CPUClock.measure {
            let (message, pending) = try make(request, keywords: keywords)
            let sealed = try client.seal(message.encoded())
            return (pending: pending, message: sealed.message, context: sealed.context)
        }
        exchanges[exchange] = Exchange(
            device: request.device, second: request.second, pending: made.pending,
            takesFirstTokenKey: request.endpoint == .directory && request.takesFirstTokenKey,
            clientContext: made.context, sealed: made.message)
        return StageWork(cpu: cpu, bytes: made.message.count)
    }

    package func gatewayOpens(_ exchange: Int) throws -> StageWork {
        let sealed = open(exchange).sealed
        let (opened, cpu) = try CPUClock.measure { try gateway.open(sealed) }
        exchanges[exchange]?.opened = opened.request
        exchanges[exchange]?.serverContext = opened.context
        return StageWork(cpu: cpu, bytes: opened.request.count)
    }

    /// The question names a configuration that there is not.
    package func withdrawConfiguration(of exchange: Int) throws {
        var request = try BinaryHTTPRequest(decoding: open(exchange).opened)
        var questions = try WireCoding.message(WireRequests.self, from: request.content)
        for index in questions.requests.indices {
            questions.requests[index].pirRequest.configurationHash = Data()
        }
        request.content = WireCoding.bytes(of: questions)
        exchanges[exchange]?.opened = try request.encoded()
    }

    package func serviceAnswers(_ exchange: Int, at _: ServerPlace = .only) throws -> StageWork {
        let current = open(exchange)
        let (response, cpu) = try CPUClock.measure {
            let request = try BinaryHTTPRequest(decoding: current.opened)
            let response = service.respond(to: request, second: current.second)
            return (status: response.status, bytes: try response.encoded())
        }
        exchanges[exchange]?.opened = response.bytes
        return StageWork(cpu: cpu, bytes: response.bytes.count, isRefusal: response.status != 200)
    }

    package func gatewaySeals(_ exchange: Int) throws -> StageWork {
        let current = open(exchange)
        guard let context = current.serverContext else {
            preconditionFailure("the gateway has opened nothing")
        }
        let (sealed, cpu) = CPUClock.measure { context.seal(current.opened) }
        exchanges[exchange]?.sealed = sealed
        return StageWork(cpu: cpu, bytes: sealed.count)
    }

    package func deviceEnds(_ exchange: Int) -> (cpu: Int64, outcome: ExchangeOutcome) {
        let current = open(exchange)
        exchanges[exchange] = nil
        let (outcome, cpu) = CPUClock.measure { () -> ExchangeOutcome in
            do {
                return try read(current)
            } catch {
                // What a device cannot use is a failed exchange of the simulated world, not an end of the run:
                // a token key that left the directory meanwhile, an answer computed with a key of another time.
                return .failure(status: 0)
            }
        }
        return (cpu, outcome)
    }

    private func read(_ exchange: Exchange) throws -> ExchangeOutcome {
        let bytes = try exchange.clientContext.open(exchange.sealed)
        let response = try BinaryHTTPResponse(decoding: bytes)
        guard response.status == 200 else { return .failure(status: response.status) }
        let answer = try devices[exchange.device].read(
            response.content, to: exchange.pending, second: exchange.second, using: &generator)
        if exchange.takesFirstTokenKey {
            try devices[exchange.device].takeFirstTokenKey(second: exchange.second)
        }
        switch answer {
        case .done: return .success(present: [], keyUploadNeeded: false)
        case .keyUploadNeeded(let needed): return .success(present: [], keyUploadNeeded: needed)
        case .present(let present): return .success(present: present, keyUploadNeeded: false)
        }
    }

    package func abandon(_ exchange: Int) { exchanges[exchange] = nil }

    package func startSteadily(device: Int, tokens: Int, at _: ServerPlace = .only) throws {
        func run(_ endpoint: Endpoint) throws {
            let request = ExchangeRequest(
                device: device, endpoint: endpoint, keys: [], listed: [], second: Self.settlingSecond)
            guard case .success = try complete(request) else {
                throw RealWorkError.notSettled(endpoint.rawValue)
            }
        }
        // What happened before the clock started counts for no day's budget.
        service.hasBudget = false
        defer { service.hasBudget = true }
        for endpoint in [Endpoint.directory, .tokenKey] { try run(endpoint) }
        // Two more for the configuration and the key.
        for _ in 0..<(tokens + 2) { try run(.issue) }
        try run(.config)
        try run(.key)
    }

    /// Long enough ago that a key made then has another date than every later one.
    private static let settlingSecond: Int64 = -86_400

    /// Memory of one evaluation key at the PIR server, bytes; 0 while it has none.
    var evaluationKeyBytes: Int { service.evaluationKeyBytes }

    package func discardTokens(device: Int, oldest count: Int) {
        devices[device].discardTokens(oldest: count)
    }

    package func receivePublicConfiguration(device: Int) throws {
        let (request, pending) = devices[device].publicConfigRequest()
        let response = service.respond(to: request, second: 0)
        _ = try devices[device].read(response.content, to: pending, second: 0, using: &generator)
    }

    package func forgetTokenKey(device: Int) { devices[device].forgetTokenKey() }

    /// Memory is not looked at: there is one server, whose memory is that of this process.
    package var serverMemory: ServerMemory? { nil }

    package func restart(_ part: Part, region _: Int = 0, instances: Range<Int>? = nil) throws {
        guard instances == nil else { return }
        switch part {
        case .issuer: try service.restartIssuer(second: lastSecond)
        case .pir: service.restartPIR()
        default: break
        }
    }

    /// Runs all stages of one exchange at once.
    func complete(_ request: ExchangeRequest) throws -> ExchangeOutcome {
        let slot = -1
        _ = try deviceBegins(slot, request: request)
        _ = try gatewayOpens(slot)
        _ = try serviceAnswers(slot)
        _ = try gatewaySeals(slot)
        return deviceEnds(slot).outcome
    }

    private func make(
        _ request: ExchangeRequest, keywords: [[UInt8]]
    ) throws -> (BinaryHTTPRequest, DeviceClient.Pending) {
        switch request.endpoint {
        case .directory: devices[request.device].directoryRequest()
        case .tokenKey: devices[request.device].tokenKeyRequest()
        case .issue: try devices[request.device].issueRequest()
        case .config: try devices[request.device].configRequest()
        case .key: try devices[request.device].keyRequest(second: request.second, using: &generator)
        case .report: try devices[request.device].reportRequest(keywords)
        case .queries:
            request.carriesKey
                ? try devices[request.device].queriesRequestWithKey(
                    keywords, second: request.second, using: &generator)
                : try devices[request.device].queriesRequest(keywords, using: &generator)
        }
    }

    private func open(_ exchange: Int) -> Exchange {
        guard let open = exchanges[exchange] else { preconditionFailure("exchange \(exchange) is not open") }
        return open
    }
}

package enum RealWorkError: Error, Equatable, CustomStringConvertible {
    case unknownKey(UInt64)
    case notSettled(String)

    package var description: String {
        switch self {
        case .unknownKey(let key): "lookup key \(key) belongs to no string; real lookups need tested URLs"
        case .notSettled(let endpoint):
            "'\(endpoint)' failed while a device was brought into its steady state; this is a bug"
        }
    }
}
