import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Questions
import Report
import Scenarios
import Workload

extension FaultPlace: ExpressibleByArgument {}

/// Several scenarios, each on two sides, in one table.
extension Compare {
    private struct Case {
        var name: String
        var baseline: SweepPlan
        var candidate: SweepPlan
    }

    /// A folder of scenarios with a change.
    func study(_ files: [String]) async throws {
        // All files are read before the first one is run.
        let cases = try files.map { file in
            let baseline = try options.plan(file)
            return Case(
                name: baseline.points[0].scenario.name, baseline: baseline,
                candidate: try options.plan(file, extra: changes))
        }
        let (pairs, simulation) = try await run(cases)
        try await end(
            pairs,
            StudyComparison(
                pairs, changes: changes, planned: cases.count, confidence: confidence, noiseBand: noise),
            simulation)
    }

    /// The seven faults in one scenario, open and closed.
    func study(_ place: FaultPlace) async throws {
        let file = try options.file(inputs[0])
        let scenario = try ScenarioResolver.resolve(file)
        try scenario.requireURLFilter(
            for: "--faults", instead: "compare two results, or the scenario with --with")
        let known = place.beginning(in: scenario)
        guard let time = at.map({ FaultTime(localHour: nil, begin: $0) }) ?? known else {
            throw UnusableInput(
                inputs[0],
                "its devices browse by no clock; say with --at when the faults begin, for example --at 1h")
        }
        let cases = try StudiedFault.allCases.map { fault in
            let happening = try fault.happening(time, in: file)
            func plan(_ isClosed: Bool) throws -> SweepPlan {
                let replications = max(2, scenario.replications.minimum)
                let side = ["\(Schema.shouldFailClosed)=\(isClosed)"] + Schema.exactly(replications)
                return try SweepPlan(onePointOf: happening.setting(side))
            }
            return Case(name: fault.name, baseline: try plan(false), candidate: try plan(true))
        }
        let (pairs, simulation) = try await run(cases)
        var study = try StudyComparison(
            pairs, changes: ["\(Schema.shouldFailClosed)=true"],
            sides: .init(baseline: "open", candidate: "closed"), planned: cases.count, confidence: confidence,
            noiseBand: noise)
        study.decision = FaultDecision(
            pairs, place: place, time: time, prices: scenario.prices, confidence: confidence)
        try await end(pairs, study, simulation)
    }

    /// Both sides of each case, as far as nobody interrupts.
    private func run(_ cases: [Case]) async throws -> ([StudyComparison.Pair], Simulation) {
        for found in cases { try FileRoles.check(found.baseline, options.preparation, html: html) }
        let simulation = Simulation(options)
        defer { simulation.end() }
        try simulation.announce(cases.flatMap { [$0.baseline, $0.candidate] })
        let shared = SharedParts(keepsPages: true)
        var pairs: [StudyComparison.Pair] = []
        for found in cases {
            guard let before = try await side(found.baseline, simulation, label: found.name, shared),
                let after = try await side(
                    found.candidate, simulation, label: found.name + ", other side", shared)
            else { break }
            pairs.append(.init(name: found.name, baseline: before, candidate: after))
        }
        guard !pairs.isEmpty else {
            throw simulation.interrupted("in \(cases[0].name): there is nothing to compare yet" + goingOn)
        }
        return (pairs, simulation)
    }

    /// - Returns: `nil` once somebody has interrupted.
    private func side(
        _ plan: SweepPlan, _ simulation: Simulation, label: String, _ shared: SharedParts
    ) async throws -> RunResult? {
        guard !simulation.stop.isRaised else { return nil }
        do {
            let result = try await run(plan, simulation, label: label, shared)
            return result.finished ? result : nil
        } catch let code as ExitCode where code == ExitStatus.interrupted.code {
            return nil
        }
    }

    /// One side, from an earlier run or by making it now.
    func run(
        _ plan: SweepPlan, _ simulation: Simulation, label: String, _ shared: SharedParts
    ) async throws -> RunResult {
        let done = simulation.study.done
        let parts = PlanParts(directory: output)
        let result = try await parts.result(plan, options: options.preparation, version: Program.version) {
            try await simulation.run(plan, label: label, sharing: shared)
        }
        if simulation.study.done == done { simulation.study.skip(plan.deviceDays) }
        return result
    }

    /// How an interrupted command goes on, to be put behind a sentence.
    var goingOn: String {
        output.map { "; the same command goes on in \($0)" } ?? "; with --output the same command would go on"
    }

    private func end(
        _ pairs: [StudyComparison.Pair], _ study: StudyComparison, _ simulation: Simulation
    ) async throws {
        try answer.show(Document(study), study, json: json, html: html)
        let bugs = pairs.flatMap { [$0.baseline, $0.candidate] }.filter(\.hasBug)
        for warning in bugs.flatMap(\.points).flatMap(\.warnings)
        where warning.code.isBrokenLaw {
            Terminal.note(warning.message)
        }
        if !bugs.isEmpty { throw ExitStatus.failure.code }
        if study.isInterrupted {
            throw simulation.interrupted("after \(study.entries.count) of \(study.planned)" + goingOn)
        }
        // A recommendation is no regression.
        if study.decision == nil, study.regressions > 0 { throw ExitStatus.regression.code }
    }
}
