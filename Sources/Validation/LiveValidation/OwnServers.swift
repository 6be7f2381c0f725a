package import DeviceFleet
package import Foundation
import Parties
import Synchronization
import Timing
package import Workload

/// Issuer, PIR servers, gateway and relay of this program, each a process of its own, for as long as they are measured.
/// The PIR servers can be killed.
///
/// Starting and ending them blocks, and so does restarting: it waits for processes.
package final class OwnServers: Sendable {
    package struct Options: Sendable {
        /// Arguments of the PIR servers beside list and issuer, and of the gateway beside the servers behind it.
        package var pir: [String] = []
        package var gateway: [String] = []
        /// PIR servers behind the gateway.
        package var instances = 1
        /// Devices come through a relay.
        package var hasRelay = false
        /// Each server writes a record of its requests.
        package var keepsRecords = false

        package init() {}
    }

    private struct State {
        var fixed: [PartyProcess] = []
        /// `nil` for one that is killed.
        var pir: [PartyProcess?] = []
    }

    private let executable: URL
    private let folder: URL
    private let options: Options
    /// Arguments of every PIR server.
    private let arguments: [String]
    private let issuer: PartyProcess
    private let gateway: PartyProcess
    private let relay: PartyProcess?
    /// Ports of the PIR servers, which keep them.
    private let ports: [Int]
    private let urls: [String]
    private let state: Mutex<State>

    /// This program.
    package static var program: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

    /// - Parameters:
    ///   - executable: Of this program.
    ///   - entries: Of the PIR servers' database.
    package init(
        executable: URL = program, serving entries: BlockList, _ options: Options
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "urlfilter-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var started: [PartyProcess] = []
        func start(_ arguments: [String], _ instance: Int = 0, port: Int = 0) throws -> PartyProcess {
            let server = try Self.start(
                executable, arguments, folder, instance, port: port, keepsRecords: options.keepsRecords)
            started.append(server)
            return server
        }
        do {
            let list = folder.appendingPathComponent("list.txt")
            try Data(entries.joined(separator: [UInt8(ascii: "\n")])).write(to: list)
            let issuer = try start(["issuer"])
            let arguments =
                [
                    "pir", "--list", list.path, "--format", "plain", "--keys", "as-written", "--issuer",
                    issuer.url,
                ] + options.pir
            let servers = try (0..<options.instances).map { try start(arguments, $0) }
            let gateway = try start(
                ["gateway", "--issuer", issuer.url] + servers.flatMap { ["--pir", $0.url] } + options.gateway)
            let relay = options.hasRelay ? try start(["relay", "--gateway", gateway.url]) : nil
            self.executable = executable
            self.folder = folder
            self.options = options
            self.arguments = arguments
            self.issuer = issuer
            self.gateway = gateway
            self.relay = relay
            ports = servers.map(\.port)
            urls = servers.map(\.url)
            state = Mutex(State(fixed: [relay, gateway, issuer].compactMap(\.self), pir: servers))
        } catch {
            for party in started { party.end() }
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private static func log(_ folder: URL, _ party: String, _ instance: Int) -> URL {
        folder.appendingPathComponent("\(party)\(instance).jsonl")
    }

    private static func start(
        _ executable: URL, _ arguments: [String], _ folder: URL, _ instance: Int, port: Int,
        keepsRecords: Bool
    ) throws -> PartyProcess {
        let name = arguments[0]
        return try PartyProcess(
            executable: executable,
            arguments + ["--port", "\(port)"]
                + (keepsRecords ? ["--access-log", log(folder, name, instance).path] : []),
            messages: folder.appendingPathComponent("\(name)\(instance).txt"))
    }

    /// The way of devices: through the relay, or else through the gateway.
    package func deployment() throws -> Deployment {
        var deployment = Deployment(
            service: try ServiceAddress(urls[0]), issuer: try ServiceAddress(issuer.url))
        let resource =
            try relay.map { try ServiceAddress($0.url).url(path: ServiceNames.relayPath) }
            ?? ServiceAddress(gateway.url).url(path: ServiceNames.gatewayPath)
        deployment.route = .oblivious(resource: resource, keys: resource)
        return deployment
    }

    package var gatewayIdentifier: Int32 { gateway.identifier }

    /// Processes of issuer and PIR servers that run.
    package var serviceIdentifiers: [Int32] {
        [issuer.identifier] + state.withLock { $0.pir.compactMap(\.self).map(\.identifier) }
    }

    /// Processes that run.
    var identifiers: [Int32] {
        state.withLock { ($0.fixed + $0.pir.compactMap(\.self)).map(\.identifier) }
    }

    /// Processes that run, without the PIR servers.
    var frontIdentifiers: [Int32] { state.withLock { $0.fixed.map(\.identifier) } }

    /// Kills PIR servers at once.
    func crash(_ instances: Range<Int>) {
        let killed = state.withLock { state in
            let killed = instances.compactMap { state.pir[$0] }
            for instance in instances { state.pir[instance] = nil }
            return killed
        }
        for server in killed { server.crash() }
        for server in killed { server.end() }
    }

    /// Starts PIR servers that were killed, all at once, where they were.
    ///
    /// - Returns: Seconds that each needed until it served.
    func restart(_ instances: Range<Int>) throws -> [Double] {
        let results = Mutex<[Int: Result<(PartyProcess, Double), any Error>]>([:])
        let begin = ContinuousClock.now
        let group = DispatchGroup()
        for instance in instances {
            group.enter()
            Thread.detachNewThread { [self] in
                let result = Result {
                    let server = try Self.start(
                        executable, arguments, folder, instance, port: ports[instance],
                        keepsRecords: options.keepsRecords)
                    return (server, (ContinuousClock.now - begin).seconds)
                }
                results.withLock { $0[instance] = result }
                group.leave()
            }
        }
        group.wait()
        let found = results.withLock { $0 }
        state.withLock { state in
            for (instance, result) in found { state.pir[instance] = (try? result.get())?.0 }
        }
        return try instances.compactMap { try found[$0]?.get().1 }
    }

    /// Records that issuer and PIR servers made of their requests.
    func records() throws -> [[ServerLogRecord]] {
        let logs = [Self.log(folder, "issuer", 0)] + ports.indices.map { Self.log(folder, "pir", $0) }
        return try logs.map { log in
            guard let size = try? log.resourceValues(forKeys: [.fileSizeKey]).fileSize, size > 0 else {
                return []
            }
            let reader = try ServerLogReader(path: log.path)
            var records: [ServerLogRecord] = []
            while let record = try reader.next() { records.append(record) }
            return records
        }
    }

    /// Ends all of them. Nothing that they keep is needed.
    package func stop() {
        let all = state.withLock { state in
            let all = state.fixed + state.pir.compactMap(\.self)
            state = State()
            return all
        }
        for party in all { party.crash() }
        for party in all { party.end() }
        try? FileManager.default.removeItem(at: folder)
    }
}
