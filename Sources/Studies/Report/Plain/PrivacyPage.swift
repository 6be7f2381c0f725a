package import Experiment
import RunMetrics
import Scenarios
import Wording

/// Who can see what, for parents: derived from the scenario of a result, with how often things happen from its run.
package enum PrivacyPage {
    /// - Throws: `PlainPageError` for a result that the page would not be true of.
    package static func make(_ result: RunResult) throws(PlainPageError) -> PlainPage {
        let point = try result.onlyPoint()
        guard let ledger = point.privacy else {
            throw .otherArchitecture(result.scenario.architecture.facts.name)
        }
        let words = PrivacyWords(ledger: ledger, point: point)
        return PlainPage(
            title: "Who can see what: \(result.scenario.name)",
            facts: [
                Format.count(result.scenario.devices, "device"),
                "list of \(Format.count(result.blocklist.entries, "entry"))",
            ],
            sections: [short(words), filter(result, point)]
                + ledger.organisations.compactMap { organisation($0, words) }
                + [outside(words), settings(words), doubts(result, point)])
    }

    private static func short(_ words: PrivacyWords) -> PlainPage.Section {
        .init(title: "In short", items: words.sentences)
    }

    private static func filter(_ result: RunResult, _ point: PointResult) -> PlainPage.Section {
        let asked = point[.lookupsSent].map { " That happens \(Format.rate($0))." } ?? ""
        let checked = point[.checked].map { ", of \(Format.rate($0)) that are loaded" } ?? ""
        return .init(
            title: "What the filter does",
            paragraphs: [
                "Each device keeps a short form of the list. If an address looks there as if it were listed, the device"
                    + " asks a server, in a form that the server can answer without being able to read it.\(asked)"
                    + " All other addresses\(checked), are decided on the device, and leave it for nobody."
            ])
    }

    private static func organisation(_ name: String, _ words: PrivacyWords) -> PlainPage.Section? {
        let lines = words.ledger.lines.filter { $0.organisation == name && !$0.isOutside }
        let title = PrivacyWords.name(ofOrganisation: name).capitalisedFirst
        guard !lines.isEmpty else { return nil }
        if name == PartyOwners.device {
            return .init(title: title, paragraphs: ["Keeps \(Prose.list(lines.map(words.what)))."])
        }
        return .init(
            title: title, paragraphs: ["Runs \(words.runs(name))."],
            items: lines.map { line in
                "As \(words.who(line)), \(words.when(line)): \(words.what(line))."
            })
    }

    private static func outside(_ words: PrivacyWords) -> PlainPage.Section {
        .init(
            title: "What is seen with and without the filter",
            items: words.ledger.lines.filter(\.isOutside).map { line in
                let name = PrivacyWords.name(ofOrganisation: line.organisation).capitalisedFirst
                return "\(name), as \(words.who(line)), \(words.when(line)): \(words.what(line))."
            })
    }

    private static func settings(_ words: PrivacyWords) -> PlainPage.Section {
        .init(
            title: "What decides it",
            paragraphs: ["For whoever runs the filter: these settings of the scenario make it so."],
            items: words.ledger.abilities.filter { !$0.settings.isEmpty }.map { ability in
                "\(ability.settings.joined(separator: ", ")): \(words.sentence(ability))"
            })
    }

    private static func doubts(_ result: RunResult, _ point: PointResult) -> PlainPage.Section {
        .init(
            title: "How sure this is",
            items: [
                "Who reads what follows from the protocol, and from who runs what by the scenario; the tests of this"
                    + " program compare it with the bytes of its own devices and servers.",
                "Numbers are of \(Format.count(point.replications, "simulated run")) of"
                    + " \(Format.duration(result.scenario.duration)); what follows ± is chance.",
                "Nobody has tried it with Apple's relay. What Apple, a network or a site keeps of what it sees is not"
                    + " known here.",
            ])
    }
}

extension RunResult {
    /// - Throws: `PlainPageError` for a result without a point, or with several.
    func onlyPoint() throws(PlainPageError) -> PointResult {
        guard let point = points.first else { throw .nothingFinished }
        guard points.count == 1 else { throw .severalPoints(points.count) }
        return point
    }
}
