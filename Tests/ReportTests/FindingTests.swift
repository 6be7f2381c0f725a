import Experiment
import Foundation
import ListAnalysis
import Report
import TestSupport
import Testing
import URLFilter
import Workload

/// For each finding of `lint` a document or list that has this one, and nothing else.
struct FindingTests {
    @Test(arguments: ProfileFinding.Code.allCases)
    func eachFindingAboutADocumentStandsAlone(_ code: ProfileFinding.Code) throws {
        #expect(try Self.findings(code).map(\.code) == [code])
    }

    @Test(arguments: LintFinding.Code.allCases)
    func eachFindingAboutAListStandsAlone(_ code: LintFinding.Code) throws {
        let located = try LocatedBlockList(
            bytes: Array(Self.list(code).utf8), name: "list", keys: .asWritten)
        var findings: [LintFinding.Code] = []
        _ = ListLinter(located, generations: [.iOS26, .documented]).lint { findings.append($0.code) }
        #expect(findings == [code])
    }

    /// The compiler asks for the list of a new finding.
    private static func list(_ code: LintFinding.Code) -> String {
        switch code {
        case .dropped: "a.example\nb\0.example\n"
        case .duplicate: "a.example\na.example\n"
        case .doubtful: "intranet\n"
        case .neverMatches: "a.example/b c\nb.example\n"
        case .neverMatchesSome: "www.a.example\n"
        case .needed: "apple.com\n"
        case .publicSuffix: "github.io\n"
        case .redundant: "a.example\nsub.a.example/x\n"
        }
    }

    /// And for the document of one.
    private static func findings(_ code: ProfileFinding.Code) throws -> [ProfileFinding] {
        switch code {
        case .missingKey: try service(#""fileStem": "url", "#, "")
        case .wrongType: try service("c2VjcmV0", "")
        case .unknownValue: try service("tier1", "tier9")
        case .tokenNotBase64: try service("c2VjcmV0", "no base64")
        case .sharedToken: try service("c2VjcmV0", "BBBB")
        case .ignoredKey: try service(": 4}", #": 4, "colour": 4}"#)
        case .noFilter: try service(": 4}", #": 4, "versionCount": 0}"#)
        case .usecaseName: try service("com.example.url.filtering", "com.example")
        case .shardCount: try service(": 4}", ": 3}")
        case .duplicate: try service(#"["c2VjcmV0"]"#, #"["c2VjcmV0", "c2VjcmV0"]"#)
        case .fetchIntervalTooShort: try profile("<integer>86400<", "<integer>2699<")
        case .urlNotHostOnly: try profile("https://pir.example.com<", "https://pir.example.com/<")
        case .unknownKey: try profile("URLFilterFailClosed", "URLFilterFailedClosed")
        case .notSupervised: try profile("", "") { $0.contentFilterUUID = nil }
        case .noDesignatedRequirement: try profile("", "") { $0.designatedRequirement = nil }
        case .differsFromApp:
            try profile(
                "", "", audience: .init(app: PIRAddresses(server: "https://other.example", issuer: nil)))
        case .unsupportedPlatform: try profile("", "", audience: .init(platform: .visionOS))
        case .blocksHosts:
            try profile(
                "<key>PayloadContent</key>\n\t<array>",
                "<key>PayloadContent</key>\n\t<array><dict><key>PayloadType</key>"
                    + "<string>com.apple.proxy.http.global</string></dict>")
        }
    }

    /// A service configuration with nothing wrong, but for one change.
    private static func service(_ old: String, _ new: String) throws -> [ProfileFinding] {
        let text = """
            {"users": [{"tier": "tier1", "tokens": ["c2VjcmV0"]}],
             "usecases": [{"name": "com.example.url.filtering", "fileStem": "url", "shardCount": 4}]}
            """
        return try #require(
            ServiceConfigurationLinter.lint(Data(text.replacing(old, with: new, maxReplacements: 1).utf8)))
    }

    /// And a profile.
    private static func profile(
        _ old: String, _ new: String, audience: ProfileLinter.Audience = .init(),
        _ change: (inout FilterProfile) -> Void = { _ in }
    ) throws -> [ProfileFinding] {
        var profile = FilterProfile(
            name: "School filter", identifier: "com.example.school",
            appBundleIdentifier: "com.example.filter",
            controlProviderBundleIdentifier: "com.example.filter.control",
            serverURL: "https://pir.example.com", issuerURL: "https://issuer.example.com",
            authenticationToken: "$TOKEN")
        profile.designatedRequirement = "identifier x"
        profile.contentFilterUUID = UUID()
        change(&profile)
        var text = String(
            decoding: try profile.propertyList(profile: UUID(), payload: UUID()), as: UTF8.self)
        if !old.isEmpty { text = text.replacing(old, with: new, maxReplacements: 1) }
        return try ProfileLinter.lint(Data(text.utf8), for: audience)
    }

    /// What a misspelt key should have set is not set, so it is an error, with the key that is meant.
    @Test(
        arguments: [
            (
                "fileStem\": \"url\"", "fileStem\": \"url\", \"versioncount\": 2", "usecases.0.versioncount",
                "did you mean versionCount?"
            ),
            (
                "\"users\"", "\"issuerRequestURL\": \"x\", \"users\"", "issuerRequestURL",
                "did you mean issuerRequestUri?"
            ),
        ])
    func theNearestKeyIsNamed(old: String, new: String, path: String, words: String) throws {
        let findings = try Self.service(old, new)
        let finding = try #require(findings.first { $0.path == path }, "\(findings)")
        #expect(finding.severity == .error && finding.message.hasSuffix(words))
    }

    /// iOS 27 looks up in lower case, iOS 26 as it is written: two entries that differ in that serve both.
    @Test func twinsThatDifferInCaseServeBothSystems() throws {
        func lint(_ text: String) throws -> [LintFinding] {
            let located = try LocatedBlockList(bytes: Array(text.utf8), name: "list", keys: .normalized)
            var findings: [LintFinding] = []
            _ = ListLinter(located, generations: [.iOS26, .documented]).lint { findings.append($0) }
            return findings.filter { $0.code == .neverMatchesSome }
        }
        let alone = try lint("a.example/Ads\n")
        #expect(alone.count == 1 && alone[0].message.hasSuffix("add its lower-case twin 'a.example/ads'"))
        #expect(try lint("a.example/Ads\na.example/ads\n").isEmpty)
    }

    /// The lines of a folder's files are named with their file.
    @Test func aFolderIsLinted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("a.example\nb..example\n", to: "domains")
        try folder.write("# urls\na.example/x\na.example\n", to: "urls")
        let located = try LocatedBlockList(path: folder.path)
        var lines: [String] = []
        _ = ListLinter(located, generations: [.documented]).lint {
            lines.append(
                LintText.line($0, file: located.report.source).replacing(folder.path + "/", with: ""))
        }
        #expect(
            lines == [
                "domains:2: error: 'b..example': dropped: the host is no host name and no address\n",
                "urls:2: warning: 'a.example/x': redundant: 'a.example' matches every URL that this entry matches "
                    + "(line 1 of domains)\n",
                "urls:3: warning: 'a.example': the same entry is in line 1 of domains; remove one\n",
            ])
    }
}
