import ArgumentParser
import CommandSupport
import Decoding
import DeviceFleet
import DeviceNetwork
import Experiment
import Foundation
import LiveReport
import LiveValidation
import Parties
import Report
import Workload

/// `urlfilter measure --against`: what running servers cost per request.
struct LiveMeasure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure running servers, and write a cost profile of them.",
        discussion: """
            A device asks the services, one request at a time and at most half of the time:
            some 60 requests per endpoint, each lookup for entries of LIST, which the
            service has to serve. With --pid, --cgroup or --metrics the servers' CPU time per
            request is taken; without, the response time above the network's, an upper bound.
            The cost profile has these costs for PIR server and issuer; devices and gateway are
            those of this machine, measured first. Stores one evaluation key.

            --ports starts issuer, PIR server and gateway of this program, each a process of
            its own, and asks them through the gateway: what HTTP and TLS add to the work of
            each request is kept with the cost profile that 'run' charges from.

            Examples:
              urlfilter measure my-list.txt --ports
              urlfilter measure my-list.txt --ports --certificate cert.pem --key key.pem
              urlfilter measure my-list.txt --against http://localhost:8080 --pid 4711
              urlfilter measure my-list.txt --against https://pir.example.com \\
                --metrics http://10.0.0.7:9090/metrics --name 'PIR 2' --output server.json
              urlfilter run Scenarios/outage.yaml --list my-list.txt --profile server.json

            --json prints one document, schema urlfilter.service-measurement/1, with --ports
            urlfilter.port-measurement/1.
            """.flowing)

    @Argument(help: "Block list that the service serves; '-' is standard input.")
    var list: String

    @OptionGroup var options: ListOptions

    @OptionGroup var live: DeploymentOptions

    @Flag(help: "Measure our own servers at their ports instead.")
    var ports = false

    @Option(
        help: ArgumentHelp(
            "Of --ports: certificate of 127.0.0.1, PEM, so that the gateway speaks TLS.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Private key of the certificate, PEM.", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("Process of a server on this machine; repeatable.", valueName: "id"))
    var pid: [Int32] = []

    @Option(
        help: ArgumentHelp("Prometheus page with process_cpu_seconds_total of the servers.", valueName: "url")
    )
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "Folder of the control group of a server's container on this machine (Linux).",
            valueName: "folder"))
    var cgroup: String?

    @Option(help: "Encryption parameters of the service.")
    var rlweParameters = PIRDatabase.defaultParameters

    @Option(help: "Shards of the service, a power of two. Default: about 50 000 entries per shard.")
    var shards: Int?

    @Option(help: ArgumentHelp("What the server is called in results. Default: its URL.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Requests of each kind.", valueName: "n"))
    var requests = 60

    @Option(
        help: ArgumentHelp(
            "File of the cost profile; replaced if it exists. Default: service-profile.json, with --ports where 'run' "
                + "looks for it.", valueName: "file"))
    var output: String?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "No progress on standard error.")
    var quiet = false

    func validate() throws {
        if live.against == nil, !ports {
            throw ValidationError("--against is missing: the URL of the service")
        }
        if ports, live.against != nil || usage != nil || name != nil {
            throw ValidationError(
                "--ports measures our own servers; leave out --against, --pid, --metrics, --cgroup and --name"
            )
        }
        if (certificate == nil) != (key == nil) || !ports && certificate != nil {
            throw ValidationError("--certificate and --key go together, with --ports")
        }
        guard [!pid.isEmpty, metrics != nil, cgroup != nil].count(where: \.self) <= 1 else {
            throw ValidationError("--pid, --metrics and --cgroup exclude each other")
        }
        try NumberOption.require(requests, "--requests", in: 10...10_000)
        try NumberOption.requireShardCount(shards, "--shards")
    }

    func run() async throws {
        var files = FileRoles()
        try files.reads(list, as: "the block list")
        try files.writes(output, as: "--output")
        let (entries, _) = try options.read(list, removingDuplicates: true)
        guard entries.count > 1 else {
            throw ValidationError("\(list) has \(entries.count) entries; a lookup of two needs two")
        }
        let progress = ProgressLine(isQuiet: quiet)
        let keywords = [entries[0], entries[1]].map { Array($0) }
        if ports { return try await measurePorts(entries, keywords, progress) }
        let (base, _) = try ProfileCache.profile(
            of: ProfileSubject(entries, rlweParameters: rlweParameters, shardCount: shards), file: nil
        ) { progress.show($0) }
        let caller = try live.caller()
        let result = try await caller.whileOpen { try await probe(keywords, caller, progress) }
        progress.finish()
        let service = live.against ?? ""
        let observed = try ObservedProfile(
            result, base: base, name: name ?? service, version: "as it ran")
        let path = output ?? "service-profile.json"
        try ProfileCache.write(observed.profile, to: path)
        let report = ServiceMeasurement(observed, service: service, path: path)
        try Terminal.print(json ? JSONText.render(report) : report.text)
    }

    private func measurePorts(
        _ entries: BlockList, _ keywords: [[UInt8]], _ progress: ProgressLine
    ) async throws {
        progress.show("measuring the exchanges of the cost profile")
        let (base, path) = try ProfileCache.measuredAgain(
            for: ProfileSubject(entries, rlweParameters: rlweParameters, shardCount: shards), file: output)
        progress.show("starting issuer, PIR server and gateway")
        var own = OwnServers.Options()
        own.pir =
            ["--rlwe-parameters", rlweParameters] + (shards.map { ["--shards", "\($0)"] } ?? [])
        if let certificate, let key {
            own.gateway = ["--certificate", certificate, "--key", key]
        }
        let servers = try OwnServers(serving: entries, own)
        defer { servers.stop() }
        var trusting = HTTPCaller.Settings()
        trusting.trustedCertificates = certificate
        let caller = try HTTPCaller(trusting)
        let (services, gateway) = (servers.serviceIdentifiers, servers.gatewayIdentifier)
        var settings = settings(keywords)
        settings.cpu = { await ServerUsage.processes(services).reading(caller)?.total }
        settings.gatewayCPU = { await ServerUsage.processes([gateway]).reading(caller)?.total }
        let result = try await caller.whileOpen {
            var probe = try await DeploymentProbe(settings, servers.deployment(), caller: caller)
            return try await probe.measure { progress.show($0) }
        }
        progress.finish()
        let ports = try PortProfile(result, base: base, hasTLS: certificate != nil)
        try ProfileCache.write(ports.profile, to: path)
        let report = PortMeasurement(ports, path: path)
        try Terminal.print(json ? JSONText.render(report) : report.text)
    }

    private func settings(_ keywords: [[UInt8]]) -> DeploymentProbe.Settings {
        var settings = DeploymentProbe.Settings(
            identity: .init(
                userIdentifier: "measure-\(UUID().uuidString.lowercased())",
                userToken: live.userToken ?? "workbench"),
            usecase: live.usecase, keywords: keywords)
        settings.requestsPerBatch = max(1, requests / settings.batches)
        return settings
    }

    /// The place where the CPU time of the servers is read; `nil` where nobody names one.
    private var usage: ServerUsage? {
        metrics.map { .metrics(url: $0) } ?? cgroup.map { .container(folder: $0) }
            ?? (pid.isEmpty ? nil : .processes(pid))
    }

    private func probe(
        _ keywords: [[UInt8]], _ caller: HTTPCaller, _ progress: ProgressLine
    ) async throws -> DeploymentProbe.Result {
        var settings = settings(keywords)
        if let usage {
            guard await usage.reading(caller) != nil else {
                let place =
                    metrics.map { "at \($0)" } ?? cgroup.map { "in \($0)/cpu.stat" }
                    ?? "of process \(pid.map { "\($0)" }.joined(separator: ", "))"
                throw ValidationError("the CPU time of the servers cannot be read " + place)
            }
            settings.cpu = { await usage.reading(caller)?.total }
        }
        var probe = try await DeploymentProbe(
            settings, live.deployment(of: live.against ?? ""), caller: caller)
        return try await probe.measure { progress.show($0) }
    }
}
