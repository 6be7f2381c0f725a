import ArgumentParser
import CommandSupport
import Decoding
import Experiment
import Foundation
import Report
import Scenarios
import URLFilter
import Workload

/// `urlfilter profile`: what a device management server sends to turn the filter on.
struct Profile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Write the configuration profile or declaration that turns the filter on.",
        discussion: """
            Fetch interval and fail mode come from the scenario, if one is named, so that
            devices do what was simulated. The result is checked by the rules of
            'urlfilter lint FILE.mobileconfig'; what is wrong is told on standard error, and
            an error makes the exit code 65 and writes nothing.

            Examples:
              urlfilter profile Scenarios/quickstart.yaml --app com.example.filter \\
                --server https://pir.example.com \\
                --control-provider com.example.filter.control \\
                --identifier com.example.school --token "$(printf secret | base64)" \\
                --output filter.mobileconfig
              urlfilter profile --server https://pir.example.com --app com.example.filter \\
                --control-provider com.example.filter.control \\
                --identifier com.example.school \\
                --declaration --token-asset com.example.token
            """.flowing)

    @Argument(help: ArgumentHelp("Scenario with fetch interval and fail mode.", valueName: "scenario"))
    var scenario: String?

    @Option(help: ArgumentHelp("PIR server, https and a host.", valueName: "url"))
    var server: String

    @Option(help: ArgumentHelp("Token issuer (default: the PIR server).", valueName: "url"))
    var issuer: String?

    @Option(help: "Bundle identifier of the app.")
    var app: String

    @Option(help: "Bundle identifier of its control provider.")
    var controlProvider: String

    @Option(help: "Code requirement of the control provider, for macOS.")
    var requirement: String?

    @Option(help: "Identifier of the profile, as com.example.school.")
    var identifier: String

    @Option(help: "Name that users see.")
    var name = "URL filter"

    @Option(help: "Base64, or the variable that your management server fills in per device.")
    var token: String?

    @Option(help: "ContentFilterUUID, for devices that are not supervised.")
    var contentFilterUuid: String?

    @Flag(help: "The devices are supervised.")
    var supervised = false

    @Flag(help: "Block when the verdict does not come (default: as in the scenario, else allow).")
    var failClosed = false

    @Option(
        help: ArgumentHelp(
            "Between two fetches of the prefilter (default: as in the scenario, else 24h).",
            valueName: "duration"))
    var fetchInterval: String?

    @Flag(help: "A declaration for iOS and macOS 27 instead of a profile.")
    var declaration = false

    @Option(help: "Identifier of the asset that has the token, for --declaration.")
    var tokenAsset: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where to write it; '-' is standard output.", valueName: "file"))
    var output = OutputFile.standardOutput

    func validate() throws {
        guard declaration ? tokenAsset != nil && token == nil : tokenAsset == nil && token != nil else {
            throw ValidationError(
                declaration
                    ? "a declaration names the asset with the token: --token-asset, and no --token"
                    : "a profile has the token in it: --token, and no --token-asset")
        }
        if let contentFilterUuid, UUID(uuidString: contentFilterUuid) == nil {
            throw ValidationError("--content-filter-uuid is '\(contentFilterUuid)', which is no UUID")
        }
    }

    func run() throws {
        let profile = try profile()
        let document =
            try tokenAsset.map { try profile.declaration(tokenAsset: $0) }
            ?? profile.propertyList(profile: UUID(), payload: UUID())
        let findings = try ProfileLinter.lint(document, for: .init(isSupervised: supervised ? true : nil))
        for finding in findings { Terminal.note(ProfileText.line(finding, file: output)) }
        if findings.contains(where: { $0.severity == .error }) { throw ExitStatus.invalidInput.code }
        // It has a secret in it.
        if output == OutputFile.standardOutput {
            try Terminal.write(document)
            if document.last != UInt8(ascii: "\n") { try Terminal.print("\n") }
        } else {
            try AtomicFile.write(to: output, isPrivate: true) { try $0.write(document) }
        }
    }

    private func profile() throws -> FilterProfile {
        var profile = FilterProfile(
            name: name, identifier: identifier, appBundleIdentifier: app,
            controlProviderBundleIdentifier: controlProvider, serverURL: server, issuerURL: issuer,
            authenticationToken: token ?? "")
        profile.designatedRequirement = requirement
        profile.contentFilterUUID = contentFilterUuid.flatMap(UUID.init)
        if let scenario {
            let resolved = try ScenarioResolver.resolve(ScenarioFile(path: scenario))
            profile.failClosed = resolved.filter.policy == .failClosed
            profile.fetchInterval = Int(resolved.device.prefilterFetchInterval / .seconds(1))
        }
        if failClosed { profile.failClosed = true }
        if let fetchInterval {
            guard let seconds = try? Quantity.seconds(fetchInterval), seconds >= 1, seconds < 1e9 else {
                throw ValidationError(
                    "--fetch-interval is '\(fetchInterval)'; write for example 45min or 24h")
            }
            profile.fetchInterval = Int(saturating: seconds.rounded())
        }
        return profile
    }
}
