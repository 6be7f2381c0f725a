import FleetModel
package import Scenarios
import URLFilter
import Workload

/// The files of a scenario as read, and what is built of its block list alone.
struct ScenarioInputs: Sendable {
    /// The scenario, with what was counted in its files.
    let scenario: Scenario
    let list: SharedParts.List
    let prefilter: ScenarioPrefilter
    let traces: TraceFiles
    let shared: SharedParts

    /// - Parameters:
    ///   - shared: Holds what other points of the same sweep have read and built already.
    ///   - progress: Told in words what is being done.
    init(
        reading scenario: Scenario, options: Preparation.Options, _ shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws {
        self.shared = shared
        list = try Preparation.listParts(scenario, options, shared, progress)
        prefilter = try ScenarioPrefilter(scenario, list: list, shared, progress: progress)
        traces = try TraceFiles(scenario.devices, isStrict: options.isStrict, progress: progress)
        var counted = scenario
        if let trace = scenario.listedTrace {
            progress("counting what the list names in \(trace.file)")
            counted.web.listed = try ListedShares(of: trace, index: list.index, isStrict: options.isStrict)
                .traffic
        }
        self.scenario = counted
    }

    /// Files that were read, the scenario's own first.
    var paths: [String] {
        [scenario.file, scenario.blocklist.file] + (scenario.listedTrace.map { [$0.file] } ?? [])
            + traces.paths
    }

    /// The web that the devices of a replication browse.
    ///
    /// - Parameters:
    ///   - seed: Decides its sites and pages.
    ///   - entries: The block list as a table; made where there is none.
    func web(_ replication: UInt32, seed: UInt64, entries: TextTable? = nil) throws -> SyntheticWeb {
        try shared.web(
            .init(list: list.key, web: scenario.web, seed: scenario.seed, replication: replication)
        ) {
            try SyntheticWeb(scenario.web, seed: seed, entries: entries ?? listTable)
        }
    }

    private var listTable: TextTable {
        var entries = TextTable(name: "block list")
        for index in 0..<list.list.count { try? entries.append(list.list[index]) }
        return entries
    }
}

extension Preparation {
    /// A scenario's block list, read unless that was done before.
    package static func listParts(
        _ scenario: Scenario, _ options: Options, _ shared: SharedParts, _ progress: (String) -> Void
    ) throws -> SharedParts.List {
        let settings = scenario.blocklist
        let key = SharedParts.ListKey(settings: settings, isStrict: options.isStrict)
        return try shared.lists.value(key) {
            var listOptions = settings.options
            listOptions.isStrict = options.isStrict
            progress("reading \(settings.file)")
            let (list, report) = try BlockListReader.read(
                path: settings.file, isReadAgain: true, options: listOptions)
            let duplicates = settings.policy.countsDuplicates ? report.count(of: .duplicate) : 0
            return .init(
                key: key, list: list, report: report, index: BlockListIndex(list),
                itemCount: list.count + duplicates)
        }
    }

    var blocklistSummary: RunResult.BlockListSummary {
        let (list, report) = (inputs.list.list, inputs.list.report)
        return RunResult.BlockListSummary(
            file: scenario.blocklist.file, format: report.format, keys: scenario.blocklist.policy,
            entries: list.count, duplicates: report.count(of: .duplicate), dropped: report.droppedCount,
            changed: report.count(of: .noted), hasTestEntry: TestEntry.isListed(in: list),
            unmatchable: unmatchable)
    }

    /// Entries that devices cannot match, on every system.
    var unmatchable: [UnmatchableSummary] {
        zip(RulesGeneration.systems, inputs.prefilter.unmatchable).map {
            UnmatchableSummary($1, rules: $0, entries: inputs.list.list.count)
        }
    }
}

extension TestEntry {
    /// Apple's reviewers look up this entry on the operator's servers (article "Device", section "Onboarding and
    /// relay"); with normalized keys it stands there without `www.`.
    fileprivate static func isListed(in list: BlockList) -> Bool {
        let forms = forms.map { Array($0.utf8) }
        return (0..<list.count).contains { index in
            let entry = list[index]
            return forms.contains { $0.count == entry.count && entry.elementsEqual($0) }
        }
    }
}
