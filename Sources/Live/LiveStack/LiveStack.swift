import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Parties
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Parties as servers on one port.
///
///     let stack = try await LiveStack(LiveStackOptions(coreCount: 2)) { data }
///     try await stack.run { url, _ in print(url) }
package final class LiveStack: Sendable {
    /// CPU time of each party's own work.
    package let meter = CPUMeter()
    package let options: LiveStackOptions
    private let parties: LiveParties
    private let hits = LimitHits()
    private let client: HTTPClient
    private let descriptors: DescriptorBudget
    private let tls: TLSConfiguration?
    private let logger: Logger
    private let load: @Sendable () throws -> LiveData
    private let group = Mutex<ServiceGroup?>(nil)

    /// - Parameter load: Reads the operator's data, now and at every reload. It may take its time.
    package init(
        _ options: LiveStackOptions, load: @escaping @Sendable () throws -> LiveData
    ) async throws {
        self.options = options
        self.load = load
        // Before what takes long, and before there is anything to be closed.
        tls = try options.tls.map { try TLSConfiguration(serverFiles: $0) }
        let logger = options.logger
        self.logger = logger
        let store: any StackStore =
            try options.statePath.map {
                try DurableStore(
                    path: $0, logger: logger,
                    keys: .init(capacity: options.keyStorageByteCount, form: options.keyForm))
            } ?? VolatileStore(keyCapacity: options.keyStorageByteCount, keyForm: options.keyForm)
        let data: LiveData
        do {
            data = try load()
        } catch {
            store.close()
            throw error
        }
        let pool = ComputePool(
            name: "party", threadCount: options.coreCount, queueLimit: options.queueLimit,
            queueSeconds: options.queueTime.milliseconds / 1e3, noteRefusal: hits.note)
        let upstreams = options.upstreams
        descriptors = DescriptorBudget(
            limit: DescriptorBudget.limit,
            upstreamCount: upstreams.all.count,
            connectionCount: options.limits.connectionCount)
        client = HTTPUpstream.makeClient(connectionsPerParty: descriptors.connectionsPerUpstream)
        let (client, upstreamTime) = (client, options.upstreamTime)
        let surroundings = StackSurroundings(clock: .machine, store: store, pool: pool) {
            HTTPUpstream(client: client, party: $0, timeout: upstreamTime)
        }
        do {
            parties = try await LiveParties(
                options, data: data, on: surroundings, meter: meter, hits: hits)
        } catch {
            pool.close()
            store.close()
            try? await client.shutdown()
            throw error
        }
    }

    /// Serves until ``stop()``, or SIGTERM or SIGINT if signals are trapped. Requests under way are finished. To be
    /// called once.
    ///
    /// - Parameters:
    ///   - trapsSignals: Also makes SIGHUP reload the data.
    ///   - whenReady: Gets the base URL, for example `http://127.0.0.1:8080`, and the URL of the metrics if there
    ///     are any to be read.
    package func run(
        trapsSignals: Bool = false,
        whenReady: @escaping @Sendable (_ url: String, _ metricsURL: String?) async -> Void
    ) async throws {
        let metricsServer = options.metricsPort.map {
            MetricsServer(port: $0, metrics: parties.metrics, logger: logger)
        }
        let showsMetrics = options.metricsPort == nil && LiveStackOptions.isLoopback(options.host)
        let rules = ConnectionRules(
            options.limits, connectionCount: descriptors.connectionCount, trusted: options.trustedNetworks,
            hits: hits)
        let application = Application(
            responder: StackResponder(
                hosts: parties.hosts, limits: options.limits, hits: hits, metrics: parties.metrics,
                showsMetrics: showsMetrics, logger: logger),
            server: EitherHTTPChannel.server(tls: tls, rules: rules),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), backlog: 1_024,
                availableConnectionsDelegate: ConnectionCounter(rules, logger: logger)),
            onServerRunning: { [self] channel in
                channel.backsOffWhenItCannotAccept(hits: hits, logger: logger)
                let url = listened(at: channel.localAddress)
                guard let metricsServer else {
                    return await whenReady(url, showsMetrics ? url + MetricsServer.path : nil)
                }
                if let metricsURL = await metricsServer.url() { await whenReady(url, metricsURL) }
            },
            logger: logger)
        var services: [any Service] = [application]
        if let metricsServer { services.append(metricsServer) }
        services.append(WaitingConnectionsService(crowd: rules.crowd))
        if trapsSignals {
            // Trapped before the server says that it is ready: an untrapped SIGHUP ends the process.
            let signals = await UnixSignalsSequence(trapping: .sighup)
            services.append(ReloadService(signals: signals, reload: { [self] in reloadNow() }))
        }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: trapsSignals ? [.sigterm, .sigint] : [],
            logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(30)
        let group = ServiceGroup(configuration: configuration)
        self.group.withLock { $0 = group }
        let failure = await failure(of: group)
        parties.close()
        try await client.shutdown()
        if let failure { throw failure }
    }

    private func failure(of group: ServiceGroup) async -> (any Error)? {
        do {
            try await group.run()
            return nil
        } catch let error as IOError {
            return LiveStackError.cannotListen(host: options.host, port: options.port, error)
        } catch {
            return error
        }
    }

    /// Ends ``run(trapsSignals:whenReady:)`` when requests under way are finished.
    package func stop() async { await group.withLock { $0 }?.triggerGracefulShutdown() }

    /// Reads the data again. While it is read, and if it cannot be used, the old data is served.
    package func reload() throws { try parties.replace(load()) }

    private func reloadNow() {
        do {
            try reload()
            logger.notice("data reloaded")
        } catch {
            logger.error("data not reloaded, the old one is served", metadata: ["reason": "\(error)"])
        }
    }

    /// - Returns: The base URL.
    private func listened(at address: SocketAddress?) -> String {
        let port = address?.port ?? options.port
        for name in [options.host, address?.ipAddress, "localhost"].compactMap({ $0 }) {
            let host = name.contains(":") ? "[\(name)]" : name
            parties.gateway?.allow(authority: "\(host):\(port)")
        }
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        return "\(options.tls == nil ? "http" : "https")://\(host):\(port)"
    }
}

/// Lets the server end although peers do not say what they began to say.
private struct WaitingConnectionsService: Service {
    /// Time in which a peer has to finish its request: assumption.
    private static let patience = Duration.seconds(5)

    let crowd: ConnectionCrowd

    func run() async throws {
        try await gracefulShutdown()
        // The others are told to end when this one has: it goes on beside them.
        Task.detached {
            try await Task.sleep(for: Self.patience)
            while crowd.closeWaiting() > 0 { try await Task.sleep(for: .milliseconds(200)) }
        }
    }
}

/// Reloads at SIGHUP.
private struct ReloadService: Service {
    let signals: UnixSignalsSequence
    let reload: @Sendable () -> Void

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            // Reading takes long; Swift's own threads are for tasks that do not. It may take for ever, from a pipe
            // that nobody writes: the end of the server does not wait for it.
            let (end, mark) = AsyncStream.makeStream(of: Never.self)
            Thread.detachNewThread {
                reload()
                mark.finish()
            }
            for await _ in end.cancelOnGracefulShutdown() {}
        }
    }
}
