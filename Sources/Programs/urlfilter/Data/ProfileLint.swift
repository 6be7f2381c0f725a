import ArgumentParser
import CommandSupport
import Decoding
import Foundation
import ListAnalysis
import PrivateInformationRetrieval
import Report
import URLFilter
import Workload

/// `urlfilter lint` of a configuration profile, a declaration, an Info.plist or a service configuration.
enum ProfileLint {
    enum Supervision: String, EnumerableFlag {
        case supervised, unsupervised
    }

    /// A feed of indicators is JSON as well, and a list.
    static func isProfile(_ path: String) -> Bool {
        let name = path.lowercased()
        return name.hasSuffix(".mobileconfig") || name.hasSuffix(".plist")
            || name.hasSuffix(".json") && !BlockListReader.isFeed(path)
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

        @Option(
            help: ArgumentHelp(
                "Of a profile: prefilter that the devices fetch, to add up what they download.",
                valueName: "file"))
        var prefilter: String?

        @Option(help: ArgumentHelp("Of --prefilter: devices that get the profile.", valueName: "n"))
        var devices: Int?

        func validate() throws {
            try NumberOption.require(devices, "--devices", in: 1...10_000_000)
            if devices != nil, prefilter == nil {
                throw ValidationError("--devices is of --prefilter, which is missing")
            }
        }

        /// - Parameter document: The profile.
        func download(_ document: Data) throws -> PrefilterDownload? {
            guard let prefilter else { return nil }
            guard let interval = ProfileLinter.fetchInterval(in: document) else {
                throw ValidationError("--prefilter is of a profile or declaration that turns a URL filter on")
            }
            let bytes = try PrefilterFile.read(input: prefilter).filter.bytes.count
            return PrefilterDownload(bytes: bytes, interval: interval, devices: devices ?? 1)
        }

        func audience() throws -> ProfileLinter.Audience {
            let app = try infoPlist.map { path in
                guard let app = PIRAddresses(infoPropertyList: try ProfileLint.read(path)) else {
                    throw UnusableInput(
                        path, "it is no property list with NSPIRConfiguration.PIRServerURL")
                }
                return app
            }
            return ProfileLinter.Audience(
                isSupervised: supervision.map { $0 == .supervised }, platform: platform, app: app)
        }
    }

    private static func read(_ path: String) throws -> Data {
        let limit = ProfileDocument.maximumByteCount
        let document = try InputBytes.read(path, limit: limit)
        guard document.count <= limit else { throw InputError.tooLarge(name: path, limit: limit) }
        return document
    }

    static func run(_ path: String, _ options: Options, json: Bool) throws {
        let document = try read(path)
        let audience = try options.audience()
        let findings: [ProfileFinding]
        do {
            findings =
                try ServiceConfigurationLinter.lint(document) ?? ProfileLinter.lint(document, for: audience)
        } catch {
            throw UnusableInput(path, "\(error)")
        }
        let result = ProfileLintResult(
            file: path, findings: findings, download: try options.download(document))
        try Terminal.print(json ? JSONText.render(result) : ProfileText.render(result))
        if result.errors > 0 { throw ExitStatus.invalidInput.code }
    }
}

extension ProfileLinter.Platform: ExpressibleByArgument {}
