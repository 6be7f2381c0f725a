import CommandSupport
import DeviceFleet
import Foundation
import LiveValidation
import Parties

/// Issuer, PIR server and gateway of this program, each a process of its own, for as long as they are measured.
final class OwnServers {
    let issuer: PartyProcess
    let pir: PartyProcess
    let gateway: PartyProcess
    private let folder: URL

    /// This program.
    static var executable: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

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
        var started: [PartyProcess] = []
        do {
            let list = folder.appendingPathComponent("list.txt")
            try Data(entries.joined(separator: [UInt8(ascii: "\n")])).write(to: list)
            func start(_ arguments: [String]) throws -> PartyProcess {
                let server = try PartyProcess(
                    executable: Self.executable, arguments,
                    messages: folder.appendingPathComponent("\(arguments[0]).txt"))
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
            for server in started { server.end() }
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
        for server in [gateway, pir, issuer] { server.stop() }
        try? FileManager.default.removeItem(at: folder)
    }
}
