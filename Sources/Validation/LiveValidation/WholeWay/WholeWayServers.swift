import DeviceFleet
package import EventSimulation
package import Foundation
import Parties
import Synchronization
import Timing
package import Workload

/// Issuer, PIR servers, gateway and relay, each a process of its own, of which the PIR servers can be killed.
///
/// All methods block: they start processes and wait for them.
package final class WholeWayServers: Sendable {
    private struct State {
        var fixed: [PartyProcess] = []
        /// `nil` for one that is killed.
        var pir: [PartyProcess?] = []
    }

    private let executable: URL
    private let folder: URL
    private let arguments: [String]
    private let issuer: PartyProcess
    private let relay: PartyProcess
    /// Ports of the PIR servers, which keep them.
    private let ports: [Int]
    private let urls: [String]
    private let state: Mutex<State>

    /// - Parameters:
    ///   - executable: Of this program.
    ///   - entries: Of the PIR servers' database.
    package init(
        executable: URL, serving entries: BlockList, _ plan: WholeWayPlan, balancing: Balancing
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "urlfilter-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var started: [PartyProcess] = []
        do {
            let list = folder.appendingPathComponent("list.txt")
            try Data(entries.joined(separator: [UInt8(ascii: "\n")])).write(to: list)
            func start(_ arguments: [String]) throws -> PartyProcess {
                let party = try PartyProcess(
                    executable: executable,
                    arguments + ["--access-log", Self.log(folder, arguments[0], 0).path],
                    messages: folder.appendingPathComponent("\(arguments[0]).txt"))
                started.append(party)
                return party
            }
            let issuer = try start(["issuer"])
            let arguments = [
                "pir", "--list", list.path, "--format", "plain", "--keys", "as-written", "--issuer",
                issuer.url, "--cores", "1", "--rlwe-parameters", plan.rlweParameters, "--shards",
                "\(plan.shards)", "--seed", "\(plan.seed)",
            ]
            let servers = try (0..<WholeWayPlan.instances).map { instance in
                let server = try Self.start(executable, arguments, folder, instance, port: 0)
                started.append(server)
                return server
            }
            let gateway = try start(
                ["gateway", "--issuer", issuer.url, "--balancing", balancing.rawValue]
                    + servers.flatMap { ["--pir", $0.url] })
            let relay = try start(["relay", "--gateway", gateway.url])
            self.executable = executable
            self.folder = folder
            self.arguments = arguments
            self.issuer = issuer
            self.relay = relay
            ports = servers.map(\.port)
            urls = servers.map(\.url)
            state = Mutex(State(fixed: [relay, gateway, issuer], pir: servers))
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
        _ executable: URL, _ arguments: [String], _ folder: URL, _ instance: Int, port: Int
    ) throws -> PartyProcess {
        try PartyProcess(
            executable: executable,
            arguments + [
                "--port", "\(port)", "--access-log", log(folder, "pir", instance).path,
            ], messages: folder.appendingPathComponent("pir\(instance).txt"))
    }

    /// The way of devices: through the relay.
    func deployment() throws -> Deployment {
        var deployment = Deployment(
            service: try ServiceAddress(urls[0]), issuer: try ServiceAddress(issuer.url))
        let resource = try ServiceAddress(relay.url).url(path: ServiceNames.relayPath)
        deployment.route = .oblivious(resource: resource, keys: resource)
        return deployment
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
                        executable, arguments, folder, instance, port: ports[instance])
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
