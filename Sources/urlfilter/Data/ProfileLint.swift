import ArgumentParser
import CommandSupport
import Foundation
import PrivateInformationRetrieval
import Report
import URLFilter
import Workload

/// `urlfilter lint` of a configuration profile, a declaration, an Info.plist or a service configuration.
enum ProfileLint {
    enum Supervision: String, EnumerableFlag {
        case supervised, unsupervised
    }

    static func isProfile(_ path: String) -> Bool {
        [".mobileconfig", ".json", ".plist"].contains { path.lowercased().hasSuffix($0) }
    }

    /// Who gets a profile, as the options say.
    struct Options: ParsableArguments {
        @Flag(help: ArgumentHelp("Of a profile: the devices that get it are supervised, or are not."))
        var supervision: Supervision?

        @Option(
            help: ArgumentHelp(
                "Of a profile: \(ProfileLinter.Platform.allCases.map(\.rawValue).joined(separator: ", ")).",
                valueName: "system"))
        var platform: ProfileLinter.Platform?

        @Option(
            help: ArgumentHelp(
                "Of a profile: Info.plist of the app, whose NSPIRConfiguration it must not contradict.",
                valueName: "file"))
        var infoPlist: String?

        func audience() throws -> ProfileLinter.Audience {
            let app = try infoPlist.map { path in
                guard let app = PIRAddresses(infoPropertyList: try ProfileLint.read(path)) else {
                    throw UnusableInput(
                        path, "it is no XML property list with NSPIRConfiguration.PIRServerURL")
                }
                return app
            }
            return ProfileLinter.Audience(
                isSupervised: supervision.map { $0 == .supervised }, platform: platform, app: app)
        }
    }

    private static func read(_ path: String) throws -> Data {
        let limit = ProfileLinter.maximumByteCount
        let document = try InputBytes.read(path, limit: limit)
        guard document.count <= limit else { throw InputError.tooLarge(name: path, limit: limit) }
        return document
    }

    static func run(_ path: String, _ options: Options, json: Bool) throws {
        let document = try read(path)
        let findings =
            try ServiceConfigurationLinter.lint(document)
            ?? ProfileLinter.lint(document, for: options.audience())
        guard let findings else {
            throw UnusableInput(
                path,
                "it is neither an XML property list nor a JSON object; write a binary one as XML, and take off a signature, "
                    + "before it is checked")
        }
        let result = ProfileLintResult(file: path, findings: findings)
        try Terminal.print(json ? JSONText.render(result) : ProfileText.render(findings, file: path))
        if result.errors > 0 { throw ExitStatus.invalidInput.code }
    }
}

extension ProfileLinter.Platform: ExpressibleByArgument {}
