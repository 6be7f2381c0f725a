import ObliviousHTTP
import Parties
import PrivateInformationRetrieval

/// Makes the hosts of a process, each led to those before it or to another process. Services come before who asks them.
struct HostAssembly {
    let options: LiveStackOptions
    let surroundings: StackSurroundings
    let meter: CPUMeter
    let hits: LimitHits
    let metrics: StackMetrics
    private let estimates = ServerEstimates()
    private(set) var made: [Party: any PartyHost] = [:]

    init(
        options: LiveStackOptions, surroundings: StackSurroundings, meter: CPUMeter, hits: LimitHits,
        metrics: StackMetrics
    ) {
        self.options = options
        self.surroundings = surroundings
        self.meter = meter
        self.hits = hits
        self.metrics = metrics
    }

    private var store: any StackStore { surroundings.store }
    private var clock: StackClock { surroundings.clock }

    private mutating func add(_ host: any PartyHost) {
        made[host.party] = MeasuredHost(host: host, metrics: metrics)
    }

    private func upstream(_ party: Party, _ url: String?, for user: Party) throws -> any Upstream {
        if let host = made[party] { return LocalUpstream(host: host) }
        guard let url else { throw LiveStackError.missingUpstream(party, of: user) }
        return surroundings.connect(try PartyURL(url))
    }

    mutating func addIssuer(_ users: IssuerParty.Users) throws -> IssuerParty {
        let store = store
        let party = IssuerParty(
            issuers: try store.issuers(for: users.tiers), users: users,
            tokensPerUserPerDay: options.tokensPerUserPerDay,
            noteIssued: { store.noteIssued(user: $0, day: $1) },
            issuedOn: { try store.issuedCount(user: $0, day: $1) })
        add(
            IssuerHost(
                issuer: party, pool: surroundings.pool, estimates: estimates, hits: hits, meter: meter,
                clock: clock))
        return party
    }

    /// - Parameter issuer: The one of this process; `nil` if it is elsewhere.
    mutating func addPIR(
        _ service: PIRService, issuer: IssuerParty?, reports: ReportStore
    ) async throws -> PIRParty {
        let remote =
            issuer == nil
            ? RemoteTokenKeys(try upstream(.issuer, options.upstreams.issuer, for: .pir), clock: clock) : nil
        let tokenKeys = try await remote?.fetch() ?? issuer?.publicKeys ?? []
        let party = PIRParty(service: service, tokenKeys: tokenKeys, ledger: store.ledger)
        add(
            PIRHost(
                pir: party, pool: surroundings.pool, estimates: estimates, hits: hits, meter: meter,
                clock: clock, reports: reports,
                refreshKeys: remote.map { remote in { @Sendable in await remote.refresh(party) } },
                observer: options.groupObserver, deadline: options.groupDeadline))
        return party
    }

    mutating func addGateway() throws -> GatewayParty {
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
        add(
            GatewayHost(
                gateway: party, hits: hits, meter: meter, clock: clock,
                issuer: try upstream(.issuer, options.upstreams.issuer, for: .gateway),
                pir: instances.count > 1
                    ? BalancedUpstream(
                        instances.map(surroundings.connect), balancing: options.upstreams.balancing,
                        clock: clock)
                    : try upstream(.pir, options.upstreams.pir.first, for: .gateway)))
        return party
    }

    mutating func addRelay() throws {
        add(RelayHost(gateway: try upstream(.gateway, options.upstreams.gateway, for: .relay)))
    }
}
