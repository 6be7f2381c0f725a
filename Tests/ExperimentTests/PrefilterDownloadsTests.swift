import Experiment
import Foundation
import Scenarios
import TestSupport
import Testing
import URLFilter

/// What devices download of a list of a million entries, against sums by hand.
@Suite struct PrefilterDownloadsTests {
    private func downloads(_ settings: String...) throws -> PrefilterDownloads {
        let yaml = """
            blocklist: { file: list.txt }
            duration: 1h
            devices: [{ name: homes, count: 10 }]
            updates: { every: 24h, churn: category }
            """
        var file = try ScenarioFile(text: Data(yaml.utf8), path: "s.yaml", folder: ".")
        for setting in settings { file = try file.setting(setting) }
        let shape = try BloomParameters(entryCount: 1_000_000, falsePositiveTolerance: 1e-3, murmurSeed: 7)
        return PrefilterDownloads(try ScenarioResolver.resolve(file), shape: shape, entries: 1_000_000)
    }

    /// 14 377 588 bits, 10 hashes. A day's 100 new and 100 gone entries change 6.938e-5 of them, 997.6 bits, each 15.31
    /// bits long with Rice's code of 13 bits.
    @Test func aDayOfCategoriesIsTwoKilobytes() throws {
        let all = try downloads("filter.delivery=difference")
        #expect(all.byteCount(behind: 1) == 1_945)
        #expect(all.byteCount(behind: 0) == 1_797_199)
        #expect(all.byteCount(behind: 8) < 8 * 1_945 && all.byteCount(behind: 8) > 6 * 1_945)
        #expect(all.byteCount(behind: 9) == 1_797_199)
        #expect(
            try downloads("filter.delivery=difference", "updates.churn=threat").byteCount(behind: 1)
                == 847_271)
        #expect(try downloads().byteCount(behind: 1) == 1_797_199)
        // Half full: packing gains nothing.
        #expect(try downloads("filter.delivery=packed").byteCount(behind: 1) == 1_797_199)
    }

    /// Who fetches every 36 h is one or two editions behind, in turn; who fetches more often is one behind.
    @Test func theMeanIsThatOfTheEditionsMissed() throws {
        let all = try downloads("filter.delivery=difference")
        let (one, two) = (Double(all.byteCount(behind: 1)), Double(all.byteCount(behind: 2)))
        #expect(all.mean(fetchInterval: 3_600) == one && all.mean(fetchInterval: 86_400) == one)
        #expect(abs(all.mean(fetchInterval: 1.5 * 86_400) - (one + two) / 2) < 1e-9)
        #expect(all.mean(fetchInterval: 1e9) == 1_797_199)
        #expect(try downloads("updates={ every: never }").mean(fetchInterval: 86_400) == 1_797_199)
    }

    @Test func keptDifferencesNeedDifferences() throws {
        #expect(throws: ScenarioError.self) { try downloads("filter.keptDifferences=3") }
        #expect(
            try downloads("filter.delivery=difference", "filter.keptDifferences=1").byteCount(behind: 2)
                == 1_797_199)
    }
}
