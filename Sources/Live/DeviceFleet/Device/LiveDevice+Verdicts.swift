package import URLFilter

/// How one URL load ended.
package struct CheckedLoad: Sendable {
    package var verdict: Verdict
    /// Nil when the server was asked, by this load or by one that it joined.
    package var source: DecisionSource?
    /// Why the policy had to decide; nil when it did not.
    package var failure: LoadFailure?
}

/// Why the policy had to decide on a load.
package enum LoadFailure: Hashable, Sendable {
    case filterNotReady
    case verdictTimeout
    /// The answer of a lookup came after the verdict timeout.
    case lateAnswer
    case lookup(DeviceError)

    package var cause: FailureCause {
        switch self {
        case .filterNotReady: .notReady
        case .verdictTimeout, .lateAnswer: .timeout
        case .lookup(let error): error.cause
        }
    }

    /// Words for tables.
    package var words: String {
        switch self {
        case .filterNotReady: "filter not ready"
        case .verdictTimeout: "verdict timeout"
        case .lateAnswer: "late answer"
        case .lookup(let error): error.kind
        }
    }
}

/// A URL load that waits for the server.
struct WaitingLoad {
    let continuation: CheckedContinuation<CheckedLoad, Never>
    let deadline: Task<Void, Never>
}

/// The way from a URL to its verdict.
extension LiveDevice {
    /// Takes a prefilter into use; what was cached is dropped, as on a device.
    package func load(_ prefilter: DevicePrefilter) {
        self.prefilter = prefilter
        machine.clearCaches()
    }

    package func resetCaches() { machine.clearCaches() }

    /// Decides what happens with a URL load. Returns after the verdict timeout at the latest.
    package func check(_ url: [UInt8]) async throws(URLParsingError) -> CheckedLoad {
        let hits = try prefilter?.hits(of: url, using: &strings) ?? [[]]
        lastRequest &+= 1
        let request = lastRequest
        switch machine.check(
            hits, request: request, at: clock.now, filterIsReady: exchanges.isActive && prefilter != nil)
        {
        case .decided(let verdict, let source):
            return CheckedLoad(
                verdict: verdict, source: source, failure: source == .policy ? .filterNotReady : nil)
        case .lookUp(let batch, let asked, let deadline):
            Task { await answer(batch, asked) }
            return await wait(request, batch, until: deadline)
        case .joined(let batch, let deadline):
            return await wait(request, batch, until: deadline)
        }
    }

    private func wait(
        _ request: RequestNumber, _ batch: BatchNumber, until deadline: Nanoseconds
    ) async -> CheckedLoad {
        await withCheckedContinuation { continuation in
            let timer = Task {
                try? await clock.sleep(until: deadline)
                if !Task.isCancelled { timeOut(request, batch, deadline) }
            }
            waiting[request] = WaitingLoad(continuation: continuation, deadline: timer)
        }
    }

    private func answer(_ batch: BatchNumber, _ asked: [[UInt8]]) async {
        do {
            let present = try await lookUp(asked)
            for (request, verdict) in machine.answer(batch, present: present, at: clock.now) {
                finish(request, verdict, .lateAnswer)
            }
            if settings.keepsNoAnswers { machine.clearCaches() }
        } catch {
            let failure = LoadFailure.lookup(DeviceError(error, at: .queries))
            for (request, verdict) in machine.fail(batch, at: clock.now) {
                finish(request, verdict, failure)
            }
        }
    }

    private func timeOut(_ request: RequestNumber, _ batch: BatchNumber, _ deadline: Nanoseconds) {
        guard let verdict = machine.timeOut(request, batch: batch, at: max(clock.now, deadline)) else {
            return
        }
        finish(request, verdict, .verdictTimeout)
    }

    private func finish(_ request: RequestNumber, _ verdict: Verdict, _ failure: LoadFailure) {
        guard let load = waiting.removeValue(forKey: request) else { return }
        load.deadline.cancel()
        let isPolicy = verdict == .allowedByPolicy || verdict == .blockedByPolicy
        load.continuation.resume(
            returning: CheckedLoad(verdict: verdict, source: nil, failure: isPolicy ? failure : nil))
    }
}
