import LiveStack

/// Every party as a server of its own in this process, with real connections between them.
struct RunningDeployment: Sendable {
    let relay: RunningStack
    let gateway: RunningStack
    let issuer: RunningStack
    let pir: RunningStack

    /// - Parameter configure: Changes the options of one party before it starts.
    static func start(
        coreCount: Int, configure: (inout LiveStackOptions) -> Void = { _ in },
        load: @escaping @Sendable () throws -> LiveData
    ) async throws -> RunningDeployment {
        func start(_ party: Party, _ upstreams: LiveStackOptions.Upstreams) async throws -> RunningStack {
            var options = LiveStackOptions(parties: [party], coreCount: coreCount)
            options.upstreams = upstreams
            configure(&options)
            return try await .start(options, load: party == .pir ? load : { @Sendable in .withoutDatabase })
        }
        let issuer = try await start(.issuer, .init())
        let pir = try await start(.pir, .init(issuer: issuer.url))
        let gateway = try await start(.gateway, .init(issuer: issuer.url, pir: pir.url))
        let relay = try await start(.relay, .init(gateway: gateway.url))
        return RunningDeployment(relay: relay, gateway: gateway, issuer: issuer, pir: pir)
    }

    func stop() async throws {
        for stack in [relay, gateway, pir, issuer] { try await stack.stop() }
    }
}
