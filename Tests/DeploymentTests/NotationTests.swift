import Deployment
import Foundation
import Testing
import Yams

/// Texts that would be something else without care.
struct NotationTests {
    static let hostile = [
        "no", "8080", "1e3", "~", "", "a: b", "# c", "- d", "line\nbreak", "tab\t", "quote \" and '",
        "back\\slash",
        "${var.x}", "%{if true}", "{{ $labels.region }}", "*/ alert(1) //", "é 漢", ".inf", "0x1F", "---",
        "\u{2028}",
    ]

    @Test(arguments: hostile) func yamlReadsBackWhatWasWritten(_ text: String) throws {
        let value: ManifestValue = ["key": .text(text), "list": [.text(text)]]
        let yaml = try ManifestYAML.render([ManifestDocument(value, comment: [text])])
        let read = try #require(try Yams.load(yaml: yaml) as? [String: Any])
        #expect(read["key"] as? String == text)
        #expect(read["list"] as? [String] == [text])
    }

    @Test func hclOpensNoTemplate() {
        let text = ManifestHCL.render([.init("a", "${x} %{y} \"\\\n")], comment: ["one\ntwo"])
        #expect(text == "# one two\n\na = \"$${x} %%{y} \\\"\\\\\\n\"\n")
    }

    @Test func namesAreLabelsOfTheirOwn() {
        var taken: Set<KubernetesName> = []
        let names = [
            "Europe", "EUROPE", "São Paulo", "", "--", "漢字", "us/east_1", String(repeating: "x", count: 90),
        ]
        for name in names {
            let label = KubernetesName(name, taken: taken)
            // RFC 1123, section 2.1, and RFC 952 for letters, digits and hyphens.
            #expect(label.text.wholeMatch(of: /[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/) != nil, "\(name)")
            #expect(taken.insert(label).inserted)
        }
        #expect(KubernetesName("São Paulo").text == "sao-paulo")
    }

    @Test func hostileNamesBreakNoFile() throws {
        let plan = try PlanFixture.plan(
            scenario: "x\n- y: ${z} \" */ {{", regions: ["a\nkind: Secret", "b \" ${c}"])
        for format in ExportFormat.allCases {
            let files = try plan.export(as: format, ExportOptions())
            for file in files where file.name.hasSuffix(".yaml") {
                let documents = try Array(Yams.load_all(yaml: file.text))
                #expect(!documents.isEmpty && documents.allSatisfy { $0 is [String: Any] }, "\(file.name)")
            }
            for file in files where file.name.hasSuffix(".json") {
                _ = try JSONSerialization.jsonObject(with: Data(file.text.utf8))
            }
            #expect(files.allSatisfy { $0.name.wholeMatch(of: /[a-z0-9.-]+/) != nil })
            #expect(files.allSatisfy { !$0.text.contains("\nkind: Secret") })
        }
    }
}
