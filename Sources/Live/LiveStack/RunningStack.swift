import Synchronization

/// A stack that serves in the background, for tests and for programs that bring their own servers.
///
///     let stack = try await RunningStack.start(LiveStackOptions(coreCount: 2)) { data }
///     // talk to stack.url
///     try await stack.stop()
package final class RunningStack: Sendable {
    /// Base URL, for example `http://127.0.0.1:49152`.
    package let url: String
    /// URL of the metrics; nil if nobody may read them.
    package let metricsURL: String?
    private let stack: LiveStack
    private let task: Task<Void, any Error>

    private init(url: String, metricsURL: String?, stack: LiveStack, task: Task<Void, any Error>) {
        self.url = url
        self.metricsURL = metricsURL
        self.stack = stack
        self.task = task
    }

    /// Returns when requests are served.
    package static func start(
        _ options: LiveStackOptions, load: @escaping @Sendable () throws -> LiveData
    ) async throws -> RunningStack {
        let stack = try await LiveStack(options, load: load)
        let (ready, announcement) = AsyncThrowingStream.makeStream(
            of: (url: String, metricsURL: String?).self)
        let task = Task {
            do {
                try await stack.run { announcement.yield(($0, $1)) }
                announcement.finish()
            } catch {
                announcement.finish(throwing: error)
                throw error
            }
        }
        for try await (url, metricsURL) in ready {
            return RunningStack(url: url, metricsURL: metricsURL, stack: stack, task: task)
        }
        throw CancellationError()
    }

    /// Base URL without the scheme.
    package var authority: String { String(url.drop { $0 != "/" }.drop { $0 == "/" }) }

    /// CPU seconds of a party's own work so far, without HTTP and TLS.
    package func cpuSeconds(of party: Party) -> Double { stack.meter[party] }

    /// Reads the data again.
    package func reload() throws { try stack.reload() }

    /// Finishes requests under way and closes the port.
    package func stop() async throws {
        await stack.stop()
        try await task.value
    }
}

/// Every party as a server of its own in this process, with real connections between them.
package struct RunningDeployment: Sendable {
    package let relay: RunningStack
    package let gateway: RunningStack
    package let issuer: RunningStack
    package let pir: RunningStack

    /// - Parameter configure: Changes the options of one party before it starts.
    package static func start(
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

    package func stop() async throws {
        for stack in [relay, gateway, pir, issuer] { try await stack.stop() }
    }
}
