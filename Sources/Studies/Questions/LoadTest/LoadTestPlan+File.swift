import EventSimulation
package import Foundation
import Scenarios
import Yams

/// The plan as a file: YAML, which JSON is a part of.
extension LoadTestPlan {
    /// - Throws: ``ScenarioError`` that names file, line and field.
    package init(path: String) throws {
        self = try LoadTestPlanReader.read(try ScenarioFile(path: path))
    }

    package init(text: Data, path: String) throws {
        self = try LoadTestPlanReader.read(try ScenarioFile(text: text, path: path, folder: "."))
    }

    /// Reads back as this plan.
    package var yaml: String {
        var lines = [
            "# What to ask of a deployment, and what its answers have to be like: urlfilter replay TRACE"
        ]
        lines += ["#   --plan FILE --list LIST --against URL"]
        lines += [
            "schema: \(Self.schemaName)", "scenario: \(Self.quoted(scenario))",
            "# Each machine of so many runs this plan.", "machines: \(machines)",
            "# Devices with keys and tokens of their own, and keys that they replace per second.",
            "users: \(users)", "keysPerSecond: \(keysPerSecond)", "# Rates in lookups per second.", "steps:",
        ]
        lines += steps.map { step in
            "  - { name: \(Self.quoted(step.name)), rate: \(step.rate), ramp: \(step.ramp)s,"
                + " warmUp: \(step.warmUp)s, duration: \(step.duration)s }"
        }
        lines.append("criteria:")
        lines += criteria.flatMap(Self.lines)
        if let plausible {
            lines += [
                "# The rate of step minute over what nobody knows: 95 % of it, the draws for which the step is enough,",
                "# and the rate that is too small in no more than a share of them.",
                "plausible: { low: \(plausible.low), high: \(plausible.high), points: \(plausible.points),"
                    + " enough: \(plausible.enough), risk: \(plausible.risk), rate: \(plausible.rate) }",
            ]
        }
        lines.append("notes:\(notes.isEmpty ? " []" : "")")
        lines += notes.map { "  - \(Self.quoted($0))" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ criterion: Criterion) -> [String] {
        let unit = criterion.measure == .latency ? "s" : ""
        var lines = [
            "  - step: \(quoted(criterion.step))", "    source: \(quoted(criterion.source))",
            "    measure: \(criterion.measure.rawValue)",
        ]
        if let percentile = criterion.percentile { lines.append("    percentile: \(percentile)") }
        if let service = criterion.service { lines.append("    service: \(service)") }
        if let cores = criterion.cores { lines.append("    cores: \(cores)") }
        lines += ["    relation: '\(criterion.relation.rawValue)'", "    limit: \(criterion.limit)\(unit)"]
        if criterion.dependence != 1 { lines.append("    dependence: \(criterion.dependence)") }
        if criterion.shareOnTheWay != 0 { lines.append("    shareOnTheWay: \(criterion.shareOnTheWay)") }
        return lines
    }

    /// Quotes a text for YAML. What cannot stand between quotes, or is taken for the end of a line, becomes a
    /// space. The reader takes an '&' before a word for an anchor, wherever it is, so a space stands between them.
    private static func quoted(_ text: String) -> String {
        let refused: Set<Unicode.GeneralCategory> = [
            .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned,
        ]
        let plain = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { refused.contains($0.properties.generalCategory) ? " " : $0 })
        )
        .replacing(/&(?=[A-Za-z0-9_-])/, with: "& ")
        return "'" + plain.replacing("'", with: "''") + "'"
    }
}

/// The settings of a plan's file.
private enum PlanSettings {
    static let schema = Setting.text(
        "schema", .required("schema: \(LoadTestPlan.schemaName)"), "of the file")
    static let scenario = Setting.text("scenario", .value("", ""), "that the plan was made from")
    static let machines = Setting.count("machines", in: 1...10_000, .value("1", ""), "that share the load")
    static let users = Setting.count("users", in: 1...LoadTestPlan.mostUsers, .absent, "of the service")
    static let keys = Setting.number(
        "keysPerSecond", in: 0...1_000, .value("0", ""), "evaluation keys uploaded")
    static let notes = Setting<[String]>.texts("notes", .absent, "for people") { $0 }

    static let name = Setting.text("name", .required("name: minute"), "of a step")
    static let rate = Setting.number(
        "rate", in: 0.001...LoadTestPlan.highestRate, .absent, "lookups a second")
    static let ramp = Setting.duration("ramp", .value("0s", ""), "over which it grows")
    static let warmUp = Setting.duration("warmUp", .value("0s", ""), "that is not counted")
    static let duration = Setting.duration("duration", .absent, "that is")

    static let low = Setting.number(
        "low", in: 0...1e9, .absent, "lookups a second that are plausible at least")
    static let high = Setting.number("high", in: 0...1e9, .absent, "and at most")
    static let points = Setting.count("points", in: 1...1_000_000, .absent, "of what nobody knows")
    static let enough = Setting.count("enough", in: 0...1_000_000, .absent, "that the step is enough for")
    static let risk = Setting.share("risk", .absent, "that was stated")
    static let rateForRisk = Setting.number("rate", in: 0...1e9, .absent, "lookups a second for that risk")

    static let step = Setting.text("step", .required("step: minute"), "that is judged")
    static let measure = Setting<LoadTestPlan.Criterion.Measure>.choice("measure", .absent, "what is judged")
    static let relation = Setting<Objective.Relation>.choice("relation", .absent, "to the limit")
    static let dependence = Setting.number(
        "dependence", in: 1...1e6, .value("1", ""), "of answers on each other")
    static let shareOnTheWay = Setting.share("shareOnTheWay", .value("0", ""), "of the model's mean latency")
    static let source = Setting.text("source", .value("", ""), "of the limit")
    static let percentile = Setting.number("percentile", in: 0...100, .absent, "of the latency")
    static let latency = Setting.duration("limit", .absent, "of the latency")
    static let share = Setting.share("limit", .absent, "of a share")
    static let number = Setting.number("limit", in: 0...1e9, .absent, "of a count")
    static let service = Setting.word(
        "service", of: LoadTestPlan.services, .required("service: pir"), "whose cores are busy")
    static let cores = Setting.count("cores", in: 1...1_000_000, .absent, "that the service has")
}

/// Reads a plan; every complaint names its place.
private struct LoadTestPlanReader {
    let root: SettingsReader

    static func read(_ file: ScenarioFile) throws -> LoadTestPlan {
        let log = SettingsLog(file: file.path)
        return try Self(root: SettingsReader(node: file.root, path: "", log: log)).plan()
    }

    private func plan() throws -> LoadTestPlan {
        let schema = try root(PlanSettings.schema)
        guard schema == LoadTestPlan.schemaName else {
            throw root.error("schema", .unknownName(schema, allowed: [LoadTestPlan.schemaName]))
        }
        let scenario = try root(PlanSettings.scenario)
        let machines = try root(PlanSettings.machines)
        let users = try root(PlanSettings.users)
        let keys = try root(PlanSettings.keys)
        let steps = try root.groups("steps").map(step)
        guard (1...20).contains(steps.count) else {
            throw root.error("steps", .outOfRange("\(steps.count) steps", allowed: "1...20 steps"))
        }
        let names = steps.map(\.name)
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw root.error("steps", .conflict("two steps have the name '\(twice)'; give each its own"))
        }
        let criteria = try root.groups("criteria").map { try criterion($0, steps: names) }
        let plausible = root.has("plausible") ? try plausible(root.group("plausible")) : nil
        let notes = try root(PlanSettings.notes)
        try root.finish()
        return LoadTestPlan(
            scenario: scenario, machines: machines, users: users, keysPerSecond: keys, steps: steps,
            criteria: criteria, plausible: plausible, notes: notes)
    }

    private func step(_ group: SettingsReader) throws -> LoadTestPlan.Step {
        let longest = LoadTestPlan.longestStep
        let name = try group(PlanSettings.name)
        guard name.wholeMatch(of: /[A-Za-z0-9_.-]{1,40}/) != nil else {
            throw group.error(
                "name", .wrongKind(found: name, expected: "a name of letters, digits, '_', '.' and '-'"))
        }
        let step = LoadTestPlan.Step(
            name: name, rate: try group(PlanSettings.rate),
            ramp: try seconds(group, PlanSettings.ramp, 0...longest),
            warmUp: try seconds(group, PlanSettings.warmUp, 0...longest),
            duration: try seconds(group, PlanSettings.duration, 0.1...longest))
        let loads = step.rate * (step.ramp / 2 + step.warmUp + step.duration)
        guard loads <= Double(LoadTestPlan.mostLoads) else {
            throw group.error(
                PlanSettings.duration,
                .outOfRange("\(Int(loads)) lookups", allowed: "1...\(LoadTestPlan.mostLoads) lookups"))
        }
        try group.finish()
        return step
    }

    private func plausible(_ group: SettingsReader) throws -> LoadTestPlan.Plausible {
        let found = LoadTestPlan.Plausible(
            low: try group(PlanSettings.low), high: try group(PlanSettings.high),
            points: try group(PlanSettings.points), enough: try group(PlanSettings.enough),
            risk: try group(PlanSettings.risk), rate: try group(PlanSettings.rateForRisk))
        guard found.enough <= found.points else {
            throw group.error(
                PlanSettings.enough,
                .outOfRange("\(found.enough)", allowed: "0...\(found.points), the points"))
        }
        try group.finish()
        return found
    }

    private func criterion(
        _ group: SettingsReader, steps: [String]
    ) throws -> LoadTestPlan.Criterion {
        let step = try group(PlanSettings.step)
        guard steps.contains(step) else { throw group.error("step", .unknownName(step, allowed: steps)) }
        let measure = try group(PlanSettings.measure)
        var criterion = LoadTestPlan.Criterion(
            step: step, measure: measure, relation: try group(PlanSettings.relation), limit: 0,
            dependence: try group(PlanSettings.dependence),
            shareOnTheWay: try group(PlanSettings.shareOnTheWay), source: try group(PlanSettings.source))
        switch measure {
        case .latency:
            let percentile = try group(PlanSettings.percentile)
            guard LoadTestPlan.percentiles.contains(percentile) else {
                throw group.error(
                    PlanSettings.percentile,
                    .unknownName("\(percentile)", allowed: LoadTestPlan.percentiles.map { "\($0)" }))
            }
            criterion.percentile = percentile
            criterion.limit = try seconds(group, PlanSettings.latency, 0...1e6)
        case .unanswered: criterion.limit = try group(PlanSettings.share)
        case .wrong: criterion.limit = try group(PlanSettings.number)
        case .utilization:
            criterion.service = try group(PlanSettings.service)
            criterion.cores = try group(PlanSettings.cores)
            criterion.limit = try group(PlanSettings.share)
        }
        try group.finish()
        return criterion
    }

    private func seconds(
        _ group: SettingsReader, _ setting: Setting<SimulatedDuration>, _ range: ClosedRange<Double>
    ) throws -> Double {
        let seconds = try group(setting).seconds
        guard range.contains(seconds) else {
            throw group.error(
                setting, .outOfRange("\(seconds)s", allowed: "\(range.lowerBound)s...\(range.upperBound)s"))
        }
        return seconds
    }
}
