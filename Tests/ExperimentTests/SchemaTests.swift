import Experiment
import Foundation
import Scenarios
import TestSupport
import Testing

/// Settings are declared once, and everything that speaks of them is made from that.
@Suite struct SchemaTests {
    private static let minimal = """
        blocklist: { file: list.txt }
        duration: 1h
        devices: [{ name: homes, count: 10 }]
        """

    private static func file(_ assignments: [String] = []) throws -> ScenarioFile {
        var file = try ScenarioFile(text: Data(minimal.utf8), path: "s.yaml", folder: ".")
        for assignment in assignments { file = try file.setting(assignment) }
        return file
    }

    /// Without the parameters of a law or a curve, and without the numbers of a list.
    private static func isDeclared(_ path: String) -> Bool {
        var path = path[...]
        while true {
            if Schema.entry(of: String(path)) != nil { return true }
            if path.last == "]", let bracket = path.lastIndex(of: "[") {
                path = path[..<bracket]
            } else if let point = path.lastIndex(of: ".") {
                path = path[..<point]
            } else {
                return false
            }
        }
    }

    @Test("what a run reads is declared", arguments: Shipped.names)
    func readings(name: String) throws {
        for setting in try ScenarioResolver.resolve(ScenarioFile(path: Shipped.path(name))).settings {
            #expect(Self.isDeclared(setting.path), "\(setting.path)")
        }
    }

    @Test(arguments: ArchitectureChoice.allCases)
    func everyMechanismReadsWhatIsDeclared(_ choice: ArchitectureChoice) throws {
        let scenario = try ScenarioResolver.resolve(Self.file(["architecture=\(choice.rawValue)"]))
        for setting in scenario.settings { #expect(Self.isDeclared(setting.path), "\(setting.path)") }
        // A path that is read twice would stand twice in the resolved scenario, which is no YAML then.
        let paths = scenario.settings.map(\.path)
        #expect(Set(paths).count == paths.count, "\(paths.filter { path in paths.count { $0 == path } > 1 })")
    }

    /// The reader may refuse a value, or miss another one beside it, but it knows the key.
    @Test func whatIsDeclaredIsRead() throws {
        for entry in Schema.entries {
            // A list of groups has one element, which has the setting and no more.
            let steps = entry.path.split(separator: ".").map(String.init)
            var text = Self.example(entry.setting.kind)
            for (index, step) in steps.enumerated().reversed() {
                guard index > 0 || step != "devices[]" else { break }
                text =
                    step.hasSuffix("[]")
                    ? "{ \(step.dropLast(2)): [\(text)] }" : "{ \(step): \(text) }"
            }
            var file: ScenarioFile
            if steps[0] == "devices[]" {
                // The minimal scenario has both.
                if steps.count == 2, ["name", "count"].contains(steps[1]) { continue }
                file = try Self.file(["devices=[\(text.dropLast()), name: homes, count: 1 }]"])
            } else {
                let value = text.dropFirst("{ \(steps[0].replacing("[]", with: "")): ".count).dropLast(2)
                file = try Self.file(["\(steps[0].replacing("[]", with: ""))=\(value)"])
            }
            if steps[0] == "mechanisms", steps.count == 3, steps[1] != "page" {
                file = try file.setting("architecture=\(steps[1])")
            }
            if let companion = Self.companion(of: entry) { file = try file.setting(companion) }
            do {
                _ = try ScenarioResolver.resolve(file)
            } catch let error as ScenarioError {
                if case .unknownKey = error.problem { Issue.record("\(entry.path): \(error)") }
            }
        }
    }

    /// What some settings mean nothing without.
    private static func companion(of entry: Schema.Entry) -> String? {
        switch (entry.place, entry.setting.key) {
        case (_, "radioIdle"): "devices[homes].access.preset=lte"
        case ("devices[].browsing", "format"), (_, "host"), (_, "compression"),
            ("devices[].browsing", "spread"):
            "\(entry.place.replacing("[]", with: "[homes]")).trace=x"
        case ("web.listed", "format"): "web.listed.trace=x"
        case ("services.healthCheck", _): "services.regions=[{ name: a }]"
        case (_, "pacRetry"): "\(entry.place).pacFallback=true"
        case (_, "deadPeerDetection"): "\(entry.place).mobike=false"
        default: nil
        }
    }

    private static func example(_ kind: SettingKind) -> String {
        switch kind {
        case .text, .file: "x"
        case .seed: "7"
        case .flag: "true"
        case .duration, .delay: "50min"
        case .bytes: "1kB"
        case .bandwidth: "1MB/s"
        case .count(let range): "\(range.lowerBound)"
        case .number(let range, _): "\(range.lowerBound)"
        case .numbers(let counts, let range):
            "["
                + Array(repeating: "\(max(range.lowerBound, 1))", count: counts.lowerBound).joined(
                    separator: ",") + "]"
        case .curve: "{ p50: 1, p90: 2 }"
        case .choice(let names), .mix(let names), .some(let names): names[0]
        case .texts: "[]"
        case .group(let short): example(short)
        }
    }

    /// So that code and file say the same word.
    @Test func propertiesHaveTheNamesOfTheirKeys() {
        let others = ["for": "length", "protocol": "kind"]
        for group in Schema.groups {
            for child in Mirror(reflecting: group).children {
                guard let setting = child.value as? any AnySetting else { continue }
                #expect(child.label == others[setting.info.key] ?? setting.info.key)
            }
            let keys = group.settings.map(\.key)
            #expect(Set(keys).count == keys.count)
        }
        #expect(Set(Schema.entries.map(\.path)).count == Schema.entries.count)
    }

    @Test func defaultsAreWhatTheirKindAllows() throws {
        for entry in Schema.entries {
            guard case .value(_, let source) = entry.setting.usual else { continue }
            #expect(!source.isEmpty, "\(entry.path)")
        }
        let settings = try ScenarioResolver.resolve(Self.file()).settings
        for setting in settings where setting.defaultSource != nil {
            #expect(setting.defaultSource?.isEmpty == false, "\(setting.path)")
        }
    }

    // MARK: - What is made from it

    /// `Scenarios/scenario.schema.json` is what `urlfilter schema` prints.
    @Test func theStoredSchemaIsTheProgramsOwn() throws {
        let path = SourceTree.root.appendingPathComponent("Scenarios/scenario.schema.json")
        if Golden.isWritten { try Data(SchemaDocument.text.utf8).write(to: path) }
        #expect(try Data(contentsOf: path) == Data(SchemaDocument.text.utf8))
    }

    @Test("each shipped scenario names the schema for editors", arguments: Shipped.names)
    func firstLines(name: String) throws {
        let text = try String(contentsOfFile: Shipped.path(name), encoding: .utf8)
        let depth = name.split(separator: "/").count - 1
        let line =
            "# yaml-language-server: $schema=" + String(repeating: "../", count: depth)
            + "scenario.schema.json"
        #expect(text.split(separator: "\n").first.map(String.init) == line)
    }

    /// A line `<!-- settings PATH -->` with the first setting of a group stands above the table of each.
    @Test func theArticleHasTheTablesOfAllGroups() throws {
        var groups = Schema.groups
        let tables = try ArticleTables(article: "Scenarios", mark: "settings").compare { first in
            let found = try #require(groups.firstIndex { Self.first($0) == first }, "\(first)")
            return ["| key | default | meaning |", "| --- | --- | --- |"]
                + SettingTable.markdown(groups.remove(at: found))
        }
        #expect(tables.stale == [])
        #expect(groups.map(Self.first) == [])
    }

    private static func first(_ group: any SettingGroup) -> String {
        let (place, key) = (group.places[0], group.settings[0].key)
        return place.isEmpty ? key : "\(place).\(key)"
    }
}
