import Decoding
import Foundation
import ObliviousHTTP
import Parties
import Timing
package import URLFilter

/// Keywords that somebody wants to know about.
struct Lookup {
    var keywords: [[UInt8]]
    var continuation: CheckedContinuation<[Bool], any Error>
}

/// Does what the ``ExchangeMachine`` decides.
extension LiveDevice {
    /// A request with the token that it spends, and what it leaves behind.
    private typealias Prepared = (request: BinaryHTTPRequest, pending: DeviceClient.Pending)

    /// - Parameters:
    ///   - lookUp: The lookup that `.lookUpNeeded` is about.
    ///   - error: Why the exchange failed that `.ended` is about.
    func tell(_ event: ExchangeEvent, lookUp: Lookup? = nil, error: DeviceError? = nil) {
        guard !isStopped else { return }
        let now = clock.now
        let oldest = rules.oldestToken(at: now)
        let holdings = ExchangeHoldings(
            tokens: client.tokenCount, expired: tokenTimes.prefix { $0 < oldest }.count,
            lookups: lookups.count)
        let steps = exchanges.handle(event, at: now, holdings, by: rules)
        if steps.forgetsTokenKey { client.forgetTokenKey() }
        if steps.discarded > 0 {
            client.discardTokens(oldest: steps.discarded)
            tokenTimes.removeFirst(steps.discarded)
        }
        if let endpoint = steps.setUp { begin(endpoint) }
        switch steps.lookups {
        case .none: if let lookUp { lookups.append(lookUp) }
        case .begin: begin(.queries, for: lookUp ?? lookups.removeFirst())
        case .fail:
            let failed = lookups
            lookups = []
            for lookup in failed { lookup.continuation.resume(throwing: error ?? .notReady) }
        }
        for wait in ExchangeWait.allCases where steps.waits.contains(wait) {
            let uniform = wait.isRandom ? Double.random(in: 0..<1, using: &generator) : 0
            due[wait] = now + exchanges.pause(before: wait, by: rules, uniform: uniform)
        }
        setAlarm()
        if let endpoint = steps.fetch { begin(endpoint) }
        for _ in 0..<steps.issues { begin(.issue) }
        tellWaiters(error)
    }

    /// - Parameter error: Of the event that may have ended the set-up.
    private func tellWaiters(_ error: DeviceError?) {
        if !exchanges.isSettingUp {
            for waiter in setUpWaiters { waiter.resume(with: result(error)) }
            setUpWaiters = []
        }
        if !exchanges.ordersTokens {
            for waiter in orderWaiters { waiter.resume(with: result(orderFailure)) }
            orderWaiters = []
            orderFailure = nil
        }
    }

    private func result(_ error: DeviceError?) -> Result<Void, any Error> {
        error.map { .failure($0) } ?? .success(())
    }

    /// Wakes the device when its next wait is over.
    func setAlarm() {
        let next = due.values.min()
        guard next != alarmTime else { return }
        alarmTime = next
        alarm?.cancel()
        alarm = next.map { time in
            Task { [weak self, clock] in
                guard (try? await clock.sleep(until: time)) != nil else { return }
                await self?.endWaits()
            }
        }
    }

    private func begin(_ endpoint: Endpoint, for lookup: Lookup? = nil) {
        exchangesUnderWay += 1
        let tokenKey = exchanges.tokenKeyNumber
        let prepared = Result { try prepare(endpoint, lookup?.keywords ?? []) }
            .mapError { DeviceError($0, at: endpoint) }
        tokenTimes.removeFirst(tokenTimes.count - client.tokenCount)
        Task {
            let answer = await exchange(endpoint, prepared)
            end(endpoint, answer, tokenKey: tokenKey, lookup)
        }
    }

    private func prepare(_ endpoint: Endpoint, _ keywords: [[UInt8]]) throws -> Prepared {
        switch endpoint {
        case .directory: client.directoryRequest()
        case .tokenKey: client.tokenKeyRequest()
        case .issue: try client.issueRequest()
        case .config:
            rules.needsToken(.config) ? try client.configRequest() : client.publicConfigRequest()
        case .key: try client.keyRequest(second: Self.unixSecond, using: &generator)
        case .queries:
            exchanges.sendsKey(by: rules, uniform: .random(in: 0..<1, using: &generator))
                ? try client.queriesRequestWithKey(keywords, second: Self.unixSecond, using: &generator)
                : try client.queriesRequest(keywords, using: &generator)
        case .report: try client.reportRequest(keywords)
        }
    }

    /// Uploads a new evaluation key in place of the one that the service has.
    ///
    /// No lookup may be under way: its answer would be computed with the wrong key.
    func renewKey() async throws {
        await idle()
        exchangesUnderWay += 1
        let prepared = Result { try prepare(.key, []) }.mapError { DeviceError($0, at: .key) }
        tokenTimes.removeFirst(tokenTimes.count - client.tokenCount)
        let answer = await exchange(.key, prepared)
        ended()
        _ = try answer.get()
    }

    private func ended() {
        exchangesUnderWay -= 1
        guard exchangesUnderWay == 0 else { return }
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    private func exchange(
        _ endpoint: Endpoint, _ prepared: Result<Prepared, DeviceError>
    ) async -> Result<DeviceClient.Answer, DeviceError> {
        guard case .success(let (request, pending)) = prepared else {
            return prepared.map { _ in .done }
        }
        let started = ContinuousClock.now
        var record = ExchangeRecord(
            step: endpoint, started: started, duration: .zero, sentBytes: request.content.count,
            receivedBytes: 0)
        do {
            let reply = try await channel.exchange(request)
            record.duration = ContinuousClock.now - started
            record.sentBytes = reply.sentBytes
            record.receivedBytes = reply.receivedBytes
            guard reply.response.status == 200 else {
                throw DeviceError.refused(
                    endpoint, status: reply.response.status, reason: reply.response.reason)
            }
            let answer = try client.read(
                reply.response.content, to: pending, second: Self.unixSecond, using: &generator)
            if endpoint == .issue { tokenTimes.append(clock.now) }
            if endpoint == .directory, !rules.generation.asksForTokenKey {
                try client.takeFirstTokenKey(second: Self.unixSecond)
            }
            observer(record)
            return .success(answer)
        } catch {
            if record.duration == .zero { record.duration = ContinuousClock.now - started }
            let failure = DeviceError(error, at: endpoint)
            record.failure = failure
            observer(record)
            return .failure(failure)
        }
    }

    private func end(
        _ endpoint: Endpoint, _ answer: Result<DeviceClient.Answer, DeviceError>, tokenKey: UInt8,
        _ lookup: Lookup?
    ) {
        defer { ended() }
        switch answer {
        case .success(let answer):
            var keyUploadNeeded = false
            if case .keyUploadNeeded(let isNeeded) = answer { keyUploadNeeded = isNeeded }
            if case .present(let present) = answer { lookup?.continuation.resume(returning: present) }
            tell(.ended(endpoint, .success(keyUploadNeeded: keyUploadNeeded), tokenKey: tokenKey))
        case .failure(let error):
            if endpoint.isAnsweredByIssuer, orderFailure == nil { orderFailure = error }
            lookup?.continuation.resume(throwing: error)
            // A status that a relay or gateway gives is none of the service.
            tell(.ended(endpoint, .failure(status: error.status ?? 0), tokenKey: tokenKey), error: error)
        }
    }

    private static var unixSecond: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension BinaryHTTPResponse {
    /// The beginning of a text body.
    fileprivate var reason: String {
        ForeignText.quoted(content)
    }
}

/// One exchange of one device, as the device saw it.
package struct ExchangeRecord: Sendable {
    package var step: Endpoint
    /// Start, and time to the last byte of the answer.
    package var started: ContinuousClock.Instant
    package var duration: Duration
    package var sentBytes: Int
    package var receivedBytes: Int
    /// Nil when the service answered with status 200 and the device could use the answer.
    package var failure: DeviceError?
}

/// Takes note of every exchange. Called from many tasks at once.
package typealias ExchangeObserver = @Sendable (ExchangeRecord) -> Void

/// Takes note of the end of every wait, before the device acts. Called from many tasks at once.
package typealias WaitObserver = @Sendable (ExchangeWait) -> Void
