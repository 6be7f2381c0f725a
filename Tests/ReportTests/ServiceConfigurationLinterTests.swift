import Foundation
import ListAnalysis
import Report
import TestSupport
import Testing
import URLFilter

struct ServiceConfigurationLinterTests {
    private static let document = """
        {"users": [{"tier": "tier1", "tokens": ["c2VjcmV0"]}],
         "usecases": [{"name": "com.example.url.filtering", "fileStem": "url", "shardCount": 4}]}
        """

    @Test func aGoodOneHasNoFinding() {
        #expect(ServiceConfigurationLinter.lint(Data(Self.document.utf8)) == [])
    }

    /// Each rule, by one change of a configuration that has nothing wrong with it.
    @Test(
        arguments: [
            ("c2VjcmV0", "", .wrongType, "users.0.tokens.0"),
            ("c2VjcmV0", "BBBB", .sharedToken, "users.0.tokens.0"),
            ("c2VjcmV0", "no base64", .tokenNotBase64, "users.0.tokens.0"),
            (#"["c2VjcmV0"]"#, #"["c2VjcmV0", "c2VjcmV0"]"#, .duplicate, "users.0.tokens.1"),
            (#"["c2VjcmV0"]"#, "[]", .missingKey, "users"),
            ("tier1", "tier9", .unknownValue, "users.0.tier"),
            ("com.example.url.filtering", "com.example", .usecaseName, "usecases.0.name"),
            ("4}", "3}", .shardCount, "usecases.0.shardCount"),
            ("4}", "70000}", .unknownValue, "usecases.0.shardCount"),
            ("4}", #"4, "versionCount": 0}"#, .noFilter, "usecases.0.versionCount"),
            ("4}", #"4, "versionCount": 1}"#, .unknownValue, "usecases.0.versionCount"),
            ("4}", #"4, "shards": 4}"#, .ignoredKey, "usecases.0.shards"),
            (#""shardCount": 4"#, #""shardCount": 4, "shardCount": 4"#, .duplicate, "usecases[0].shardCount"),
            (#""fileStem": "url", "#, "", .missingKey, "usecases.0.fileStem"),
        ] as [(String, String, ProfileFinding.Code, String)])
    func oneChangeIsOneFinding(old: String, new: String, code: ProfileFinding.Code, path: String) throws {
        let text = Self.document.replacing(old, with: new, maxReplacements: 1)
        let findings = try #require(ServiceConfigurationLinter.lint(Data(text.utf8)))
        #expect(findings.map(\.code) == [code] && findings.map(\.path) == [path], "\(findings)")
        #expect(!findings.contains { $0.message.contains("c2VjcmV0") })
    }

    @Test func aConfigurationOfTheToolsIsReadToo() {
        let text = #"{"inputDatabase": "a.txtpb", "outputDatabase": "b"}"#
        #expect(ServiceConfigurationLinter.lint(Data(text.utf8))?.map(\.code) == [.missingKey])
        #expect(ServiceConfigurationLinter.lint(Data(#"{"Type": "x"}"#.utf8)) == nil)
    }

    /// Whatever is in a file, it is judged or refused.
    @Test func damagedDocumentsAreJudgedOrRefused() {
        var generator = SplitMix(seed: 5)
        let seed = Array(Self.document.utf8)
        for _ in 0..<500 {
            var bytes = seed
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                if Int.random(in: 0..<2, using: &generator) == 0 {
                    bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                } else {
                    bytes.replaceSubrange(place..<min(place + 5, bytes.count), with: seed.suffix(7))
                }
            }
            _ = ServiceConfigurationLinter.lint(Data(bytes))
            _ = try? ProfileLinter.lint(Data(bytes))
        }
    }
}
