import Foundation
import Testing
import URLFilter

struct FilterProfileTests {
    private static var profile: FilterProfile {
        var profile = FilterProfile(
            name: "School filter", identifier: "com.example.school",
            appBundleIdentifier: "com.example.filter",
            controlProviderBundleIdentifier: "com.example.filter.control",
            serverURL: "https://pir.example.com",
            issuerURL: "https://issuer.example.com", authenticationToken: "$TOKEN")
        profile.designatedRequirement = "identifier x"
        profile.contentFilterUUID = UUID(uuidString: "00000000-0000-0000-0000-000000000003")
        return profile
    }

    private static func document() throws -> Data {
        try profile.propertyList(
            profile: #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001")),
            payload: #require(UUID(uuidString: "00000000-0000-0000-0000-000000000002")))
    }

    /// Keys and types as in apple/device-management, mdm/profiles/com.apple.webcontent-filter.yaml.
    @Test func theProfileHasTheKeysAndTypesThatApplePublishes() throws {
        let text = String(decoding: try Self.document(), as: UTF8.self)
        for line in [
            "<key>PayloadType</key>\n\t<string>Configuration</string>",
            "<key>PayloadType</key>\n\t\t\t<string>com.apple.webcontent-filter</string>",
            "<key>FilterType</key>\n\t\t\t<string>Plugin</string>", "<key>FilterURLs</key>\n\t\t\t<true/>",
            "<key>PluginBundleID</key>\n\t\t\t<string>com.example.filter</string>",
            "<key>PIRServerURL</key>\n\t\t\t\t<string>https://pir.example.com</string>",
            "<key>PIRPrivacyPassIssuerURL</key>\n\t\t\t\t<string>https://issuer.example.com</string>",
            "<key>PIRAuthenticationToken</key>\n\t\t\t\t<string>$TOKEN</string>",
            "<key>URLFilterFailClosed</key>\n\t\t\t\t<false/>",
            "<key>URLPrefilterFetchFrequency</key>\n\t\t\t\t<integer>86400</integer>",
            "<key>ContentFilterUUID</key>\n\t\t\t<string>00000000-0000-0000-0000-000000000003</string>",
        ] { #expect(text.contains(line), "\(line) in \(text)") }
        #expect(try ProfileLinter.lint(Self.document()).isEmpty)
    }

    @Test func theDeclarationHasItsOwnKeys() throws {
        let data = try Self.profile.declaration(tokenAsset: "com.example.token")
        let root = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(root["Type"] as? String == "com.apple.configuration.webcontent-filter.plugin")
        let payload = try #require(root["Payload"] as? [String: Any])
        let urls = try #require((payload["Filter"] as? [String: Any])?["URLs"] as? [String: Any])
        let parameters = try #require(urls["Parameters"] as? [String: Any])
        #expect(
            parameters["ProviderComposedIdentifier"] as? String == "com.example.filter.control {identifier x}"
        )
        #expect((parameters["PIR"] as? [String: Any])?["ServerURL"] as? String == "https://pir.example.com")
        #expect(try ProfileLinter.lint(data).isEmpty)
    }

    @Test func theFetchIntervalIsReadFromEitherForm() throws {
        var profile = Self.profile
        profile.fetchInterval = 3_600
        let declaration = try profile.declaration(tokenAsset: "com.example.token")
        #expect(ProfileLinter.fetchInterval(in: declaration) == 3_600)
        let document = try Self.document()
        #expect(ProfileLinter.fetchInterval(in: document) == 86_400)
        let text = String(decoding: document, as: UTF8.self)
        let silent = text.replacing("<key>URLPrefilterFetchFrequency</key>", with: "<key>x</key>")
        #expect(ProfileLinter.fetchInterval(in: Data(silent.utf8)) == 86_400)
        #expect(ProfileLinter.fetchInterval(in: Data("{}".utf8)) == nil)
    }

    /// Each rule, by one change of a profile that has nothing wrong with it.
    @Test(
        arguments: [
            ("<string>Plugin</string>", "<string>BuiltIn</string>", .missingKey, "FilterType"),
            ("<string>Plugin</string>", "<string>Other</string>", .unknownValue, "FilterType"),
            ("<key>UserDefinedName</key>", "<key>Nothing</key>", .missingKey, "UserDefinedName"),
            ("<key>PluginBundleID</key>", "<key>Nothing</key>", .missingKey, "PluginBundleID"),
            ("<key>URLFilterParameters</key>", "<key>Nothing</key>", .missingKey, "URLFilterParameters"),
            ("<key>PIRServerURL</key>", "<key>Nothing</key>", .missingKey, "PIRServerURL"),
            ("<string>$TOKEN</string>", "<integer>1</integer>", .wrongType, "PIRAuthenticationToken"),
            (
                "<string>$TOKEN</string>", "<string>not base64</string>", .tokenNotBase64,
                "PIRAuthenticationToken"
            ),
            ("<string>$TOKEN</string>", "<string>c2VjcmV0</string>", .sharedToken, "PIRAuthenticationToken"),
            ("<integer>86400</integer>", "<integer>2699</integer>", .fetchIntervalTooShort, "FetchFrequency"),
            ("<integer>86400</integer>", "<string>1d</string>", .wrongType, "FetchFrequency"),
            ("https://pir.example.com<", "https://pir.example.com/<", .urlNotHostOnly, "PIRServerURL"),
            ("https://pir.example.com<", "https://pir.example.com:444<", .urlNotHostOnly, "PIRServerURL"),
            ("https://issuer.example.com", "http://issuer.example.com", .urlNotHostOnly, "IssuerURL"),
            ("<key>ContentFilterUUID</key>", "<key>Nothing</key>", .notSupervised, "ContentFilterUUID"),
            (
                "<key>URLFilterControlProviderDesignatedRequirement</key>", "<key>Nothing</key>",
                .noDesignatedRequirement, "DesignatedRequirement"
            ),
            ("<key>URLFilterFailClosed</key>", "<key>reportEndpoint</key>", .ignoredKey, "reportEndpoint"),
            ("<key>FilterURLs</key>", "<key>Nothing</key>", .noFilter, "PayloadContent"),
            ("<true/>", "<integer>1</integer>", .wrongType, "FilterURLs"),
            (
                "<key>FilterURLs</key>",
                "<key>DenyListURLs</key><array><string>icloud.com</string></array><key>FilterURLs</key>",
                .blocksHosts, "DenyListURLs"
            ),
        ] as [(String, String, ProfileFinding.Code, String)])
    func oneChangeIsOneFinding(old: String, new: String, code: ProfileFinding.Code, path: String) throws {
        let text = String(decoding: try Self.document(), as: UTF8.self).replacing(
            old, with: new, maxReplacements: 1)
        let findings = try ProfileLinter.lint(Data(text.utf8))
        #expect(
            findings.contains {
                $0.code == code && $0.path.hasSuffix(path) || $0.code == code && $0.path.contains(path)
            }, "\(findings)")
    }

    @Test func supervisionDecidesHowBadAMissingIdentifierIs() throws {
        let text = String(decoding: try Self.document(), as: UTF8.self)
            .replacing("<key>ContentFilterUUID</key>", with: "<key>Nothing</key>")
        func severity(_ isSupervised: Bool?) -> ProfileFinding.Severity? {
            (try? ProfileLinter.lint(Data(text.utf8), for: .init(isSupervised: isSupervised)))?
                .first { $0.code == .notSupervised }?.severity
        }
        #expect(severity(true) == nil && severity(nil) == .warning && severity(false) == .error)
    }

    @Test func theProfileHasToAgreeWithTheApp() throws {
        func findings(_ server: String, _ issuer: String?) throws -> [ProfileFinding.Code] {
            try ProfileLinter.lint(
                Self.document(), for: .init(app: PIRAddresses(server: server, issuer: issuer))
            ).map(\.code)
        }
        #expect(try findings("https://pir.example.com", "https://issuer.example.com").isEmpty)
        #expect(try findings("https://pir.example.com", nil) == [.differsFromApp])
        #expect(try findings("https://pir.example.org", "https://issuer.example.com") == [.differsFromApp])
    }

    @Test func theSystemDecidesWhatIsMissing() throws {
        let text = String(decoding: try Self.document(), as: UTF8.self)
            .replacing(
                "<key>URLFilterControlProviderDesignatedRequirement</key>\n\t\t\t\t<string>identifier x</string>",
                with: "")
        func severities(_ platform: ProfileLinter.Platform) -> [ProfileFinding.Severity]? {
            try? ProfileLinter.lint(Data(text.utf8), for: .init(platform: platform)).map(\.severity)
        }
        #expect(severities(.macOS) == [.error] && severities(.iOS) == [.warning])
        #expect(severities(.visionOS) == [.error, .warning])
    }

    @Test(
        arguments: [
            ("com.apple.relay.managed", "<key>Relays</key><array/>", 1),
            (
                "com.apple.relay.managed", "<key>MatchDomains</key><array><string>a.example</string></array>",
                0
            ),
            (
                "com.apple.relay.managed",
                "<key>MatchDomains</key><array><string>icloud.com</string></array>", 6
            ),
            ("com.apple.proxy.http.global", "", 1),
        ])
    func payloadsThatCaptureApplesHostsAreNamed(type: String, keys: String, count: Int) throws {
        let text = String(decoding: try Self.document(), as: UTF8.self).replacing(
            "<key>PayloadContent</key>\n\t<array>",
            with:
                "<key>PayloadContent</key>\n\t<array><dict><key>PayloadType</key><string>\(type)</string>\(keys)</dict>"
        )
        let findings = try ProfileLinter.lint(Data(text.utf8))
        #expect(findings.map(\.code) == Array(repeating: .blocksHosts, count: count), "\(findings)")
    }

    @Test func theAppNamesTheServices() throws {
        func lint(_ keys: String) -> [ProfileFinding.Code]? {
            let list =
                "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a.b</string>\(keys)</dict></plist>"
            return try? ProfileLinter.lint(Data(list.utf8)).map(\.code)
        }
        func configuration(_ values: String) -> String {
            "<key>NSPIRConfiguration</key><dict>\(values)</dict>"
        }
        let server = "<key>PIRServerURL</key><string>https://pir.example.com</string>"
        #expect(lint(configuration(server)) == [])
        #expect(lint("") == [.missingKey])
        #expect(lint(configuration("")) == [.missingKey])
        #expect(lint(configuration(server.replacing(".com", with: ".com/v1"))) == [.urlNotHostOnly])
        #expect(
            lint(configuration(server + "<key>PrivacyPassIssuerURL</key><string>http://a.example</string>"))
                == [.urlNotHostOnly])
        #expect(lint(configuration(server) + "<key>NSExtension</key><dict/>") == [.ignoredKey])
        let list = "<plist version=\"1.0\"><dict>\(configuration(server))</dict></plist>"
        let addresses = try #require(PIRAddresses(infoPropertyList: Data(list.utf8)))
        #expect(addresses == PIRAddresses(server: "https://pir.example.com", issuer: nil))
        #expect(
            PIRAddresses(profile: try Self.document())
                == PIRAddresses(server: "https://pir.example.com", issuer: "https://issuer.example.com"))
    }

    /// Also of any beginning, and of what would cost Foundation's parser its stack or its time.
    @Test func whatIsNoProfileIsSaid() throws {
        let whole = try Self.document()
        for text in [
            "bplist00", "", String(repeating: "<array>", count: 100_000),
            "<plist>" + String(repeating: "<array>", count: 100_000),
            String(repeating: "{\"a\":", count: 100_000),
        ] { #expect(throws: PropertyFault.self) { try ProfileLinter.lint(Data(text.utf8)) } }
        for end in stride(from: 0, to: whole.count, by: 7) { _ = try? ProfileLinter.lint(whole.prefix(end)) }
    }
}
