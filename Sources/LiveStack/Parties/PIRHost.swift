import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Synchronization
import Timing

/// The PIR server as a running party.
///
/// Requests that wait while all threads compute are answered together where they ask the same shard, which saves
/// passes over its database.
final class PIRHost: PartyHost {
    private struct Waiting {
        let request: PIRParty.Admitted
        let continuation: CheckedContinuation<BinaryHTTPResponse, Never>
        let arrived = ContinuousClock.now
    }

    let pir: PIRParty
    private let pool: ComputePool
    private let meter: CPUMeter
    private let reports: ReportStore
    /// Asks the issuer for keys when a token names one that is not known; says whether there were new ones.
    private let refreshKeys: (@Sendable () async -> Bool)?
    private let observer: (@Sendable (AnsweredGroup) -> Void)?
    private let line = Mutex(Line())

    private struct Line {
        var waiting: [Waiting] = []
        /// Jobs in the pool's queue whose request was answered along with an earlier one.
        var idleJobs = 0
    }

    init(
        pir: PIRParty, pool: ComputePool, meter: CPUMeter, reports: ReportStore,
        refreshKeys: (@Sendable () async -> Bool)? = nil,
        observer: (@Sendable (AnsweredGroup) -> Void)? = nil
    ) {
        self.pir = pir
        self.pool = pool
        self.meter = meter
        self.reports = reports
        self.refreshKeys = refreshKeys
        self.observer = observer
    }

    var party: Party { .pir }

    var endpoints: [PartyEndpoint] {
        PIRService.Endpoint.allCases.map {
            PartyEndpoint(
                path: $0.path, name: $0.rawValue, contentLimit: WireCoding.maximumBodyByteCount)
        } + [
            PartyEndpoint(
                path: ServiceNames.reportPath, name: "report", contentLimit: ReportStore.contentLimit)
        ]
    }

    func respond(to request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        if request.plainPath == ServiceNames.reportPath[...] { return await report(request) }
        let changes = RequestChanges()
        let admit = { [pir, meter] in changes.collect { meter.measure(.pir) { pir.admit(request) } } }
        var admitted = admit()
        if case .failure(let refusal) = admitted, refusal.isUnknownKey, let refreshKeys,
            await refreshKeys()
        {
            admitted = admit()
        }
        switch admitted {
        case .failure(let refusal): return refusal.response
        case .success(let admitted):
            let response = await answer(admitted, changes)
            guard await changes.areStored() else { return .notStored }
            return admitted.endpoint == .config ? response.compressed(for: request) : response
        }
    }

    private func answer(
        _ request: PIRParty.Admitted, _ changes: RequestChanges
    ) async -> BinaryHTTPResponse {
        guard request.endpoint == .queries else {
            let response = await pool.run { [pir, meter] in
                changes.collect { meter.measure(.pir) { pir.answer(request) } }
            }
            return response ?? .overloaded
        }
        return await withCheckedContinuation { continuation in
            // One job per request, in the line of all that the pool does.
            let accepted = line.withLock { line in
                guard pool.submit({ [self] in answerSome() }) else { return false }
                line.waiting.append(Waiting(request: request, continuation: continuation))
                return true
            }
            if !accepted { continuation.resume(returning: .overloaded) }
        }
    }

    /// Takes a fair share of what waits, so that the other threads have something to do as well.
    private func answerSome() {
        let group = line.withLock { line -> [Waiting] in
            // Else each of them would take a group as well, and jobs without a request would fill the pool's queue
            // while the server is busy.
            if line.idleJobs > 0 {
                line.idleJobs -= 1
                return []
            }
            let share = (line.waiting.count + pool.threadCount - 1) / pool.threadCount
            let group = Array(line.waiting.prefix(min(share, AnsweredGroup.limit)))
            line.waiting.removeFirst(group.count)
            line.idleJobs += max(0, group.count - 1)
            return group
        }
        guard !group.isEmpty else { return }
        let started = ContinuousClock.now
        let (responses, cpu) = CPUClock.measure {
            meter.measure(.pir) { pir.answerQueries(group.map(\.request)) }
        }
        observer?(
            AnsweredGroup(
                arrived: group.map(\.arrived), started: started, ended: .now, cpuNanoseconds: cpu))
        for (waiting, response) in zip(group, responses) { waiting.continuation.resume(returning: response) }
    }

    private func report(_ request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        guard request.method == "POST" else {
            return .refusal(405, "the method must be POST", fields: [BinaryHTTPField("allow", "POST")])
        }
        let changes = RequestChanges()
        let refusal = changes.collect { meter.measure(.pir) { pir.redeem(request) } }
        if let refusal { return refusal.response }
        let response = await pool.run { [reports] in reports.take(request) } ?? .overloaded
        return await changes.areStored() ? response : .notStored
    }
}
