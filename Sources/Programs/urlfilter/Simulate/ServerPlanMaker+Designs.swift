import CommandSupport
import Experiment
import FleetModel
import Questions
import Scenarios
import Workload

/// Which of the varied designs are simulated, and which ones closed forms rule out.
extension ServerPlanMaker {
    /// One combination of varied settings.
    struct DesignPoint {
        var settings: [String: String]
        var scenario: Scenario
        var outline: FilterDesign.Outline
        var objectives: [ObjectiveResult] = []
        /// Its ordinary day; `nil` for a forecast.
        var sample: RunResult?

        /// Settings that are searched, although they change the traffic: how often devices fetch.
        var searched: Set<String> = []

        /// Settings that make its traffic; the rest is prefilter and database.
        var traffic: [String: String] {
            settings.filter { !FilterDesign.paths.contains($0.key) && !searched.contains($0.key) }
        }
    }

    struct Designs {
        /// Those that were simulated or forecast, as ``search`` has them.
        var points: [DesignPoint] = []
        var search: JointSearch
        /// All that were asked about, and those that never came to a forecast.
        var asked: Int
        var notCheaper = 0
        var notMeeting = 0
        var look: SampleLook
    }

    /// Values that are searched with --search, unless --vary names others.
    static func searched(_ scenario: Scenario) -> [(path: String, values: [String])] {
        let parameters = [
            scenario.pir.rlweParameters, "n_4096_logq_27_28_28_logt_5", "n_4096_logq_27_28_28_logt_6",
            "n_8192_logq_3x55_logt_24",
        ]
        return [
            (Schema.shards, ["1", "4", "16"]),
            (
                Schema.rlweParameters,
                parameters.enumerated().filter { parameters.firstIndex(of: $1) == $0 }.map(\.element)
            ),
        ]
    }

    /// How the tolerance of each design is chosen.
    enum ToleranceChoice {
        /// The scenario names it, or --vary some.
        case named
        /// All are searched for the one with which the design costs least, since nobody names some.
        case searched

        init(_ planning: PlanArguments, of scenario: Scenario) {
            let paths = [
                Schema.falsePositiveTolerance, Schema.filter.path(\.bitCount),
                Schema.filter.path(\.hashCount),
            ]
            guard planning.search, case .falsePositiveTolerance = scenario.filter.shape,
                !planning.vary.contains(where: { paths.contains(String($0.prefix { $0 != "=" })) })
            else {
                self = .named
                return
            }
            self = .searched
        }

        /// Settings of which all values are searched; `nil` for none.
        var searchedPaths: [String]? { self == .searched ? [Schema.falsePositiveTolerance] : nil }

        /// Settings of samples: coarse, so that there are stray hits enough to count.
        fileprivate var sampleSettings: [String: String] {
            self == .searched ? [Schema.falsePositiveTolerance: "0.001"] : [:]
        }

        /// Designs that are forecast from a sample: where tolerances are searched, its own has a better one, too.
        fileprivate func designs(of alike: [DesignPoint], beside sample: DesignPoint) -> [DesignPoint] {
            self == .searched ? alike : alike.filter { $0.settings != sample.settings }
        }
    }

    /// All combinations, of which nothing is simulated or measured yet.
    private func askedDesigns() throws -> [DesignPoint] {
        var vary = VaryOptions()
        vary.assignments = command.planning.vary
        if command.planning.search {
            let named = Set(vary.assignments.map { $0.prefix { $0 != "=" } })
            vary.assignments += Self.searched(base).filter { !named.contains($0.path[...]) }
                .map { "\($0.path)=\($0.values.joined(separator: ","))" }
        }
        let plan = try SweepPlan(try command.options.file(command.scenario), more: vary)
        return try plan.points.map { point in
            var settings = plan.assignments(of: point)
            settings.merge(tolerances.sampleSettings) { $1 }
            settings.merge(ownDelivery) { $1 }
            let scenario = try command.options.resolve(command.scenario, extra: Self.assignments(settings))
            return DesignPoint(
                settings: settings, scenario: scenario,
                outline: try Preparation.outline(
                    of: scenario, options: command.options.preparation, sharing: shared,
                    progress: simulation.note),
                searched: searchedFetches)
        }
    }

    /// A design that was simulated, from which others are forecast.
    private struct Sample {
        var design: DesignPoint
        var planner: ServerPlanner
        var point: PointResult?
    }

    /// Simulates one of each kind of traffic, with the coarsest prefilter, whose stray hits are most, and forecasts by
    /// closed forms what the others ask, as far as they can cost less and meet the objectives.
    func designs() async throws -> Designs {
        let asked = try askedDesigns()
        let kinds = Set(asked.map(\.traffic)).sorted {
            Self.assignments($0).lexicographicallyPrecedes(Self.assignments($1))
        }
        var found = Designs(search: JointSearch([]), asked: 0, look: SampleLook(first: command, devices))
        var samples: [(sample: Sample, others: [DesignPoint])] = []
        expectDesigns(kinds.count, found.look)
        if found.look.isFull, let first = asked.first {
            try announce(found.look, first.settings, first.scenario)
        }
        for kind in kinds {
            let alike = asked.filter { $0.traffic == kind }
            guard var first = alike.first else { continue }
            for other in alike where other.outline.stringRate > first.outline.stringRate { first = other }
            let (demand, objectives, result) = try await demand(first.settings, first.scenario, &found.look)
            first.objectives = objectives
            first.sample = result
            var others = tolerances.designs(of: alike, beside: first)
            found.asked += 1 + others.count
            let point = result.points.first
            if !command.planning.exhaustive, searchedFetches.isEmpty, Self.failsAlways(objectives, point) {
                found.notMeeting += others.count
                others = []
            }
            let planner = ServerPlanner(demand, of: first.scenario, rule: rule)
            samples.append((Sample(design: first, planner: planner, point: point), others))
        }
        found.points = samples.map(\.sample.design)
        var planners = samples.map(\.sample.planner)
        let best = samples.filter { Self.meets($0.sample.design.objectives) }
            .compactMap { $0.sample.planner.plan()?.total }.min()
        for (sample, others) in samples {
            try add(others, like: sample, best: best, to: &found, &planners)
        }
        found.search = JointSearch(
            planners,
            simulated: Dictionary(
                uniqueKeysWithValues: samples.enumerated().map {
                    ($0, Self.meets($1.sample.design.objectives))
                }))
        return found
    }

    /// Adds forecasts of those that can cost less than the cheapest simulated design by more than the search's regret.
    private func add(
        _ others: [DesignPoint], like sample: Sample, best: Double?, to found: inout Designs,
        _ planners: inout [ServerPlanner]
    ) throws {
        var forecast: DemandForecast?
        for other in others {
            let variants = try variants(of: other, sample.planner.demand)
            let prefilters =
                try leastBytesPerDay(other, variants) / max(sample.design.outline.bytesPerDay, 1)
            let fetches =
                (variants.map(\.planner.fetchesPerDeviceDay).min() ?? 0)
                / sample.planner.fetchesPerDeviceDay
            if let best, !command.planning.exhaustive,
                sample.planner.least(prefilters: prefilters, fetches: fetches)
                    >= best * (1 - JointSearch.regret)
            {
                found.notCheaper += 1
                continue
            }
            if forecast == nil, let point = sample.point, let design = try design(of: sample.design) {
                forecast = DemandForecast(
                    sample.planner.demand, point, design: design, of: sample.design.scenario)
            }
            guard let forecast, var design = try design(of: other),
                let chosen = try chosen(other, variants, design, forecast),
                chosen.settings != sample.design.settings
            else { continue }
            design.outline = chosen.outline
            found.points.append(chosen)
            planners.append(ServerPlanner(forecast(design), of: chosen.scenario, rule: rule))
        }
    }

    /// Bytes of the prefilter's downloads of a device and day, with the tolerance for which they are fewest.
    private func leastBytesPerDay(_ point: DesignPoint, _ variants: [Variant]) throws -> Double {
        switch tolerances {
        case .named: point.outline.bytesPerDay
        case .searched:
            try variants.map { try $0.outlines(ToleranceSearch.usualRange.upperBound).bytesPerDay }.min() ?? 0
        }
    }

    /// The design with its tolerance; `nil` if none meets the rule.
    private func chosen(
        _ point: DesignPoint, _ variants: [Variant], _ design: FilterDesign, _ forecast: DemandForecast
    ) throws -> DesignPoint? {
        switch tolerances {
        case .named: point
        case .searched: try tuned(point, variants, design, forecast)
        }
    }

    /// - Returns: `nil` for a database that the parameters cannot hold, where nobody has named them.
    private func design(of point: DesignPoint) throws -> FilterDesign? {
        do {
            return try Preparation.design(
                of: point.scenario, options: command.options.preparation, sharing: shared,
                progress: simulation.note)
        } catch {
            let isOwn = point.scenario.pir.rlweParameters == base.pir.rlweParameters
            guard command.planning.search, !isOwn else { throw error }
            Terminal.note("left out \(Self.assignments(point.settings).joined(separator: ", ")): \(error)")
            return nil
        }
    }

    private static func meets(_ objectives: [ObjectiveResult]) -> Bool {
        !objectives.contains { $0.verdict == .fail }
    }

    static func failsAlways(_ objectives: [ObjectiveResult], _ point: PointResult?) -> Bool {
        guard let point else { return false }
        return objectives.contains { $0.failsInEveryDesign(like: point) }
    }

    private func expectDesigns(_ count: Int, _ look: SampleLook) {
        simulation.study.expect(
            Array(repeating: look.deviceDays(of: base), count: count), noun: "design", isBound: true)
    }

    /// Simulates until the rest is ruled out; with --exhaustive everything, with --quick nothing more.
    func search(_ designs: inout Designs) async throws {
        guard !command.planning.quick else { return }
        while let next = command.planning.exhaustive
            ? designs.search.designs.firstIndex(where: { !$0.isSimulated }) : designs.search.next
        {
            let left = designs.search.designs.count { !$0.isSimulated && $0.meetsObjectives }
            expectDesigns(left, designs.look)
            let point = designs.points[next]
            let sample = try await demand(point.settings, point.scenario, &designs.look)
            designs.points[next].objectives = sample.objectives
            designs.points[next].sample = sample.result
            designs.search.add(sample.demand, meetsObjectives: Self.meets(sample.objectives), to: next)
            guard searchedFetches.isEmpty, Self.failsAlways(sample.objectives, sample.result.points.first)
            else { continue }
            let points = designs.points
            designs.search.ruleOut(
                points.indices.filter {
                    points[$0].traffic == point.traffic
                        && points[$0].outline.stringRate <= point.outline.stringRate
                })
        }
    }
}
