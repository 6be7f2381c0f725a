import Foundation
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import Synchronization
import Timing

/// The parties of one process, led to each other.
package struct LiveParties: Sendable {
    /// Hosts in the order of ``Party``.
    package let hosts: [any PartyHost]
    let metrics: StackMetrics
    let gateway: GatewayParty?
    private let issuer: IssuerParty?
    private let pir: PIRParty?
    private let surroundings: StackSurroundings
    private let reports: ReportStore
    private let dataRead = ReadingTime()

    package init(
        _ options: LiveStackOptions, data: LiveData, on surroundings: StackSurroundings, meter: CPUMeter,
        hits: LimitHits
    ) async throws {
        self.surroundings = surroundings
        let (store, pool, clock) = (surroundings.store, surroundings.pool, surroundings.clock)
        let reports = ReportStore { hits.note(.reportStorage) }
        self.reports = reports
        let parties = options.parties
        let service =
            parties.contains(.pir)
            ? PIRService(
                keys: store.evaluationKeys,
                noteRefusal: { StackLimit($0).map(hits.note) }) : nil
        let estimates = ServerEstimates()
        hits.follow(.keyStorage) { store.evaluationKeys.droppedCount }
        metrics = StackMetrics(
            parties: Party.allCases.filter(parties.contains), meter: meter,
            gauges: .init(
                queueLength: { pool.queueLength }, queuedSeconds: { pool.queuedSeconds },
                evaluationKeys: { store.evaluationKeys.usage },
                spentTokens: { store.spentTokenCount }, dataRead: { [dataRead] in dataRead.second }),
            hits: hits, started: Date().timeIntervalSince1970,
            log: try options.accessLogPath.map { try AccessLog(path: $0, logger: options.logger) })
        var hosts: [Party: any PartyHost] = [:]

        func upstream(_ party: Party, _ url: String?, for user: Party) throws -> any Upstream {
            if let host = hosts[party] { return LocalUpstream(host: host) }
            guard let url else { throw LiveStackError.missingUpstream(party, of: user) }
            return surroundings.connect(try PartyURL(url))
        }

        if parties.contains(.issuer) {
            let party = IssuerParty(
                issuers: try store.issuers(for: data.users.tiers), users: data.users,
                tokensPerUserPerDay: options.tokensPerUserPerDay,
                noteIssued: { store.noteIssued(user: $0, day: $1) },
                issuedOn: { try store.issuedCount(user: $0, day: $1) })
            issuer = party
            hosts[.issuer] = MeasuredHost(
                host: IssuerHost(
                    issuer: party, pool: pool, estimates: estimates, hits: hits, meter: meter,
                    clock: clock),
                metrics: metrics)
        } else {
            issuer = nil
        }
        if let service {
            var remote: RemoteTokenKeys?
            if issuer == nil {
                remote = RemoteTokenKeys(
                    try upstream(.issuer, options.upstreams.issuer, for: .pir), clock: clock)
            }
            let tokenKeys = try await remote?.fetch() ?? issuer?.publicKeys ?? []
            let party = PIRParty(service: service, tokenKeys: tokenKeys, ledger: store.ledger)
            pir = party
            hosts[.pir] = MeasuredHost(
                host: PIRHost(
                    pir: party, pool: pool, estimates: estimates, hits: hits, meter: meter,
                    clock: clock, reports: reports,
                    refreshKeys: remote.map { remote in { @Sendable in await remote.refresh(party) } },
                    observer: options.groupObserver, deadline: options.groupDeadline),
                metrics: metrics)
        } else {
            pir = nil
        }
        if parties.contains(.gateway) {
            let instances = try options.upstreams.pir.map { try PartyURL($0) }
            let upstreams = instances + (try options.upstreams.issuer.map { [try PartyURL($0)] } ?? [])
            let party = GatewayParty(
                keys: try GatewayKeys(
                    resuming: store.takeGatewayKeys(second: clock.second()),
                    lives: GatewayHost.lives(options.gatewayKeyLife), at: clock.steady()),
                authorities: options.authorities
                    .union(upstreams.map(\.authority))
                    .union([ServiceNames.issuerAuthority, ServiceNames.pirAuthority]))
            hits.follow(.sealedRequests) { party.earlyKeyChanges }
            gateway = party
            hosts[.gateway] = MeasuredHost(
                host: GatewayHost(
                    gateway: party, hits: hits, meter: meter, clock: clock,
                    issuer: try upstream(.issuer, options.upstreams.issuer, for: .gateway),
                    pir: instances.count > 1
                        ? BalancedUpstream(
                            instances.map(surroundings.connect), balancing: options.upstreams.balancing,
                            clock: clock)
                        : try upstream(.pir, options.upstreams.pir.first, for: .gateway)),
                metrics: metrics)
        } else {
            gateway = nil
        }
        if parties.contains(.relay) {
            let upstream = try upstream(.gateway, options.upstreams.gateway, for: .relay)
            hosts[.relay] = MeasuredHost(host: RelayHost(gateway: upstream), metrics: metrics)
        }
        self.hosts = Party.allCases.compactMap { hosts[$0] }
        if let service { restoreVersions(before: data, in: service) }
        install(data)
    }

    private var store: any StackStore { surroundings.store }

    /// Keeps what another process needs to go on, and ends. Nothing is served any more.
    package func close() {
        surroundings.pool.close()
        if let gateway {
            let clock = surroundings.clock
            store.put(gateway.storedKeys(at: clock.steady()), second: clock.second())
        }
        store.close()
    }

    /// Serves again what was served before this process began. What is installed after it is newer.
    private func restoreVersions(before data: LiveData, in service: PIRService) {
        for version in data.versions {
            let earlier = store.versions(before: version.usecase, versionCount: version.versionCount)
            for usecase in earlier.reversed() {
                service.install(usecase, versionCount: version.versionCount)
            }
        }
    }

    /// Goes on with other data. Requests under way are answered from what they began with.
    package func replace(_ data: LiveData) throws {
        if let issuer {
            issuer.replace(issuers: try store.issuers(for: data.users.tiers), users: data.users)
            pir?.replace(tokenKeys: issuer.publicKeys, second: surroundings.clock.second())
        }
        install(data)
    }

    private func install(_ data: LiveData) {
        reports.write(to: data.reportDirectory)
        guard let service = pir?.service else { return }
        defer { dataRead.note(Date().timeIntervalSince1970) }
        for version in data.versions {
            service.install(version.usecase, versionCount: version.versionCount)
            store.remember(version.usecase, versionCount: version.versionCount)
        }
        let names = Set(data.versions.map(\.usecase.name))
        for name in service.usecaseNames where !names.contains(name) { service.remove(usecase: name) }
        for name in store.rememberedUsecases.subtracting(names) { store.forget(usecase: name) }
    }
}

/// Time when the served data was last read, Unix seconds; `nil` before, and where none is served.
private final class ReadingTime: Sendable {
    private let state = Mutex<Double?>(nil)

    var second: Double? { state.withLock { $0 } }

    func note(_ second: Double) { state.withLock { $0 = second } }
}

/// The token keys of an issuer in another process.
actor RemoteTokenKeys {
    /// Tokens with made-up keys must not make the PIR server flood the issuer: one look in this time. Assumption.
    private static let interval = Duration.seconds(5)

    private let issuer: any Upstream
    private let clock: StackClock
    private var lastFetch: Int64

    init(_ issuer: any Upstream, clock: StackClock) {
        self.issuer = issuer
        self.clock = clock
        lastFetch = clock.steady()
    }

    func fetch() async throws -> [TokenPublicKey] {
        lastFetch = clock.steady()
        let response = await issuer.send(
            BinaryHTTPRequest(method: "GET", authority: "", path: IssuerDirectory.path),
            to: IssuerHost.directory)
        guard response.status == 200 else { throw LiveStackError.issuerUnreachable(status: response.status) }
        do {
            // Keys for later are taken now: tokens made with them arrive no earlier than that.
            return try IssuerDirectory(decoding: response.content).usableKeys(at: .max)
        } catch {
            throw LiveStackError.unusableDirectory(reason: "\(error)")
        }
    }

    /// - Returns: Whether it is worth to look at a token again.
    func refresh(_ party: PIRParty) async -> Bool {
        guard clock.steady() - lastFetch >= Self.interval.nanoseconds, let keys = try? await fetch() else {
            return false
        }
        party.replace(tokenKeys: keys, second: clock.second())
        return true
    }
}
