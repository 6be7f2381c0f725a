package import HomomorphicEncryption
package import Parties
package import PrivateInformationRetrieval
import Timing
package import URLFilter

/// One device with its own keys and tokens, talking to real services.
///
/// The protocol is that of ``DeviceClient``; what to ask for, and when, decides an ``ExchangeMachine``, as for the
/// devices of the fleet model. This adds the clock, the channel and the chance.
package actor LiveDevice {
    package struct Settings: Sendable {
        package var constants = DeviceConstants()
        package var generation = GenerationRules()
        package var policy = FailurePolicy.failOpen
        /// Time between two fetches of the configuration. Not published; 6 h is an assumption.
        package var configurationRefetch = Duration.seconds(6 * 3600)
        /// First pause after a failed set-up; doubles up to `retryCeiling`. Assumptions.
        package var retryPause = Duration.seconds(30)
        package var retryCeiling = Duration.seconds(900)
        /// Keeps no answer, so that every hit is looked up: for load, not for realism.
        package var keepsNoAnswers = false

        package init() {}

        fileprivate var rules: ExchangeRules {
            ExchangeRules(
                constants: constants, generation: generation,
                configurationRefetch: configurationRefetch.nanoseconds,
                retryPause: retryPause.nanoseconds, retryCeiling: retryCeiling.nanoseconds)
        }
    }

    let settings: Settings
    let rules: ExchangeRules
    let clock: any DeviceClock
    let channel: any ExchangeChannel
    let observer: ExchangeObserver
    let waitObserver: WaitObserver
    var generator = SystemRandomNumberGenerator()
    var client: DeviceClient

    var exchanges = ExchangeMachine()
    /// Instants at which the client's tokens came in, the oldest first.
    var tokenTimes: [Nanoseconds] = []
    /// Lookups that wait for a token, the oldest first.
    var lookups: [Lookup] = []
    var exchangesUnderWay = 0
    /// Ends of the waits of the machine.
    var due: [ExchangeWait: Nanoseconds] = [:]
    var alarm: Task<Void, Never>?
    var alarmTime: Nanoseconds?
    var isStopped = false
    /// Who waits for the end of a set-up, of an order of tokens, and of everything.
    var setUpWaiters: [CheckedContinuation<Void, any Error>] = []
    var orderWaiters: [CheckedContinuation<Void, any Error>] = []
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Why the first token of the orders under way did not come.
    var orderFailure: DeviceError?

    var prefilter: DevicePrefilter?
    var strings = LookupStringBuffer()
    var machine: VerdictMachine<[UInt8]>
    var lastRequest: RequestNumber = 0
    var waiting: [RequestNumber: WaitingLoad] = [:]

    package init(
        _ identity: DeviceClient.Identity, usecase: String, services: DeviceClient.Services,
        channel: any ExchangeChannel, settings: Settings = Settings(), context: BFVContext? = nil,
        clock: any DeviceClock = RunningClock(), observer: @escaping ExchangeObserver = { _ in },
        waitObserver: @escaping WaitObserver = { _ in }
    ) {
        self.channel = channel
        self.settings = settings
        self.clock = clock
        self.observer = observer
        self.waitObserver = waitObserver
        rules = settings.rules
        client = DeviceClient(identity, usecase: usecase, services: services, context: context)
        machine = VerdictMachine(constants: settings.constants, policy: settings.policy)
    }

    deinit { alarm?.cancel() }

    /// Fetches what lookups need: token key, tokens, configuration; and uploads an evaluation key if the server has
    /// none of this device. Then brings the stock of tokens to `tokens`.
    ///
    /// - Throws: ``DeviceError`` of the step that failed. The device itself tries again after a pause.
    package func prepare(tokens: Int? = nil) async throws {
        try await refresh()
        try await stockUp(to: tokens ?? settings.generation.tokens.stock)
    }

    /// Fetches the configuration now, and uploads a key if the server has lost it: the app's `refreshPIRParameters()`.
    ///
    /// - Throws: ``DeviceError`` of the step that failed. The device itself tries again after a pause.
    package func refresh() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            guard !isStopped else { return continuation.resume(throwing: DeviceError.notReady) }
            setUpWaiters.append(continuation)
            tell(.setUpNeeded)
        }
    }

    /// Orders what is missing to a stock of any size, and returns when all has come in.
    func stockUp(to stock: Int) async throws {
        while client.tokenCount < stock {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                guard !isStopped else { return continuation.resume(throwing: DeviceError.notReady) }
                orderWaiters.append(continuation)
                // By the dozen, so that a thousand devices that prepare at once do not overrun the issuer.
                tell(.tokensNeeded(upTo: min(stock, client.tokenCount + 12)))
            }
        }
    }

    /// Asks whether the database has the keywords, without caches and time limit.
    ///
    /// - Throws: ``DeviceError``.
    package func lookUp(_ keywords: [[UInt8]]) async throws -> [Bool] {
        guard exchanges.isActive, !isStopped else { throw DeviceError.notReady }
        return try await withCheckedThrowingContinuation { continuation in
            tell(.lookUpNeeded, lookUp: Lookup(keywords: keywords, continuation: continuation))
        }
    }

    /// Configuration of the lookups, once it has come in.
    package var configuration: PIRConfiguration? { client.session.client?.configuration }

    /// The shard that a keyword would be looked for in.
    package func shard(of keyword: [UInt8]) -> Int? { client.session.client?.shard(of: keyword) }

    /// Returns when no exchange is under way. What the device does later, it does when a wait is over.
    package func idle() async {
        if exchangesUnderWay > 0 { await withCheckedContinuation { idleWaiters.append($0) } }
    }

    /// End of the first of the device's waits; nil if it waits for nothing.
    package var nextWaitEnd: Nanoseconds? { due.values.min() }

    /// Does what has come due.
    package func endWaits() {
        alarmTime = nil
        let now = clock.now
        for (wait, _) in due.filter({ $0.value <= now }).sorted(by: { $0.value < $1.value }) {
            due[wait] = nil
            waitObserver(wait)
            tell(.over(wait))
        }
        setAlarm()
    }

    /// Gives up what waits for tokens and what would be done later.
    package func stop() {
        isStopped = true
        due = [:]
        alarm?.cancel()
        for lookup in lookups { lookup.continuation.resume(throwing: DeviceError.notReady) }
        for waiter in setUpWaiters + orderWaiters { waiter.resume(throwing: DeviceError.notReady) }
        lookups = []
        setUpWaiters = []
        orderWaiters = []
    }
}
