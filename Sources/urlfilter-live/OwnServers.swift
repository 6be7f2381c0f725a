import CommandSupport
import DeviceFleet
import Foundation
import Parties

/// Issuer, PIR server and gateway of this program, each a process of its own, for as long as they are measured.
final class OwnServers {
    struct Server {
        let process: Process
        let url: String
    }

    let issuer: Server
    let pir: Server
    let gateway: Server
    private let folder: URL

    /// - Parameters:
    ///   - entries: Of the database.
    ///   - arguments: Of the PIR server besides.
    ///   - tls: Certificate and key of the gateway.
    init(
        serving entries: some Sequence<ArraySlice<UInt8>>, arguments: [String],
        tls: (certificate: String, key: String)?
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "urlfilter-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var started: [Server] = []
        do {
            let list = folder.appendingPathComponent("list.txt")
            try Data(entries.joined(separator: [UInt8(ascii: "\n")])).write(to: list)
            func start(_ arguments: [String]) throws -> Server {
                let server = try Self.start(
                    arguments, messages: folder.appendingPathComponent("\(arguments[0]).txt"))
                started.append(server)
                return server
            }
            issuer = try start(["issuer"])
            pir = try start(
                [
                    "pir", "--list", list.path, "--format", "plain", "--keys", "as-written", "--issuer",
                    issuer.url,
                ]
                    + arguments)
            let secrets = tls.map { ["--certificate", $0.certificate, "--key", $0.key] } ?? []
            gateway = try start(["gateway", "--issuer", issuer.url, "--pir", pir.url] + secrets)
        } catch {
            for server in started { server.process.terminate() }
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        self.folder = folder
    }

    /// Devices that reach them through the gateway.
    func deployment() throws -> Deployment {
        var deployment = Deployment(
            service: try ServiceAddress(pir.url), issuer: try ServiceAddress(issuer.url))
        let resource = try ServiceAddress(gateway.url).url(path: ServiceNames.gatewayPath)
        deployment.route = .oblivious(resource: resource, keys: resource)
        return deployment
    }

    func stop() {
        for server in [gateway, pir, issuer] {
            server.process.terminate()
            server.process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private struct Ready: Decodable {
        let url: String
    }

    /// Returns when the server has said that it is ready.
    ///
    /// - Parameter messages: File for what it says besides, which nobody wants to read unless it fails.
    private static func start(_ arguments: [String], messages: URL) throws -> Server {
        try Data().write(to: messages)
        let process = Process()
        process.executableURL =
            Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["serve"] + arguments + ["--memory", "--json"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        func failure() -> OwnServerError {
            let text = (try? Data(contentsOf: messages)).map { String(decoding: $0, as: UTF8.self) }
            return .ended(arguments[0], text ?? "")
        }
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw failure() }
            line += part
        }
        guard let ready = try? JSONDecoder().decode(Ready.self, from: line) else {
            process.terminate()
            throw failure()
        }
        return Server(process: process, url: ready.url)
    }
}

/// Why a server of ours does not run.
enum OwnServerError: Error, Equatable, CustomStringConvertible {
    /// - Parameter message: What it said.
    case ended(String, _ message: String)

    var description: String {
        switch self {
        case .ended(let party, let message):
            "'serve \(party)' did not start: \(message.split(separator: "\n").joined(separator: "; "))"
        }
    }
}
