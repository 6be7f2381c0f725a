import Foundation
import Testing
import URLFilter

struct ProfileDocumentTests {
    private static let profile = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>PayloadContent</key><array><dict>
        <key>FilterType</key><string>Plugin</string>
        <key>FilterURLs</key><true/>
        <key>PayloadIdentifier</key><string>com.example.school.filter</string>
        <key>PayloadType</key><string>com.apple.webcontent-filter</string>
        <key>PayloadUUID</key><string>16142B08-C239-4ECB-A6D8-29C71D606E3C</string>
        <key>PayloadVersion</key><integer>1</integer>
        <key>PluginBundleID</key><string>com.example.filter</string>
        <key>URLFilterParameters</key><dict>
        <key>PIRAuthenticationToken</key><string>$TOKEN</string>
        <key>PIRPrivacyPassIssuerURL</key><string>https://pir.example.com</string>
        <key>PIRServerURL</key><string>https://pir.example.com</string>
        <key>URLFilterControlProviderBundleIdentifier</key><string>com.example.filter.control</string>
        <key>URLFilterControlProviderDesignatedRequirement</key><string>identifier &quot;x&quot;</string>
        <key>URLFilterFailClosed</key><true/>
        <key>URLPrefilterFetchFrequency</key><integer>86400</integer>
        </dict>
        <key>UserDefinedName</key><string>URL filter</string>
        </dict></array>
        <key>PayloadIdentifier</key><string>com.example.school</string>
        <key>PayloadType</key><string>Configuration</string>
        <key>PayloadUUID</key><string>05639AC5-B1C9-4325-94C2-7EB99462E3F0</string>
        <key>PayloadVersion</key><integer>1</integer>
        </dict></plist>
        """
    private static let declaration = """
        {"Type":"com.apple.configuration.webcontent-filter.plugin","Identifier":"com.example.x","Payload":{
        "VisibleName":"x","PluginBundleID":"com.example.filter",
        "ContentFilterUUID":"16142B08-C239-4ECB-A6D8-29C71D606E3C",
        "Filter":{"URLs":{"Enabled":true,"Parameters":{"ProviderComposedIdentifier":"com.example.f {x}",
        "PIR":{"ServerURL":"https://pir.example.com","PrivacyPassIssuerURL":"https://pir.example.com",
        "AuthenticationTokenAssetReference":"a"},"FailClosed":true,"PrefilterFetchFrequency":86400}}}}}
        """

    private static func lint(_ text: String) throws -> [ProfileFinding] {
        try ProfileLinter.lint(Data(text.utf8), for: .init(isSupervised: true))
    }

    @Test func nothingIsWrongWithTheSeeds() throws {
        #expect(try Self.lint(Self.profile) == [] && Self.lint(Self.declaration) == [])
    }

    /// Each rule, by one change; the sentence names what is meant.
    @Test(
        arguments: [
            ("URLFilterFailClosed<", "URLFilterFailedClosed<", .unknownKey, "mean URLFilterFailClosed?"),
            ("URLFilterFailClosed<", "failClosed<", .unknownKey, "is no key of URLFilterParameters"),
            ("URLPrefilterFetchFrequency", "URLPreFilterFetchFrequencey", .unknownKey, "FetchFrequency?"),
            (
                "<integer>86400</integer>", "<real>86400</real>", .wrongType,
                "a number with a fraction; it must be a whole number"
            ),
            ("<integer>86400</integer>", "<string>86400</string>", .wrongType, "is text"),
            ("Closed</key><true/>", "Closed</key><string>true</string>", .wrongType, "must be true or false"),
            ("Closed</key><true/>", "Closed</key><integer>1</integer>", .wrongType, "is a whole number"),
            ("<string>$TOKEN</string>", "<data>c2VjcmV0</data>", .wrongType, "is data; it must be text"),
            (
                "05639AC5-B1C9-4325-94C2-7EB99462E3F0", "16142b08-c239-4ecb-a6d8-29c71d606e3c", .duplicate,
                "unique"
            ),
            ("com.example.school.filter", "com.example.school", .duplicate, "unique"),
            (
                "<key>URLFilterFailClosed</key><true/>",
                "<key>URLFilterFailClosed</key><true/>\n<key>URLFilterFailClosed</key><false/>", .duplicate,
                "again in line 19"
            ),
            (
                "<key>FilterURLs</key>", "<key>FilterGrade</key><string>x</string><key>FilterURLs</key>",
                .unknownValue, "write firewall or inspector"
            ),
            ("Version</key><integer>1<", "Version</key><integer>2<", .unknownValue, "is 2"),
        ] as [(String, String, ProfileFinding.Code, String)])
    func oneChangeIsOneFinding(old: String, new: String, code: ProfileFinding.Code, words: String) throws {
        let text = Self.profile.replacing(old, with: new, maxReplacements: 1)
        let findings = try Self.lint(text)
        #expect(findings.map(\.code) == [code], "\(findings)")
        #expect(findings.first?.message.contains(words) == true, "\(findings)")
    }

    @Test(
        arguments: [
            ("FailClosed", "FailedClosed", .unknownKey, "mean FailClosed?"),
            ("true,\"Prefilter", "1,\"Prefilter", .wrongType, "is a whole number"),
            (":86400", ":86400.5", .wrongType, "a number with a fraction"),
            (":86400", ":86400,\"PrefilterFetchFrequency\":2700", .duplicate, "again in line 6"),
            ("VisibleName", "Visiblename", .unknownKey, "mean VisibleName?"),
        ] as [(String, String, ProfileFinding.Code, String)])
    func theDeclarationIsJudgedAsWell(
        old: String, new: String, code: ProfileFinding.Code, words: String
    ) throws {
        let findings = try Self.lint(Self.declaration.replacing(old, with: new, maxReplacements: 1))
        #expect(findings.contains { $0.code == code && $0.message.contains(words) }, "\(findings)")
    }

    /// Apple's own writer of binary lists.
    @Test func aBinaryListIsTheSameAsText() throws {
        let list = try PropertyListSerialization.propertyList(from: Data(Self.profile.utf8), format: nil)
        var binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(try ProfileLinter.lint(binary, for: .init(isSupervised: true)) == [])
        #expect(ProfileLinter.fetchInterval(in: binary) == 86_400)
        let key = try #require(binary.firstRange(of: Data("URLFilterFailClosed".utf8)))
        binary.replaceSubrange(key, with: Data("URLFilterFailCloset".utf8))
        #expect(
            try ProfileLinter.lint(binary, for: .init(isSupervised: true)).map(\.path)
                == ["PayloadContent[0].URLFilterParameters.URLFilterFailCloset"])
        for end in 0..<binary.count { _ = try? ProfileLinter.lint(binary.prefix(end)) }
        for place in 0..<binary.count {
            var damaged = binary
            for byte: UInt8 in [0, 0xFF, 0xA1, 0xDF] {
                damaged[place] = byte
                _ = try? ProfileLinter.lint(damaged)
            }
        }
    }

    /// An array of 33 arrays, each twice the next one: 2^33 values in 300 bytes.
    @Test func referencesCannotMakeASmallListEndless() throws {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for number in 0..<33 {
            offsets.append(UInt8(bytes.count))
            bytes += number == 32 ? [0x09] : [0xA2, UInt8(number + 1), UInt8(number + 1)]
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [33, 0, table] { bytes += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init) }
        #expect(throws: PropertyFault.self) { try ProfileDocument(Data(bytes)) }
    }

    /// RFC 7468, sections 8 and 9: the same message as text between two lines.
    @Test(arguments: ["CMS", "PKCS7"]) func aSignatureAsTextIsReadToo(label: String) throws {
        func text(_ body: String, _ first: String = label, end: String = "-----END \(label)-----\n") -> Data {
            Data("-----BEGIN \(first)-----\n\(body)\n\(end)".utf8)
        }
        let message = """
            MIIBIwYJKoZIhvcNAQcCoIIBFDCCARACAQExDTALBglghkgBZQMEAgEwawYJKoZIhvcNAQcBoF4EXDxwbGlzdCB2ZXJzaW9uPSIx
            LjAiPjxkaWN0PjxrZXk+Q0ZCdW5kbGVJZGVudGlmaWVyPC9rZXk+PHN0cmluZz5hLmI8L3N0cmluZz48L2RpY3Q+PC9wbGlzdD4K
            MYGOMIGLAgEBMCQwDDEKMAgGA1UEAwwBdAIUXdx8aXEDKhKclIiLEb5f27j/bYkwCwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEcw
            RQIgRIoxPNKI+xX7cPPwx9vJvPA9FFnzZy9OvP6OiPZFL0kCIQD3q835Ce2qFKYq4YA39V+E/cRxkfqS+KY+deZLiftwaA==
            """
        let document = try ProfileDocument(text(message))
        #expect(document.isSigned)
        #expect(try ProfileLinter.lint(text(message)).map(\.code) == [.missingKey])
        for (data, words, line) in [
            (text(message, end: ""), "has no line '-----END \(label)-----': it is cut", 6),
            (text(message, "CERTIFICATE"), "a PEM text of 'CERTIFICATE', not of a signed profile", 1),
            (text("?"), "is not base64", 2),
        ] {
            let fault = #expect(throws: PropertyFault.self) { try ProfileDocument(data) }
            #expect(
                fault?.message.contains(words) == true && fault?.line == line, "\(String(describing: fault))")
        }
    }

    /// Written by `openssl cms -sign -nodetach -binary -nocerts -noattr`, whole and with `-stream`, and without the content.
    @Test func whatIsSignedIsRead() throws {
        let signer = "MDALBglghkgBZQMEAgEwCwYJKoZIhvcNAQcBMYGNMIGK"
        let whole = """
            MIIBIwYJKoZIhvcNAQcCoIIBFDCCARACAQExDTALBglghkgBZQMEAgEwawYJKoZIhvcNAQcBoF4EXDxwbGlzdCB2ZXJzaW9uPSIx
            LjAiPjxkaWN0PjxrZXk+Q0ZCdW5kbGVJZGVudGlmaWVyPC9rZXk+PHN0cmluZz5hLmI8L3N0cmluZz48L2RpY3Q+PC9wbGlzdD4K
            MYGOMIGLAgEBMCQwDDEKMAgGA1UEAwwBdAIUXdx8aXEDKhKclIiLEb5f27j/bYkwCwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEcw
            RQIgRIoxPNKI+xX7cPPwx9vJvPA9FFnzZy9OvP6OiPZFL0kCIQD3q835Ce2qFKYq4YA39V+E/cRxkfqS+KY+deZLiftwaA==
            """
        let streamed = """
            MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgARcPHBsaXN0IHZlcnNpb249IjEuMCI+
            PGRpY3Q+PGtleT5DRkJ1bmRsZUlkZW50aWZpZXI8L2tleT48c3RyaW5nPmEuYjwvc3RyaW5nPjwvZGljdD48L3BsaXN0PgoAAAAA
            AAAxgY4wgYsCAQEwJDAMMQowCAYDVQQDDAF0AhRd3HxpcQMqEpyUiIsRvl/buP9tiTALBglghkgBZQMEAgEwCgYIKoZIzj0EAwIE
            RzBFAiAWy6SFbite0TAuTEIvWHIZSU/6zflJZx0UJ/j57nvDNwIhAO0vkOhwm/3UGdDYeVHWzZ9J8nFtmaL7wTkK2o5oZ7CPAAAA
            AAAA
            """
        let apart = "MIHABgkqhkiG9w0BBwKggbIwga8CAQEx" + "D" + signer.dropFirst()
        for text in [whole, streamed] {
            let message = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
            let document = try ProfileDocument(message)
            #expect(document.isSigned)
            #expect(try ProfileLinter.lint(message).map(\.path) == ["NSPIRConfiguration"])
            for end in 0..<message.count {
                let cut = message.prefix(end)
                // Whoever signs may be cut: the profile stands before that.
                if end < 150 { #expect(throws: PropertyFault.self) { try ProfileDocument(cut) } }
                _ = try? ProfileDocument(cut)
            }
        }
        let message = try #require(Data(base64Encoded: apart + "AAAA", options: .ignoreUnknownCharacters))
        #expect(throws: PropertyFault.self) { try ProfileDocument(message) }
    }

    @Test(
        arguments: [
            ("<key>PIRServerURL</key><string>https", "line 15: the file ends inside <string> of line 15"),
            ("<key>URLFilterFailClosed</key><true/>\n", "line 19: the file ends inside <dict> of line 12"),
        ])
    func aCutFileNamesItsLine(last: String, words: String) throws {
        let end = try #require(Self.profile.firstRange(of: last)).upperBound
        let fault = #expect(throws: PropertyFault.self) { try Self.lint(String(Self.profile[..<end])) }
        #expect(fault?.description.hasPrefix(words) == true, "\(String(describing: fault))")
    }

    @Test(
        arguments: [
            ("<true/>", "yes", "line 6: text stands where a tag belongs"),
            ("<true/>", "<yes/>", "line 6: a property list has no element <yes>"),
            ("<integer>86400</integer>", "<integer>1d</integer>", "line 19: '1d' is no whole number"),
            ("&quot;", "&nbsp;", "line 17: '&' begins no character of XML"),
            ("</array>", "</dict>", "line 22: </dict> does not close <array> of line 4"),
            ("<key>FilterURLs</key>", "", "line 6: <true> in <dict> has no <key> before it"),
        ])
    func aFaultNamesItsLine(old: String, new: String, words: String) {
        let text = Self.profile.replacing(old, with: new, maxReplacements: 1)
        let fault = #expect(throws: PropertyFault.self) { try Self.lint(text) }
        #expect(fault?.description.hasPrefix(words) == true, "\(String(describing: fault))")
    }
}
