import ArgumentParser
import CommandSupport
import Decoding
import DeviceFleet
import DeviceNetwork
import Experiment
import Foundation
import Report
import Scenarios
import URLFilter
import Workload

/// `urlfilter doctor`: everything that has to be right before Apple and devices are let near.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: LiveVerb.doctor.abstract,
        discussion: """
            Does once what a device does: directory, tokens, configuration, key upload,
            lookup of the test entry; and what only a validation does: replays a token,
            leaves one out, asks for a name that cannot be listed, compares clocks, reads
            DNS. Makes about 20 requests and stores one evaluation key.

            Asks the resolver of this machine, or --resolver, for Apple's hosts that devices
            need: run it in the devices' network. Ends with what 'serverSetupIncomplete' on a
            device may come from, as far as it can be seen.

            Every line is 'pass', 'FAIL', 'note' or 'not checked'; a FAIL comes with what a
            device would log and what to do, a note is against a standard but works on
            devices. Exit code 0 without a FAIL, 2 with one, 65 if the
            URL cannot be used.

            A service on this machine is judged as one for builds run from Xcode, which
            may use ports and plain HTTP; --distribution judges it as for the App Store.

            Examples:
              urlfilter doctor http://localhost:8080
              urlfilter doctor http://localhost:8080 --through relay --relay-cap 600kB
              urlfilter doctor https://pir.example.com --resolver 9.9.9.9
              urlfilter doctor --explain 'NSURLErrorDomain Code=-1000'
              urlfilter doctor --explain -1009
              urlfilter doctor http://localhost:8080 --os 27.3 --new-entries added.txt
              urlfilter doctor https://pir.example.com --reload 'systemctl reload pir'
              urlfilter doctor https://pir.example.com --info-plist Info.plist \\
                --profile filter.mobileconfig
              urlfilter doctor https://pir.example.com --user-token S3CR3T \\
                --issuer https://issuer.example.com \\
                --gateway https://gateway.example.com/ \\
                --usecase com.example.app.url.filtering --json

            --explain asks no server. It takes an error of NSURLErrorDomain, CipherML or
            NEURLFilterManager, a status such as 413 or 504 with its proxy-status, or a page
            'Access Denied', and says the cause, what to look at and what your own servers
            show. Exit code 65 if the table has no such error.

            --json prints one document, schema urlfilter.doctor/1, with --explain
            urlfilter.symptoms/1.
            """.flowing)

    @Argument(help: ArgumentHelp("URL of the PIR service.", valueName: "url"))
    var url: String?

    @Option(
        // Most errors of devices are negative numbers.
        parsing: .unconditional,
        help: ArgumentHelp(
            "Instead of a URL: an error as a device, a log or the relay names it; says what it comes from.",
            valueName: "error"))
    var explain: String?

    @OptionGroup var deployment: DeploymentOptions

    @Option(
        help: ArgumentHelp(
            "Largest request that the relay passes on, such as 600kB.", valueName: "size"))
    var relayCap: String?

    @Option(
        help: ArgumentHelp(
            "Resolver that is asked for the text record, such as 192.0.2.1 or 127.0.0.1:5353, also for a "
                + "service on this machine. Default: those of this machine.", valueName: "address"))
    var resolver: String?

    @Option(
        help: ArgumentHelp(
            "Devices that shall work: \(OSChoice.names). 27.3 adds what it asks for.", valueName: "os"))
    var os = OSChoice(.iOS27)

    @Option(
        help: ArgumentHelp(
            "Info.plist of the app, whose NSPIRConfiguration is compared with the profile and the URLs.",
            valueName: "file"))
    var infoPlist: String?

    @Option(
        help: ArgumentHelp("Configuration profile (.mobileconfig) of device management.", valueName: "file"))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "List of entries that the next prefilter brings: up to 16 of them are looked up, for the service must have "
                + "them first.", valueName: "list"))
    var newEntries: String?

    @OptionGroup var reload: ReloadOptions

    @Flag(help: "Judge a service on this machine as one to be shipped.")
    var distribution = false

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    func validate() throws {
        if deployment.against != nil {
            throw ValidationError("--against is for other commands; name the URL by itself")
        }
        guard (url == nil) != (explain == nil) else {
            throw ValidationError("name the URL of the PIR service, or an error with --explain")
        }
        if explain != nil, reload.command != nil {
            throw ValidationError("--reload is of a URL, not of --explain")
        }
        _ = try (cap, textRecords)
    }

    private var textRecords: TextRecordResolver {
        get throws {
            guard let resolver else { return .ofThisMachine }
            guard let address = TextRecordResolver.Address(resolver) else {
                throw ValidationError("--resolver is '\(resolver)'; write for example 127.0.0.1:5353")
            }
            return TextRecordResolver([address])
        }
    }

    private var cap: Int? {
        get throws {
            guard let relayCap else { return nil }
            guard let bytes = try? Quantity.bytes(relayCap), bytes > 0 else {
                throw ValidationError("--relay-cap is '\(relayCap)'; write for example 600kB")
            }
            return bytes
        }
    }

    private static func read(_ path: String) throws -> Data {
        let limit = ProfileDocument.maximumByteCount
        let data = try InputBytes.read(path, limit: limit)
        guard data.count <= limit else { throw InputError.tooLarge(name: path, limit: limit) }
        return data
    }

    /// Reads as many entries as one request has room for, evenly from the whole list.
    private static func someEntries(of path: String) throws -> [[UInt8]] {
        let options = BlockListOptions(policy: .standard, removesDuplicates: true)
        let (list, _) = try BlockListReader.read(path: path, options: options)
        let count = min(list.count, 16)
        return (0..<count).map { Array(list[$0 * list.count / count]) }
    }

    func run() async throws {
        if let explain {
            try Self.explain(explain, json: json)
        } else if let url {
            try await examine(url)
        }
    }

    private static func explain(_ error: String, json: Bool) throws {
        let symptoms = DeviceSymptom.all(in: error)
        guard !symptoms.isEmpty else {
            throw UnusableInput(
                "--explain",
                "no known error in '\(error)'; known are: \(DeviceSymptom.known.joined(separator: "; "))")
        }
        try Terminal.print(
            json
                ? JSONText.render(SymptomResult(error: error, symptoms: symptoms))
                : SymptomPage.render(symptoms))
    }

    private func examine(_ url: String) async throws {
        let service = try ServiceAddress(originOf: url)
        let issuer = try deployment.issuer.map { try ServiceAddress(originOf: $0) }
        var settings = Doctor.Settings(
            serviceText: url, issuerText: deployment.issuer ?? url,
            deployment: Deployment(
                service: service, issuer: issuer, route: try deployment.route(at: service)),
            usecase: deployment.usecase, userToken: deployment.userToken ?? "doctor")
        settings.generation = os.generation
        settings.relayCap = try cap
        settings.isDistribution = distribution
        settings.asksForLocalRecords = resolver != nil
        settings.app = try infoPlist.map { path in
            guard let app = PIRAddresses(infoPropertyList: try Self.read(path)) else {
                throw UnusableInput(path, "it is no property list with NSPIRConfiguration.PIRServerURL")
            }
            return app
        }
        settings.profile = try profile.map { path in
            guard let profile = PIRAddresses(profile: try Self.read(path)) else {
                throw UnusableInput(path, "it is no property list with a payload of a URL filter")
            }
            return profile
        }
        settings.newEntries = try newEntries.map(Self.someEntries) ?? []
        settings.reload = reload.action
        let caller = try deployment.caller(timeoutSeconds: 15)
        let resolver = try textRecords
        let report = await Doctor(
            settings, http: caller, textRecords: resolver.textRecords(of:), addresses: resolver.addresses
        )
        .examine()
        await caller.shutdown()
        try Terminal.print(json ? JSONText.render(report) : DoctorText.render(report))
        if report.hasFailure { throw ExitStatus.objectiveMissed.code }
    }
}
