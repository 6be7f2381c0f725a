import Foundation
package import HomomorphicEncryption
import ObliviousHTTP
package import Parties
package import PrivateInformationRetrieval
package import URLFilter

/// One device with its own keys and tokens, talking to real services.
///
/// The protocol is that of ``DeviceClient``; this adds the clock, the channel, and the rules by which a device
/// decides what to ask for when. They are those of the fleet model: tokens are ordered when none is left and
/// refilled with a delay when few are (article "Device", section "Tokens"); a lookup that fails is not repeated,
/// and what the server has forgotten is noticed at the next fetch of the configuration. Only status 410, which
/// says that the configuration is gone, makes the device fetch it at once and ask again (assumption).
package actor LiveDevice {
    package struct Settings: Sendable {
        package var constants = DeviceConstants()
        package var policy = FailurePolicy.failOpen
        /// Time between two fetches of the configuration. Not published; 6 h is an assumption.
        package var configurationRefetch = Duration.seconds(6 * 3600)
        /// First pause after a failed set-up; doubles up to `retryCeiling`. Assumptions.
        package var retryPause = Duration.seconds(30)
        package var retryCeiling = Duration.seconds(900)
        /// Keeps no answer, so that every hit is looked up: for load, not for realism.
        package var keepsNoAnswers = false

        package init() {}
    }

    let settings: Settings
    let clock = ContinuousClock()
    private let channel: any ExchangeChannel
    private let observer: ExchangeObserver
    private var generator = SystemRandomNumberGenerator()
    var client: DeviceClient

    /// When the client's tokens came in, the oldest first.
    var tokenTimes: [ContinuousClock.Instant] = []
    var tokensUnderWay = 0
    var tokenWaiters: [CheckedContinuation<Void, any Error>] = []
    /// Why the first token of the order under way did not come.
    var tokenFailure: (any Error)?
    var refill: Task<Void, Never>?
    /// Of the token key in use.
    var tokenKeyNumber = 0
    var tokenKeyFetch: Task<Void, any Error>?

    private var setUpUnderWay: Task<Void, any Error>?
    private var lastConfiguration: ContinuousClock.Instant?
    private var keyTime: ContinuousClock.Instant?
    private var nextTry: ContinuousClock.Instant?
    private var failures = 0
    /// Configuration fetched and evaluation key uploaded: lookups are possible.
    package private(set) var isActive = false

    /// Start of the machine's clock.
    let origin = ContinuousClock.now
    var prefilter: DevicePrefilter?
    var strings = LookupStringBuffer()
    var machine: VerdictMachine<[UInt8]>
    var lastRequest: RequestNumber = 0
    var waiting: [RequestNumber: WaitingLoad] = [:]

    package init(
        _ identity: DeviceClient.Identity, usecase: String, services: DeviceClient.Services,
        channel: any ExchangeChannel, settings: Settings = Settings(), context: BFVContext? = nil,
        observer: @escaping ExchangeObserver = { _ in }
    ) {
        self.channel = channel
        self.settings = settings
        self.observer = observer
        client = DeviceClient(identity, usecase: usecase, services: services, context: context)
        machine = VerdictMachine(constants: settings.constants, policy: settings.policy)
    }

    /// Fetches what lookups need: token key, tokens, configuration; and uploads an evaluation key if the server has
    /// none of this device. Then brings the stock of tokens to `tokens`.
    package func prepare(tokens: Int? = nil) async throws {
        try await setUp()
        try await stockUp(to: tokens ?? settings.constants.tokenStock)
    }

    /// Fetches the configuration now, and uploads a key if the server has lost it: the app's `refreshPIRParameters()`.
    package func refresh() async throws { try await setUp() }

    /// Configuration of the lookups, once it has come in.
    package var configuration: PIRConfiguration? { client.session.client?.configuration }

    /// The shard that a keyword would be looked for in.
    package func shard(of keyword: [UInt8]) -> Int? { client.session.client?.shard(of: keyword) }

    private func setUp() async throws {
        if let setUpUnderWay { return try await setUpUnderWay.value }
        let task = Task { try await fetchConfiguration() }
        setUpUnderWay = task
        defer { setUpUnderWay = nil }
        do {
            try await task.value
            failures = 0
            nextTry = nil
        } catch {
            let pause = min(settings.retryPause * (1 << min(failures, 20)), settings.retryCeiling)
            // Half of the pause is random, so that a fleet does not come back in step.
            nextTry = clock.now.advanced(by: pause * Double.random(in: 0.5...1, using: &generator))
            failures += 1
            throw error
        }
    }

    private func fetchConfiguration() async throws {
        try await needToken()
        let answer = try await perform(.config) { try $0.configRequest() }
        guard case .keyUploadNeeded(let isNeeded) = answer else { return }
        if isNeeded || keyIsDue {
            try await needToken()
            let second = Self.unixSecond
            _ = try await perform(.key) { [self] client in
                try client.keyRequest(second: second, using: &generator)
            }
            keyTime = clock.now
        }
        lastConfiguration = clock.now
        isActive = true
    }

    private var keyIsDue: Bool {
        guard let keyTime else { return false }
        let life = settings.constants.evaluationKeyLife - settings.constants.evaluationKeyRenewBefore
        return clock.now - keyTime >= .nanoseconds(life)
    }

    /// Starts what has come due, in the background.
    func keepUpToDate() {
        guard setUpUnderWay == nil else { return }
        let now = clock.now
        if let nextTry {
            guard now >= nextTry else { return }
        } else if let lastConfiguration {
            guard now - lastConfiguration >= settings.configurationRefetch || keyIsDue else { return }
        }
        Task { try? await setUp() }
    }

    /// Gives up what waits for tokens and what would be done later.
    package func stop() {
        refill?.cancel()
        for waiter in tokenWaiters { waiter.resume(throwing: DeviceError.notReady) }
        tokenWaiters = []
    }

    /// Asks whether the database has the keywords, without caches and time limit.
    ///
    /// - Throws: ``DeviceError``.
    package func lookUp(_ keywords: [[UInt8]]) async throws -> [Bool] {
        guard isActive else { throw DeviceError.notReady }
        do {
            return try await ask(keywords)
        } catch let error as DeviceError where error.status == 410 {
            try await setUp()
            return try await ask(keywords)
        }
    }

    private func ask(_ keywords: [[UInt8]]) async throws -> [Bool] {
        try await needToken()
        let answer = try await perform(.queries) { [self] client in
            try client.queriesRequest(keywords, using: &generator)
        }
        guard case .present(let present) = answer else { throw DeviceError.notReady }
        return present
    }

    func perform(
        _ step: DeviceStep,
        _ make: (inout DeviceClient) throws -> (BinaryHTTPRequest, DeviceClient.Pending)
    ) async throws -> DeviceClient.Answer {
        let (request, pending): (BinaryHTTPRequest, DeviceClient.Pending)
        do {
            (request, pending) = try make(&client)
        } catch {
            throw DeviceError(error, at: step)
        }
        noteSpentTokens()
        let started = clock.now
        var record = ExchangeRecord(
            step: step, started: started, duration: .zero, sentBytes: request.content.count,
            receivedBytes: 0)
        do {
            let reply = try await channel.exchange(request)
            record.duration = clock.now - started
            record.sentBytes = reply.sentBytes
            record.receivedBytes = reply.receivedBytes
            guard reply.response.status == 200 else {
                throw DeviceError.refused(
                    step, status: reply.response.status, reason: reply.response.reason)
            }
            let answer = try client.read(
                reply.response.content, to: pending, second: Self.unixSecond, using: &generator)
            observer(record)
            return answer
        } catch {
            if record.duration == .zero { record.duration = clock.now - started }
            let failure = DeviceError(error, at: step)
            record.failure = failure
            observer(record)
            throw failure
        }
    }

    private static var unixSecond: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension BinaryHTTPResponse {
    /// The beginning of a text body.
    fileprivate var reason: String {
        String(decoding: content.prefix(200), as: UTF8.self).split(separator: "\n").first.map(String.init)
            ?? ""
    }
}
