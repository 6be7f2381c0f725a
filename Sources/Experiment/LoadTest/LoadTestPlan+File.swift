package import Foundation
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
        lines += criteria.flatMap { criterion in
            let optional = [
                criterion.percentile.map { "percentile: \($0)" }, criterion.service.map { "service: \($0)" },
                criterion.cores.map { "cores: \($0)" },
            ].compactMap(\.self)
            let unit = criterion.measure == .latency ? "s" : ""
            return [
                "  - step: \(Self.quoted(criterion.step))", "    source: \(Self.quoted(criterion.source))",
                "    measure: \(criterion.measure.rawValue)",
            ] + optional.map { "    " + $0 } + [
                "    relation: '\(criterion.relation.rawValue)'", "    limit: \(criterion.limit)\(unit)",
            ] + (criterion.dependence == 1 ? [] : ["    dependence: \(criterion.dependence)"])
        }
        lines.append("notes:\(notes.isEmpty ? " []" : "")")
        lines += notes.map { "  - \(Self.quoted($0))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What YAML cannot have between quotes, or takes for the end of a line, becomes a space. The reader takes an '&'
    /// before a word for an anchor, wherever it is, so a space stands between them.
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

/// Reads a plan; every complaint names its place.
private struct LoadTestPlanReader {
    let root: SettingsReader

    static func read(_ file: ScenarioFile) throws -> LoadTestPlan {
        let log = SettingsLog(file: file.path)
        return try Self(root: SettingsReader(node: file.root, path: "", log: log)).plan()
    }

    private func plan() throws -> LoadTestPlan {
        let schema = try root.text("schema", example: "schema: \(LoadTestPlan.schemaName)")
        guard schema == LoadTestPlan.schemaName else {
            throw root.error("schema", .unknownName(schema, allowed: [LoadTestPlan.schemaName]))
        }
        let scenario = try root.text("scenario", default: "", source: "")
        let machines = try root.count("machines", default: "1", source: "", in: 1...10_000)
        let users = try root.count("users", in: 1...LoadTestPlan.mostUsers)
        let keys = try root.number("keysPerSecond", default: "0", source: "", in: 0...1_000)
        let steps = try root.groups("steps").map(step)
        guard (1...20).contains(steps.count) else {
            throw root.error("steps", .outOfRange("\(steps.count) steps", allowed: "1...20 steps"))
        }
        let names = steps.map(\.name)
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw root.error("steps", .conflict("two steps have the name '\(twice)'; give each its own"))
        }
        let criteria = try root.groups("criteria").map { try criterion($0, steps: names) }
        let notes = try root.texts("notes") { $0 }
        try root.finish()
        return LoadTestPlan(
            scenario: scenario, machines: machines, users: users, keysPerSecond: keys, steps: steps,
            criteria: criteria, notes: notes)
    }

    private func step(_ group: SettingsReader) throws -> LoadTestPlan.Step {
        let longest = LoadTestPlan.longestStep
        let name = try group.text("name", example: "name: minute")
        guard name.wholeMatch(of: /[A-Za-z0-9_.-]{1,40}/) != nil else {
            throw group.error(
                "name", .wrongKind(found: name, expected: "a name of letters, digits, '_', '.' and '-'"))
        }
        let step = LoadTestPlan.Step(
            name: name,
            rate: try group.number("rate", in: 0.001...LoadTestPlan.highestRate),
            ramp: try seconds(group, "ramp", default: "0s", 0...longest),
            warmUp: try seconds(group, "warmUp", default: "0s", 0...longest),
            duration: try seconds(group, "duration", 0.1...longest))
        let loads = step.rate * (step.ramp / 2 + step.warmUp + step.duration)
        guard loads <= Double(LoadTestPlan.mostLoads) else {
            throw group.error(
                "duration",
                .outOfRange("\(Int(loads)) lookups", allowed: "1...\(LoadTestPlan.mostLoads) lookups"))
        }
        try group.finish()
        return step
    }

    private func criterion(
        _ group: SettingsReader, steps: [String]
    ) throws -> LoadTestPlan.Criterion {
        let step = try group.text("step", example: "step: minute")
        guard steps.contains(step) else { throw group.error("step", .unknownName(step, allowed: steps)) }
        let measure: LoadTestPlan.Criterion.Measure = try group.choice("measure")
        var criterion = LoadTestPlan.Criterion(
            step: step, measure: measure, relation: try group.choice("relation"), limit: 0,
            dependence: try group.number("dependence", default: "1", source: "", in: 1...1e6),
            source: try group.text("source", default: "", source: ""))
        switch measure {
        case .latency:
            let percentile = try group.number("percentile", in: 0...100)
            guard LoadTestPlan.percentiles.contains(percentile) else {
                throw group.error(
                    "percentile",
                    .unknownName("\(percentile)", allowed: LoadTestPlan.percentiles.map { "\($0)" }))
            }
            criterion.percentile = percentile
            criterion.limit = try seconds(group, "limit", 0...1e6)
        case .unanswered: criterion.limit = try group.number("limit", in: 0...1)
        case .wrong: criterion.limit = try group.number("limit", in: 0...1e9)
        case .utilization:
            let service = try group.text("service", example: "service: pir")
            guard LoadTestPlan.services.contains(service) else {
                throw group.error("service", .unknownName(service, allowed: LoadTestPlan.services))
            }
            criterion.service = service
            criterion.cores = try group.count("cores", in: 1...1_000_000)
            criterion.limit = try group.number("limit", in: 0...1)
        }
        try group.finish()
        return criterion
    }

    private func seconds(
        _ group: SettingsReader, _ key: String, default fallback: String? = nil, _ range: ClosedRange<Double>
    ) throws -> Double {
        let seconds = try group.quantity(key, fallback, "", "'60s' or '5min'", Quantity.seconds)
        guard range.contains(seconds) else {
            throw group.error(
                key, .outOfRange("\(seconds)s", allowed: "\(range.lowerBound)s...\(range.upperBound)s"))
        }
        return seconds
    }
}
