import Experiment
import FleetModel
import Questions
import Scenarios

/// Facts about architectures as a reader says them.
enum ArchitectureWords {
    /// The common part of all ways, then what one of them adds: `app, supervised/MDM`.
    static func needs(_ facts: ArchitectureFacts) -> String {
        guard !facts.isYardstick else { return "not to be had" }
        let ways = facts.needs.value
        let common = ArchitectureFacts.Need.allCases.filter { need in ways.allSatisfy { $0.contains(need) } }
        let others = ways.map { way in
            way.filter { !common.contains($0) }.map(brief).joined(separator: " and ")
        }.filter { !$0.isEmpty }
        let words = common.map(brief) + (others.isEmpty ? [] : [others.joined(separator: "/")])
        return words.isEmpty ? "a profile" : words.joined(separator: ", ")
    }

    /// The needs in whole words, as ``needs(_:)`` has them in a few.
    static func needsInWords(_ facts: ArchitectureFacts) -> String {
        guard !facts.isYardstick else { return "nothing of Apple's does it" }
        return ways(facts, words) ?? "nothing but a profile on each device"
    }

    /// All ways to have a mechanism, each with everything that it takes.
    ///
    /// - Returns: `nil` where a profile is enough.
    static func ways(
        _ facts: ArchitectureFacts, _ word: (ArchitectureFacts.Need) -> String
    ) -> String? {
        let ways = facts.needs.value.map { $0.map(word).joined(separator: " and ") }
        return ways.contains("") || ways.isEmpty ? nil : ways.joined(separator: ", or ")
    }

    private static func brief(_ need: ArchitectureFacts.Need) -> String {
        switch need {
        case .supervised: "supervised"
        case .mdm: "MDM"
        case .app: "app"
        case .approval: "approval"
        case .network: "own network"
        case .macs: "Macs"
        }
    }

    static func words(_ need: ArchitectureFacts.Need) -> String {
        switch need {
        case .supervised: "supervised devices"
        case .mdm: "device management (MDM)"
        case .app: "an app of one's own or of a vendor's"
        case .approval: "Apple's approval of the app's relay"
        case .network: "a network of one's own that the devices are in"
        case .macs: "Macs"
        }
    }

    static func yes(_ value: Bool) -> String { value ? "yes" : "no" }

    static func macs(_ facts: ArchitectureFacts) -> String {
        facts.runsOn.value == [.macs] ? "only" : yes(facts.runsOn.value.contains(.macs))
    }

    static func platforms(_ facts: ArchitectureFacts) -> String {
        facts.runsOn.value.map { $0 == .macs ? "Macs" : "iPhones and iPads" }.joined(separator: " and ")
    }

    static func brief(_ browsers: ArchitectureFacts.Browsers) -> String {
        switch browsers {
        case .all: "all"
        case .asking: "that ask"
        case .system: "most"
        case .webKit: "WebKit"
        case .safari: "Safari"
        case .managed: "managed"
        }
    }

    static func words(_ browsers: ArchitectureFacts.Browsers) -> String {
        switch browsers {
        case .all: "all"
        case .asking: "those of WebKit, and others that ask the filter by themselves"
        case .system: "those that leave names and connections to the system"
        case .webKit: "those of WebKit"
        case .safari: "Safari"
        case .managed: "apps that device management has installed and bound to it"
        }
    }

    static func sees(_ row: AlternativesResult.Row) -> String {
        switch row.facts.sees.value {
        case .urls: "URLs"
        case .hosts: "hosts"
        case .both: "both"
        case .hostsUnlessOpened: row.opensTLS ? "URLs" : "hosts"
        }
    }

    static func words(_ sight: ArchitectureFacts.Sight) -> String {
        switch sight {
        case .urls: "whole URLs"
        case .hosts: "hosts"
        case .both: "whole URLs of WebKit, hosts of the rest"
        case .hostsUnlessOpened: "hosts, or whole URLs where it opens TLS"
        }
    }

    static func blockPage(_ row: AlternativesResult.Row) -> String {
        switch row.facts.blockPage.value {
        case .shown: "yes"
        case .absent: "no"
        case .whereOpened: yes(row.opensTLS)
        case .notPublished: "?"
        }
    }

    static func words(_ page: ArchitectureFacts.BlockPage) -> String {
        switch page {
        case .shown: "yes"
        case .absent: "no"
        case .whereOpened: "where it opens TLS"
        case .notPublished: "not published"
        }
    }

    /// The part of a load that somebody reads.
    static func datum(_ datum: Datum?) -> String {
        switch datum {
        case .url: "URLs"
        case .host: "hosts"
        case .hashPrefix: "prefixes"
        default: "nothing"
        }
    }

    /// Every fact with its source, one line each.
    static func lines(_ facts: ArchitectureFacts) -> [String] {
        func line<Value: Codable & Hashable & Sendable>(
            _ name: String, _ words: String, _ fact: Sourced<Value>
        ) -> String {
            "\(name): \(words) [\(fact.source.rawValue)]"
        }
        return [
            line("needs", needsInWords(facts), facts.needs),
            line("at home, too", yes(facts.isEverywhere.value), facts.isEverywhere),
            line("runs on", platforms(facts), facts.runsOn),
            line("browsers", words(facts.browsers.value), facts.browsers),
            line("sees", words(facts.sees.value), facts.sees),
            line("block page", words(facts.blockPage.value), facts.blockPage),
        ] + (facts.remark.map { ["note: \($0)"] } ?? [])
    }
}

extension AlternativesResult.Row {
    /// The operator's server, or the site's, opens the TLS of pages in this run.
    var opensTLS: Bool { reads.values.contains { $0.contains(.url) } }
}
