import Foundation
import Scenarios
import TestSupport
import Testing
import Workbench
import Yams

/// A form and a text that say the same.
@Suite struct ScenarioFormTests {
    private static let text = """
        # A comment that stays.
        name: small
        blocklist: { file: list.txt }   # the list
        devices:
          - { name: homes, count: 10, browsing: { profile: adult } }
          - name: 'old homes'
            count: 20     # not many
            browsing: { profile: adult }
        services:
          pir: { instances: 1, cores: 2 }
          gateway:
            cores: 4

        """
    private let folder: TemporaryFolder
    private let client: PageClient

    init() async throws {
        folder = try TemporaryFolder()
        client = try await PageClient.opened(folder.path)
    }

    private func set(
        _ setting: String, _ value: String, isText: Bool = false, in text: String = Self.text
    ) async throws -> (text: String, lostComments: Bool) {
        let answer = await client.ask(
            "scenario/set",
            ["path": "x.yaml", "text": text, "setting": setting, "value": value, "isText": isText])
        #expect(answer.status == 200, "\(answer.text)")
        let document = try client.document(answer)
        return (document["text"] as? String ?? "", document["lostComments"] as? Bool ?? true)
    }

    @Test(arguments: [
        ("devices[homes].count", "11", "count: 10,", "count: 11,"),
        ("devices[old homes].count", "2M", "count: 20     # not many", "count: 2M     # not many"),
        ("services.pir.cores", "8", "cores: 2 }", "cores: 8 }"),
        ("services.gateway.cores", "8", "cores: 4", "cores: 8"),
        ("services.gateway.cores", "", "    cores: 4\n", "    cores: null\n"),
        ("services.pir.instances", "", "{ instances: 1, cores: 2 }", "{ cores: 2 }"),
        ("services.pir.shards", "4", "{ instances", "{ shards: 4, instances"),
        ("services.gateway.instances", "3", "    cores: 4\n", "    cores: 4\n    instances: 3\n"),
        ("seed", "7", "    cores: 4\n", "    cores: 4\nseed: 7\n"),
        (
            "filter.shouldFailClosed", "true", "    cores: 4\n",
            "    cores: 4\nfilter: { shouldFailClosed: true }\n"
        ),
    ])
    func aChangeTouchesOneLine(_ setting: String, _ value: String, _ old: String, _ new: String) async throws
    {
        let changed = try await set(setting, value)
        #expect(changed.text == Self.text.replacing(old, with: new))
        #expect(!changed.lostComments)
    }

    @Test func aTextIsATextWhateverItMayMean() async throws {
        for name in ["<script>alert(1)</script>", "a: b # c", "{", "\"", "yes", "null", "x\ny: 1", "ü, 雪"] {
            let changed = try await set("name", name, isText: true)
            let file = try ScenarioFile(text: Data(changed.text.utf8), path: "x.yaml", folder: "/")
            #expect(file.root.mapping?["name"]?.scalar?.string == name)
        }
    }

    /// A tree without marks, order of keys, and keys without a value.
    private static func form(_ node: Node) -> String {
        if let mapping = node.mapping {
            let pairs = mapping.filter { $0.value.null == nil }.map { (form($0.key), form($0.value)) }
            return "\(pairs.filter { $0.1 != "{}" }.map { "\($0.0): \($0.1)" }.sorted())".replacing(
                "[]", with: "{}")
        }
        if let sequence = node.sequence { return "- " + sequence.map(form).joined(separator: "\n- ") }
        return node.scalar?.string ?? ""
    }

    /// The independent truth is what the command line makes of the same change.
    @Test func everyShippedScenarioChangesAsTheCommandLineDoes() async throws {
        let scenarios = SourceTree.root.appendingPathComponent("Scenarios").standardizedFileURL
        let changes = [
            ("seed", "7"), ("filter.falsePositiveTolerance", "1/500"), ("services.pir.cores", "3"),
            ("services.relay.oneWayDelay", "{ lognormal: { median: 10ms, p95: 20ms } }"),
            ("replications.min", ""),
            ("blocklist.file", "other.txt"),
        ]
        for name in try FileManager.default.contentsOfDirectory(atPath: scenarios.path).sorted()
        where name.hasSuffix(".yaml") {
            let text = try String(contentsOf: scenarios.appendingPathComponent(name), encoding: .utf8)
            let file = try ScenarioFile(text: Data(text.utf8), path: "x.yaml", folder: "/")
            for (setting, value) in changes {
                guard let wanted = try? file.setting("\(setting)=\(value)") else { continue }
                let changed = try await set(setting, value, in: text)
                let read = try ScenarioFile(text: Data(changed.text.utf8), path: "x.yaml", folder: "/")
                #expect(Self.form(read.root) == Self.form(wanted.root), "\(name) \(setting)")
                #expect(!changed.lostComments, "\(name) \(setting)")
            }
        }
    }

    @Test func anErrorNamesItsLine() async throws {
        let answer = await client.ask(
            "scenario/resolve", ["path": "x.yaml", "text": Self.text.replacing("cores: 4", with: "core: 4")])
        let problem = try #require(try client.document(answer)["problem"] as? [String: Any])
        #expect(problem["line"] as? Int == 12)
        #expect((problem["sentence"] as? String)?.contains("did you mean 'cores'?") == true)
        #expect((problem["sentence"] as? String)?.contains(folder.path) == false)
    }

    @Test func theFormHasEverySettingAndMarksWhatIsAssumed() async throws {
        let fields = try #require(
            try client.document(await client.ask("form"))["fields"] as? [[String: Any]])
        #expect(fields.count == Schema.entries.count)
        for field in fields {
            let isAssumed = (field["source"] as? String)?.contains("assumption") ?? false
            #expect(field["isAssumed"] as? Bool == isAssumed)
            #expect((field["words"] as? String)?.isEmpty == false)
        }
        let resolved = try client.document(
            await client.ask("scenario/resolve", ["path": "x.yaml", "text": Self.text]))
        let places = try #require(resolved["places"] as? [[String: String]])
        #expect(places.contains(["path": "devices[old homes]", "pattern": "devices[]"]))
        #expect(resolved["devices"] as? Int == 30)
    }
}
