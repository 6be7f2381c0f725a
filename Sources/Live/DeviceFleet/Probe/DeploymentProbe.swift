import Decoding
import Foundation
import ObliviousHTTP
package import Parties
import Timing
package import URLFilter

/// Asks running services one request at a time, endpoint by endpoint, and takes what that costs them.
///
/// It is a device with tokens of its own and one evaluation key. At most one request is under way, and after each it
/// waits as long as the answer took, so that services which others use as well lose at most half of a core.
package struct DeploymentProbe: Sendable {
    package struct Settings: Sendable {
        package var identity: DeviceClient.Identity
        package var usecase: String
        /// Looked up; the first is listed, and has to be found.
        package var keywords: [[UInt8]]
        /// Reads the CPU seconds that the servers have used so far; nil where nobody can tell.
        package var cpu: (@Sendable () async -> Double?)?
        /// The same of a gateway before them.
        package var gatewayCPU: (@Sendable () async -> Double?)?
        /// Samples of each endpoint, and requests that each is the mean of.
        package var batches = 10
        package var requestsPerBatch = 6
        /// Least pause after a request, and how long the servers' own work is watched.
        package var pause = Duration.milliseconds(20)
        package var idleTime = Duration.seconds(1)

        package init(identity: DeviceClient.Identity, usecase: String, keywords: [[UInt8]]) {
            precondition(keywords.count == 2, "one request asks for one keyword, another for two")
            self.identity = identity
            self.usecase = usecase
            self.keywords = keywords
        }

        /// Tokens that are spent: configuration, keys, and the two kinds of lookups, and once before.
        fileprivate var tokens: Int { 4 * batches * requestsPerBatch + 2 }
    }

    /// A kind of request that is measured.
    package enum Subject: Hashable, Sendable {
        case endpoint(Endpoint)
        /// A lookup of two keywords.
        case pair
    }

    package struct Reading: Sendable {
        /// CPU seconds of the servers per request, a mean for each batch; empty without ``Settings/cpu``.
        package var cpu: [Double] = []
        /// The same of the gateway.
        package var gatewayCPU: [Double] = []
        /// Seconds from sending to the last byte, of each request.
        package var response: [Double] = []

        package init(cpu: [Double] = [], response: [Double] = []) {
            self.cpu = cpu
            self.response = response
        }
    }

    package struct Result: Sendable {
        package var readings: [Subject: Reading] = [:]
        /// Times of the smallest exchange with the service, seconds: what a response takes that is no work.
        package var network: [Double] = []
        /// CPU seconds per second that the servers use when they are not asked; nil if that cannot be seen.
        package var idle: Double?
        package var gatewayIdle: Double?

        package init() {}
    }

    private let settings: Settings
    private let deployment: Deployment
    private let caller: any HTTPCalls
    private let channel: any ExchangeChannel
    private var client: DeviceClient
    private var generator = SystemRandomNumberGenerator()
    private var result = Result()

    package init(_ settings: Settings, _ deployment: Deployment, caller: any HTTPCalls) async throws {
        self.settings = settings
        self.deployment = deployment
        self.caller = caller
        channel = try await deployment.channel(caller)
        client = DeviceClient(
            settings.identity, usecase: settings.usecase, services: deployment.services)
    }

    /// - Parameter progress: Told in words what is asked for.
    package mutating func measure(progress: (String) -> Void) async throws -> Result {
        progress("the network and the idle server")
        try await watchIdle()
        try await take(.endpoint(.directory), progress) { ($0.directoryRequest()) }
        try await take(.endpoint(.tokenKey), progress) { ($0.tokenKeyRequest()) }
        try await take(.endpoint(.issue), progress) { try $0.issueRequest() }
        while client.tokenCount < settings.tokens { try await ask(client.issueRequest()) }
        // A key fits the configuration that came in before.
        try await ask(client.configRequest())
        try await take(.endpoint(.config), progress) { try $0.configRequest() }
        var random = generator
        try await take(.endpoint(.key), progress) {
            try $0.keyRequest(second: Self.unixSecond, using: &random)
        }
        let keywords = settings.keywords
        try await take(.endpoint(.queries), progress) {
            try $0.queriesRequest([keywords[0]], using: &random)
        }
        try await take(.pair, progress) { try $0.queriesRequest(keywords, using: &random) }
        return result
    }

    private mutating func watchIdle() async throws {
        // Any answer will do: it has the way, and next to no work. The first opens the connection.
        let url = deployment.service.url(path: "/")
        for _ in 0...settings.batches {
            let start = ContinuousClock.now
            _ = try await caller.get(url)
            result.network.append((ContinuousClock.now - start).seconds)
        }
        result.network.removeFirst()
        let before = (await settings.cpu?(), await settings.gatewayCPU?())
        let start = ContinuousClock.now
        try await Task.sleep(for: settings.idleTime)
        let after = (await settings.cpu?(), await settings.gatewayCPU?())
        let seconds = (ContinuousClock.now - start).seconds
        func idle(_ before: Double?, _ after: Double?) -> Double? {
            before.flatMap { before in after.map { max(0, $0 - before) / seconds } }
        }
        result.idle = idle(before.0, after.0)
        result.gatewayIdle = idle(before.1, after.1)
    }

    private mutating func take(
        _ subject: Subject, _ progress: (String) -> Void,
        _ make: (inout DeviceClient) throws -> (BinaryHTTPRequest, DeviceClient.Pending)
    ) async throws {
        var reading = Reading()
        // Once before, so that what is made at the first request is not counted.
        for batch in -1..<settings.batches {
            progress("\(subject.name), \(max(0, batch)) of \(settings.batches)")
            let isCounted = batch >= 0
            let before = isCounted ? (await settings.cpu?(), await settings.gatewayCPU?()) : (nil, nil)
            let start = ContinuousClock.now
            let count = isCounted ? settings.requestsPerBatch : subject.spendsTokens ? 0 : 1
            for _ in 0..<count {
                let seconds = try await ask(make(&client))
                if isCounted { reading.response.append(seconds) }
            }
            guard isCounted else { continue }
            let after = (await settings.cpu?(), await settings.gatewayCPU?())
            let seconds = (ContinuousClock.now - start).seconds
            func perRequest(_ before: Double?, _ after: Double?, idle: Double?) -> [Double] {
                guard let before, let after else { return [] }
                return [max(0, after - before - (idle ?? 0) * seconds) / Double(count)]
            }
            reading.cpu += perRequest(before.0, after.0, idle: result.idle)
            reading.gatewayCPU += perRequest(before.1, after.1, idle: result.gatewayIdle)
        }
        result.readings[subject] = reading
    }

    /// - Returns: Seconds until the answer was there.
    @discardableResult
    private mutating func ask(
        _ made: (request: BinaryHTTPRequest, pending: DeviceClient.Pending)
    ) async throws -> Double {
        let start = ContinuousClock.now
        let response = try await channel.exchange(made.request).response
        let taken = ContinuousClock.now - start
        guard response.status == 200 else {
            throw ProbeError.refused(
                path: made.request.path, status: response.status,
                reason: ForeignText.quoted(response.content))
        }
        let answer = try client.read(
            response.content, to: made.pending, second: Self.unixSecond, using: &generator)
        if case .present(let present) = answer, present.first != true { throw ProbeError.notListed }
        try await Task.sleep(for: max(settings.pause, taken))
        return taken.seconds
    }

    private static var unixSecond: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension DeploymentProbe.Subject {
    package var name: String {
        switch self {
        case .endpoint(let endpoint): endpoint.rawValue
        case .pair: "queries, two keywords"
        }
    }

    fileprivate var spendsTokens: Bool {
        switch self {
        case .endpoint(let endpoint): endpoint.needsToken
        case .pair: true
        }
    }
}

/// Why services cannot be measured.
package enum ProbeError: Error, Equatable, CustomStringConvertible {
    case refused(path: String, status: Int, reason: String)
    case notListed

    package var description: String {
        switch self {
        case .refused(let path, let status, let reason):
            "\(path) was answered with status \(status)" + (reason.isEmpty ? "" : ": \(reason)")
                + "; 'urlfilter doctor' tells what is wrong"
        case .notListed:
            "the service does not have an entry of the list; name the list that it serves"
        }
    }
}
