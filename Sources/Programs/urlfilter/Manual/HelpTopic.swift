import ArgumentParser
import CommandSupport
import Experiment
import Report
import Scenarios
import Wording

/// An article that `urlfilter help TOPIC` prints.
///
/// The texts are inside the program (`.embedInCode` in Package.swift): a resource bundle lies beside the executable,
/// and would stay behind when that is copied.
struct HelpTopic {
    /// Word that the user types: the file's name in small letters.
    let name: String
    private let bytes: [UInt8]

    private init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    static let groups: [(title: String, topics: [HelpTopic])] = [
        (
            "Using it",
            [
                HelpTopic("inputs", PackageResources.Inputs_md),
                HelpTopic("scenarios", PackageResources.Scenarios_md),
                HelpTopic("results", PackageResources.Results_md),
                HelpTopic("workbench", PackageResources.Workbench_md),
                HelpTopic("needs", PackageResources.Needs_md),
                HelpTopic("planning", PackageResources.Planning_md),
                HelpTopic("architectures", PackageResources.Architectures_md),
                HelpTopic("servers", PackageResources.Servers_md),
                HelpTopic("validation", PackageResources.Validation_md),
                HelpTopic("statistics", PackageResources.Statistics_md),
                HelpTopic("threat-model", PackageResources.ThreatModel_md),
                HelpTopic("install", PackageResources.Install_md),
                HelpTopic("changes", PackageResources.Changes_md),
                HelpTopic("licence", PackageResources.GPL_3_0_txt),
            ]
        ),
        (
            "Facts",
            [
                HelpTopic("device", PackageResources.Device_md),
                HelpTopic("pir-protocol", PackageResources.PIRProtocol_md),
                HelpTopic("homomorphic-encryption", PackageResources.HomomorphicEncryption_md),
                HelpTopic("transport", PackageResources.Transport_md),
                HelpTopic("workload", PackageResources.Workload_md),
                HelpTopic("networks", PackageResources.Networks_md),
                HelpTopic("other-architectures", PackageResources.OtherArchitectures_md),
            ]
        ),
        (
            "The program",
            [
                HelpTopic("architecture", PackageResources.Architecture_md),
                HelpTopic("fleet-model", PackageResources.FleetModel_md),
                HelpTopic("event-simulation", PackageResources.EventSimulation_md),
                HelpTopic("extending", PackageResources.Extending_md),
                HelpTopic("contributing", PackageResources.Contributing_md),
            ]
        ),
    ]

    /// The licence is kept as its authors wrote it.
    private func text(width: Int) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return name == "licence" ? text : ArticleText.render(text, width: width)
    }

    private var about: String {
        let text = String(decoding: bytes, as: UTF8.self)
        return name == "licence" ? "The GNU General Public License." : ArticleText.abstract(of: text)
    }

    /// - Parameter words: The command line without the program; of commands the parser knows the help.
    static func isMeant(by words: ArraySlice<String>) -> Bool {
        let words = Array(words)
        guard (2...3).contains(words.count), words[0] == "help" else { return false }
        return words.count == 3 ? words[1] == settingsTopic : words[1] == listName || topic(words[1]) != nil
    }

    /// The article whose settings have a help of their own.
    static let settingsTopic = "scenarios"

    static func text(of name: String, width: Int) -> String? {
        name == listName ? list(width: width) : topic(name)?.text(width: width)
    }

    private static let listName = "topics"

    private static func topic(_ name: String) -> HelpTopic? {
        groups.flatMap(\.topics).first { $0.name == name }
    }

    private static func list(width: Int) -> String {
        let column = groups.flatMap(\.topics).map(\.name.count).max() ?? 0
        var lines = ["Articles; 'urlfilter help TOPIC' prints one."]
        for group in groups {
            lines += ["", group.title]
            for topic in group.topics {
                let about = Format.wrapped(topic.about, indent: "", width: max(width - column - 4, 20))
                lines += about.enumerated().map {
                    "  " + Format.left($0 == 0 ? topic.name : "", column) + "  " + $1
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// `urlfilter help TOPIC`, which stands beside the parser's `urlfilter help COMMAND`.
struct HelpArticle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "urlfilter help", abstract: "Print an article of the documentation, or their list.")
    @Argument var topic: String
    @Argument(help: "A setting, by its key or its path.") var setting: String?

    func run() throws {
        if let setting { return try Terminal.print(text(of: setting)) }
        guard let text = HelpTopic.text(of: topic, width: Terminal.width) else {
            throw ValidationError("there is no article '\(topic)'; 'urlfilter help topics' lists them")
        }
        try Terminal.print(text)
    }

    private func text(of setting: String) throws -> String {
        let known = SettingTable.help(setting)
        guard known.isEmpty else { return known.joined(separator: "\n\n") + "\n" }
        let nearest = SettingTable.nearest(setting)
        let hint = nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: " or "))?"
        throw ValidationError("there is no setting '\(setting)'\(hint)")
    }
}
