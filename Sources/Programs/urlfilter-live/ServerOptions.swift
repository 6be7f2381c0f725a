import ArgumentParser
import CommandSupport
import Decoding
import EventSimulation
import Experiment
import Foundation
import LiveStack
import Logging
import PrivateInformationRetrieval
import Scenarios
import Synchronization

/// How a party listens.
struct ServerOptions: ParsableArguments {
    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "Port; 0 takes a free one.")
    var port = 0

    @Option(
        help: ArgumentHelp(
            "Serve /metrics on this port of 127.0.0.1 and nowhere else; 0 takes a free one. Default: on "
                + "--port if only this machine can reach --host, else not at all.", valueName: "port"))
    var metricsPort: Int?

    @Option(help: ArgumentHelp("Certificate chain, PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Private key of the certificate, PEM.", valueName: "file"))
    var key: String?

    @Flag(help: "Serve without TLS on an address that other machines can reach.")
    var allowPlainHTTP = false

    @Option(
        help: ArgumentHelp(
            "SQLite file for keys, spent tokens and evaluation keys. Default: urlfilter-PARTY-PORT.sqlite.",
            valueName: "file"))
    var state: String?

    @Flag(help: "Keep that in memory instead; a restart forgets it, as Apple's example server does.")
    var memory = false

    @Option(
        help: ArgumentHelp(
            "Room for evaluation keys, such as 64GB. When it is full the ones uploaded first are dropped, and "
                + "their devices upload again after their next configuration. Default: 64GB.",
            valueName: "size"),
        transform: Self.bytes)
    var keyStorage: Int?

    @Option(
        help: ArgumentHelp(
            "How evaluation keys are kept in memory: ready, or as bytes, which takes less than half of it and makes "
                + "every lookup dearer. 'urlfilter measure' tells both. Default: ready.", valueName: "form"))
    var evaluationKeys = EvaluationKeyForm.ready

    @Option(
        help: ArgumentHelp(
            "File to which a line of JSON is added for every request: time, endpoint, status, bytes, duration, and a "
                + "pseudonym of the device that changes at every start; for 'urlfilter calibrate'.",
            valueName: "file"))
    var accessLog: String?

    @Option(help: "Threads that compute. Default: one per core.")
    var cores = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help: ArgumentHelp(
            "Requests that may wait for them. Beyond that those of who asks for most get status 503."))
    var queue = 256

    @Option(
        help: ArgumentHelp(
            "How long a request may wait for them, such as 500ms. What would wait longer gets status 503 at once, "
                + "so that past saturation all answers are in time. Default: 1s.", valueName: "duration"),
        transform: Self.queueTime)
    var queueTime: Duration?

    @Option(
        help: ArgumentHelp(
            "How long the gateway publishes a key, such as 6h. It opens requests for as long again; who has an older"
                + " one gets 422 and fetches the new one. Default: 24h.", valueName: "duration"),
        transform: Self.gatewayKeyLife)
    var gatewayKeyLife: Duration?

    @Option(
        help: ArgumentHelp(
            "Network of a relay or a balancer, such as 192.0.2.0/24; repeatable. When all connections are taken, idle"
                + " ones of the network with most of them go first; those of a relay have many users and go last.",
            valueName: "network"),
        transform: Self.network)
    var relayNetwork: [PeerNetwork.Block] = []

    @Option(help: "Tokens that a user may get per day. Default: no limit.")
    var tokensPerUserPerDay: Int?

    @Option(
        help: ArgumentHelp(
            "Host, with port, that the gateway passes requests on to; repeatable.", valueName: "host"))
    var authority: [String] = []

    @Option(
        help: ArgumentHelp(
            "What is logged: \(ServerOptions.levelNames); info is every request. Default: notice.",
            valueName: "level"),
        transform: Self.level)
    var logLevel = Logger.Level.notice

    @Flag(help: "Print the ready line as JSON, schema urlfilter.serve/1.")
    var json = false

    func validate() throws {
        try NumberOption.require(port, "--port", in: 0...65_535)
        try NumberOption.require(metricsPort, "--metrics-port", in: 0...65_535)
        if let metricsPort, metricsPort == port, port != 0 {
            throw ValidationError("--metrics-port is --port; it must be another one")
        }
        if (certificate == nil) != (key == nil) {
            throw ValidationError("--certificate and --key belong together")
        }
        if certificate == nil, !allowPlainHTTP, !LiveStackOptions.isLoopback(host) {
            throw ValidationError(
                "--host \(host) can be reached from other machines; give --certificate and --key, "
                    + "or --allow-plain-http")
        }
        if memory, state != nil { throw ValidationError("--memory keeps no --state") }
        try NumberOption.require(cores, "--cores", in: 1...1_024)
        try NumberOption.require(queue, "--queue", in: 1...1_000_000)
        try NumberOption.require(tokensPerUserPerDay, "--tokens-per-user-per-day", in: 0...1_000_000_000)
    }

    private static let levelNames = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")

    private static func level(_ name: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            throw ValidationError("it must be one of \(levelNames)")
        }
        return level
    }

    private static func bytes(_ text: String) throws -> Int {
        // The largest upload has to fit.
        guard let bytes = try? Quantity.bytes(text), bytes >= WireCoding.maximumBodyByteCount else {
            throw ValidationError("it must be a size of at least 10.5MB, for example 64GB")
        }
        return bytes
    }

    private static func queueTime(_ text: String) throws -> Duration {
        try duration(text, in: 0.001...60, "1ms...60s, for example 500ms")
    }

    private static func gatewayKeyLife(_ text: String) throws -> Duration {
        try duration(text, in: 1...31_536_000, "1s...365d, for example 6h")
    }

    private static func duration(
        _ text: String, in seconds: ClosedRange<Double>, _ words: String
    ) throws -> Duration {
        guard let time = try? Quantity.duration(text), seconds.contains(time.seconds) else {
            throw ValidationError("it must be a duration in \(words)")
        }
        return .nanoseconds(time.nanoseconds)
    }

    private static func network(_ text: String) throws -> PeerNetwork.Block {
        guard let block = PeerNetwork.Block(text) else {
            throw ValidationError(
                "it must be an address or a network, for example 192.0.2.0/24 or 2001:db8::/32")
        }
        return block
    }

    private func checkFiles(input: String?, state: String?) throws(FileConflict) {
        var files = FileRoles()
        for (path, name) in [
            (input, "the data"), (certificate, "--certificate"), (key, "--key"),
        ] { try files.reads(path, as: name) }
        if let state {
            for suffix in ["", "-wal", "-shm"] { try files.writes(state + suffix, as: "--state") }
        }
        try files.writes(accessLog, as: "--access-log")
    }

    /// Serves until a signal comes.
    ///
    /// - Parameter input: The file of the data, if there is one.
    func serve(
        _ parties: Set<Party>, upstreams: LiveStackOptions.Upstreams = .init(), input: String? = nil,
        data: @escaping @Sendable () throws -> LiveData
    ) async throws {
        var options = LiveStackOptions(parties: parties, coreCount: cores)
        options.host = host
        options.port = port
        options.metricsPort = metricsPort
        options.upstreams = upstreams
        options.authorities = Set(authority)
        options.queueLimit = queue
        options.accessLogPath = accessLog
        if let queueTime { options.queueTime = queueTime }
        options.trustedNetworks = relayNetwork
        if let gatewayKeyLife { options.gatewayKeyLife = gatewayKeyLife }
        options.keyForm = evaluationKeys
        if let keyStorage { options.keyStorageByteCount = keyStorage }
        options.tokensPerUserPerDay = tokensPerUserPerDay
        options.logger.logLevel = logLevel
        // A relay has nothing to remember.
        if !memory, parties != [.relay] {
            let name = parties.count > 1 ? "all" : parties.map(\.rawValue).joined()
            options.statePath = state ?? "urlfilter-\(name)-\(port).sqlite"
        }
        try checkFiles(input: input, state: options.statePath)
        if let path = options.statePath {
            Terminal.note("state is kept in \(path)")
            if parties.contains(.pir) {
                Terminal.note("copies of served databases are kept in \(path)-versions")
            }
        }
        if let certificate, let key {
            options.tls = .init(certificatePath: certificate, privateKeyPath: key)
        }
        DescriptorBudget.raiseLimit()
        let stack = try await LiveStack(options, load: data)
        Interrupts.leaveToOthers()
        let json = json
        let failure = Mutex<StandardOutputError?>(nil)
        try await stack.run(trapsSignals: true) { url, metricsURL in
            let ready = ServeReady(url: url, metrics: metricsURL, parties: parties)
            do throws(StandardOutputError) {
                try Terminal.print(json ? ready.json : ready.text)
            } catch {
                // Whoever started it waits for this line.
                failure.withLock { $0 = error }
                await stack.stop()
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension EvaluationKeyForm: ExpressibleByArgument {}

/// The base URL of another party.
struct BaseURL: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let url = try? PartyURL(argument) else { return nil }
        text = url.text
    }
}

/// Message that a script waits for.
private struct ServeReady: Encodable {
    let schema = "urlfilter.serve/1"
    let url: String
    /// Nil if nobody may read them.
    let metrics: String?
    let parties: [String]
    let processID = ProcessInfo.processInfo.processIdentifier

    init(url: String, metrics: String?, parties: Set<Party>) {
        self.url = url
        self.metrics = metrics
        self.parties = Party.allCases.filter(parties.contains).map(\.rawValue)
    }

    /// One line, which a script can wait for.
    var json: String { (try? JSONText.renderLine(self)).map { $0 + "\n" } ?? text }

    var text: String { "ready: \(parties.joined(separator: ", ")) at \(url)\n" }
}
