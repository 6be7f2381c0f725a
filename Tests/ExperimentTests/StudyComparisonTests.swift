import EventSimulation
import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import TestSupport
import Testing
import URLFilter

/// A change made to several scenarios, judged as one family.
@Suite struct StudyComparisonTests {
    private let preparation: Preparation

    init() throws {
        preparation = try SmallScenario.calibrated().prepare(
            "faults=[{ kind: restart, service: pir, at: 1s }]", "objectives=[fleet.recovery max < 2min]")
    }

    private func result(leaked: [Int], blocked: [Int], censored: Bool = false) throws -> RunResult {
        let records = zip(leaked, blocked).enumerated().map { index, counts in
            var record = ReplicationRecord(
                replication: UInt32(index), observedSeconds: 60, seriesInterval: .seconds(60))
            record.urls.leaked = counts.0
            record.urls.falselyBlocked = counts.1
            record.urls.policyLeaks = [.timeout: counts.0]
            record.urls.policyBlocks = [.timeout: counts.1]
            record.breaks = [.policy: counts.1]
            record.recoveries = [FaultRecovery(seconds: 60, isCensored: censored)]
            return record
        }
        return ResultBuilder(preparation, warmUp: preparation.givenWarmUp, records: records).result(
            finished: true)
    }

    @Test func oneTableNamesWhatIsWorseInWhat() throws {
        let pair = StudyComparison.Pair(
            name: "outage", baseline: try result(leaked: [10, 12, 14, 11], blocked: [0, 0, 0, 0]),
            candidate: try result(leaked: [0, 0, 0, 0], blocked: [30, 36, 33, 34], censored: true))
        let study = try StudyComparison([pair], changes: ["a=b"], noiseBand: 0.01)
        let figures = try #require(study.entries.first).figures
        #expect(
            figures.map(\.row.metric) == [
                "url.leaked", "url.falselyBlocked", "page.broken", "fleet.recovery",
            ])
        // As many seconds are the least that the candidate can take: it may be worse by any time.
        #expect(figures.map(\.row.verdict) == [.better, .worse, .worse, .notReached])
        #expect(
            figures.map(\.row.candidateCut) == [nil, nil, nil, 4]
                && figures.allSatisfy { $0.row.baselineCut == nil })
        #expect(study.regressions == 2)
    }

    /// A fleet that was not healthy again when the run ended may take any longer.
    @Test func aRecoveryThatNobodySawIsNoPass() throws {
        let none = [0, 0, 0, 0, 0, 0]
        for (censored, verdict) in [(false, ObjectiveResult.Verdict.pass), (true, .cannotTell)] {
            let point = try #require(
                try result(leaked: none, blocked: none, censored: censored).points.first)
            #expect(point[.recovery]?.value == 60 && point[.recovery]?.cut == (censored ? 6 : nil))
            #expect(point.objectives.map(\.verdict) == [verdict])
        }
    }

    /// With more scenarios in the table the same difference has to be larger.
    @Test func allScenariosAreOneFamily() throws {
        let before = try result(leaked: [10, 12, 13, 11], blocked: [5, 5, 5, 5])
        let after = try result(leaked: [11, 14, 13, 13], blocked: [5, 5, 5, 5])
        func adjusted(_ count: Int) throws -> Double {
            let pairs = (0..<count).map {
                StudyComparison.Pair(name: "\($0)", baseline: before, candidate: after)
            }
            let study = try StudyComparison(pairs, changes: [], noiseBand: 0.01)
            return try #require(study.entries[0].figures[0].row.adjustedPValue)
        }
        let raw = try #require(
            Comparison(before, after, names: ("", ""), noiseBand: 0.01).rows.first {
                $0.metric == "url.leaked"
            }?.pValue)
        #expect(raw > 0 && raw < 0.2)
        // Four figures per scenario, of which the one on leaks is the smallest p-value.
        #expect(try abs(adjusted(1) - min(1, 4 * raw)) < 1e-12)
        #expect(try abs(adjusted(3) - min(1, 12 * raw)) < 1e-12)
    }

    @Test func aFolderIsAStudyUnlessARunWroteIt() throws {
        let folder = try TemporaryFolder()
        #expect(throws: StudyFolderError.empty(folder.path)) { try StudyFolder.scenarios(in: folder.path) }
        for name in ["b.yaml", "a.yaml", "notes.txt"] { try folder.write("", to: name) }
        #expect(
            try StudyFolder.scenarios(in: folder.path) == [
                folder.path + "/a.yaml", folder.path + "/b.yaml",
            ])
        #expect(try StudyFolder.scenarios(in: folder.path + "/a.yaml") == nil)
        try folder.write("{}", to: "summary.json")
        #expect(try StudyFolder.scenarios(in: folder.path) == nil)
    }
}
