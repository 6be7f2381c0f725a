import EventSimulation
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import Timing

/// The PIR server as a running party.
///
/// Requests that wait while all threads compute are answered together where they ask the same shard, which saves
/// passes over its database.
final class PIRHost: PartyHost {
    private struct Waiting {
        let request: PIRParty.Admitted
        let changes: RequestChanges
        let questionCount: Int
        let continuation: CheckedContinuation<BinaryHTTPResponse?, Never>
        let arrived = ContinuousClock.now
    }

    private static let report = PartyEndpoint(
        path: ServiceNames.reportPath, name: "report", credentials: "privatetoken",
        fields: ["content-type", "user-agent"], contentLimit: ReportStore.contentLimit)
    static let endpoints =
        PIRService.Endpoint.allCases.map {
            PartyEndpoint(
                path: $0.path, name: $0.rawValue, methods: $0 == .config ? ["GET", "POST"] : ["POST"],
                credentials: "privatetoken",
                fields: ["accept-encoding", "content-type", ServiceNames.userIdentifierField, "user-agent"],
                contentLimit: $0.bodyLimit)
        } + [report]

    let pir: PIRParty
    private let pool: ComputePool
    private let estimates: ServerEstimates
    private let hits: LimitHits
    private let meter: CPUMeter
    private let clock: StackClock
    private let reports: ReportStore
    /// Asks the issuer for keys when a token names one that is not known; says whether there were new ones.
    private let refreshKeys: (@Sendable () async -> Bool)?
    private let observer: (@Sendable (AnsweredGroup) -> Void)?
    private let deadline: (@Sendable (Int) -> Duration?)?

    init(
        pir: PIRParty, pool: ComputePool, estimates: ServerEstimates, hits: LimitHits, meter: CPUMeter,
        clock: StackClock, reports: ReportStore,
        refreshKeys: (@Sendable () async -> Bool)? = nil,
        observer: (@Sendable (AnsweredGroup) -> Void)? = nil,
        deadline: (@Sendable (Int) -> Duration?)? = nil
    ) {
        self.pir = pir
        self.pool = pool
        self.estimates = estimates
        self.hits = hits
        self.meter = meter
        self.clock = clock
        self.reports = reports
        self.refreshKeys = refreshKeys
        self.observer = observer
        self.deadline = deadline
    }

    var party: Party { .pir }

    var endpoints: [PartyEndpoint] { Self.endpoints }

    func respond(to request: BinaryHTTPRequest, at endpoint: PartyEndpoint) async -> BinaryHTTPResponse {
        if endpoint.path == Self.report.path { return await report(request) }
        if pir.asksForPublicConfiguration(request) {
            return await publicConfiguration(takesGzip: request.takesGzip)
        }
        let changes = RequestChanges()
        let second = clock.second()
        let admit = { [pir, meter] in
            changes.collect { meter.measure(.pir) { pir.admit(request, second: second) } }
        }
        var admitted = admit()
        if case .failure(let refusal) = admitted, refusal.isUnknownKey, let refreshKeys,
            await refreshKeys()
        {
            admitted = admit()
        }
        switch admitted {
        case .failure(let refusal):
            if refusal.isPseudonymTooLong { hits.note(.userIdentifier) }
            return await stored(refusal.response, changes)
        case .success(let admitted):
            let response = await answer(admitted, changes, takesGzip: request.takesGzip)
            return await finished(response, admitted.token, changes)
        }
    }

    /// - Parameter response: Nil if there was no room for the request: it was not looked at, and keeps its token.
    private func finished(
        _ response: BinaryHTTPResponse?, _ token: Token, _ changes: RequestChanges
    ) async -> BinaryHTTPResponse {
        guard let response else {
            pir.giveBack(token)
            return .overloaded
        }
        return await stored(response, changes)
    }

    /// Nothing is acknowledged that is not on the disk.
    // A function of its own also because Swift 6.3.1, optimising, frees a refusal twice that is waited with in
    // `respond`.
    private func stored(
        _ response: BinaryHTTPResponse, _ changes: RequestChanges
    ) async -> BinaryHTTPResponse {
        await changes.areStored() ? response : .notStored
    }

    /// Who asks is not known, so all who do share one place in line.
    private func publicConfiguration(takesGzip: Bool) async -> BinaryHTTPResponse {
        let response = await pool.run(owner: "", cost: estimates.seconds(.configuration)) { [pir, meter] in
            meter.measure(.pir) {
                let response = pir.publicConfiguration()
                return takesGzip ? response.compressed : response
            }
        }
        return response ?? .overloaded
    }

    private func answer(
        _ request: PIRParty.Admitted, _ changes: RequestChanges, takesGzip: Bool
    ) async -> BinaryHTTPResponse? {
        let count = (try? PIRService.entryCount(of: request.body, to: request.endpoint)) ?? 0
        return switch request.endpoint {
        case .queries: await answer(request, changes, questionCount: count)
        case .key: await answer(request, changes, .keyByte, units: request.body.count) { $0 }
        case .config: await answer(request, changes, .configuration) { takesGzip ? $0.compressed : $0 }
        }
    }

    private func answer(
        _ request: PIRParty.Admitted, _ changes: RequestChanges, _ kind: ServerEstimates.Kind, units: Int = 1,
        _ finish: @escaping @Sendable (BinaryHTTPResponse) -> BinaryHTTPResponse
    ) async -> BinaryHTTPResponse? {
        let cost = estimates.seconds(kind, units: units)
        return await pool.run(owner: request.userIdentifier, cost: cost) {
            [pir, meter, estimates, clock] in
            let (response, nanoseconds) = clock.measure {
                changes.collect {
                    meter.measure(.pir) {
                        pir.keep(request.token)
                        return finish(pir.answer(request))
                    }
                }
            }
            if response.status == 200 {
                estimates.note(kind, units: units, nanoseconds: nanoseconds)
            }
            return response
        }
    }

    private func answer(
        _ request: PIRParty.Admitted, _ changes: RequestChanges, questionCount: Int
    ) async -> BinaryHTTPResponse? {
        await withCheckedContinuation { continuation in
            let waiting = Waiting(
                request: request, changes: changes, questionCount: questionCount, continuation: continuation)
            pool.submit(
                ComputePool.Job(
                    owner: request.userIdentifier,
                    cost: estimates.seconds(.question, units: questionCount), item: waiting,
                    units: max(1, questionCount),
                    run: { [self] in answer(waiting) },
                    refuse: { continuation.resume(returning: nil) }))
        }
    }

    /// Takes a fair share of what waits along, so that the other threads have something to do as well.
    private func answer(_ first: Waiting) {
        let others: [Waiting] = pool.takeFollowers(
            of: first.questionCount, within: AnsweredGroup.bounds)
        let group = [first] + others
        for waiting in group { waiting.changes.collect { pir.keep(waiting.request.token) } }
        let started = ContinuousClock.now
        let (responses, cpu) = clock.measure {
            meter.measure(.pir) { pir.answerQueries(group.map(\.request)) }
        }
        // Before anything is learned of it: what a lookup costs decides on the order of those that come meanwhile.
        if let time = deadline?(group.count) { PreciseWait.until(started.advanced(by: time)) }
        if responses.allSatisfy({ $0.status == 200 }) {
            estimates.note(.question, units: group.reduce(0) { $0 + $1.questionCount }, nanoseconds: cpu)
        }
        observer?(
            AnsweredGroup(
                arrived: group.map(\.arrived), started: started, ended: .now, cpuNanoseconds: cpu))
        for (waiting, response) in zip(group, responses) { waiting.continuation.resume(returning: response) }
    }

    private func report(_ request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        let changes = RequestChanges()
        let second = clock.second()
        switch changes.collect({ meter.measure(.pir) { pir.redeem(request, second: second) } }) {
        case .failure(let refusal): return refusal.response
        case .success(let token):
            // Nothing in a report says whose it is.
            let response = await pool.run(owner: "", cost: estimates.seconds(.report)) { [pir, reports] in
                changes.collect { pir.keep(token) }
                return reports.take(request)
            }
            return await finished(response, token, changes)
        }
    }
}

/// Lookups that a thread of the PIR server answered together.
package struct AnsweredGroup: Sendable {
    package static let limit = bounds.count
    static let bounds = GroupBounds(count: PIRParty.groupLimit, units: PIRParty.groupQuestionLimit)

    /// Time when each of them got into the line.
    package let arrived: [ContinuousClock.Instant]
    package let started: ContinuousClock.Instant
    package let ended: ContinuousClock.Instant
    /// CPU time of the thread meanwhile.
    package let cpuNanoseconds: Int64
}
