import Experiment
import Foundation
import Report
import Scenarios
import Testing
import Wording

/// Letters and the page about privacy of a result, against what the screens show of it.
enum PlainPageCheck {
    /// Lines of a page of paper that a letter fills half of.
    private static let longestLetter = 45

    static func check(_ result: RunResult) throws {
        if result.scenario.architecture != .urlFilter {
            #expect(throws: PlainPageError.self) { try PrivacyPage.make(result) }
            return
        }
        var pages = try Letter.Reader.allCases.map { reader in
            (reader.rawValue, try Letter.make(result, to: reader, alternatives: nil))
        }
        for (name, page) in pages {
            let count = page.text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(count <= Self.longestLetter, "\(result.scenario.name), \(name): \(count) lines")
        }
        // A share of the devices that was not reached is not told as if it had been.
        let isOpen = result.points[0].metrics.contains {
            $0.name == "freshness.block" && $0.statistic != "p90" && $0.cut != nil
        }
        for (name, page) in pages where page.text.contains("What is new on the list") {
            #expect(page.text.contains("after at least") == isOpen, "\(result.scenario.name), \(name)")
        }
        pages.append(("privacy", try PrivacyPage.make(result)))
        let screens = shown(result)
        for (name, page) in pages {
            #expect(page.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(page.text)")
            for number in PrintedNumbers.all(in: page.text) {
                let isShown = screens.contains(number)
                #expect(isShown, "\(result.scenario.name), \(name): \(number)")
            }
            let parsed = ParsedPage(page.html)
            #expect(parsed.isWellFormed, "\(name): \(parsed.complaint)")
            // The browser says what the terminal says.
            #expect(
                PrintedNumbers.all(in: parsed.text).isSuperset(of: PrintedNumbers.all(in: page.text)),
                "\(name)")
        }
    }

    /// Numbers of both screens, and those that only documents have.
    private static func shown(_ result: RunResult) -> Set<String> {
        let settings = result.scenario.settings
        let assumed = settings.count {
            !$0.isDerived && $0.isAssumed
        }
        var others = "\(Format.count(assumed)) of \(Format.count(settings.count))."
        // Screens show the whole curve instead.
        for metric in result.points[0].metrics where metric.name == "freshness.block" {
            let ends = [metric.interval?.low, metric.interval?.high].compactMap(\.self)
            let half = ends.count == 2 ? [(ends[1] - ends[0]) / 2] : []
            for seconds in [metric.value] + ends + half { others += ", " + Format.duration(seconds) }
        }
        return PrintedNumbers.all(
            in: Document(result).text(.brief) + Document(result).text(.full) + others
                + " 50 % 99 % of 1 000 addresses")
    }
}
