package import ArgumentParser
package import Workload

/// Facts that the access logs of servers do not tell about themselves.
package struct LogColumnOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Name of a column that has none of the usual names; repeatable.", valueName: "role=name"))
    package var column: [String] = []

    @Option(help: ArgumentHelp("Of durations without one: s, ms, us or ns.", valueName: "unit"))
    package var durationUnit: String?

    @Option(help: ArgumentHelp("Whether times are of a request's 'start' or 'end'.", valueName: "which"))
    package var timeIs: String?

    package init() {}

    package func validate() throws { _ = try settings }

    package var settings: ServerLogOptions {
        get throws {
            var options = ServerLogOptions()
            for assignment in column {
                let parts = assignment.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, let role = ServerLogRole(rawValue: parts[0]) else {
                    let roles = ServerLogRole.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError(
                        "--column is '\(assignment)'; write ROLE=NAME, with a role of \(roles)")
                }
                options.columns[role] = parts[1]
            }
            let units: [String: TimeUnit] = [
                "s": .seconds, "ms": .milliseconds, "us": .microseconds, "ns": .nanoseconds,
            ]
            if let durationUnit {
                guard let unit = units[durationUnit] else {
                    throw ValidationError("--duration-unit is '\(durationUnit)'; write s, ms, us or ns")
                }
                options.durationUnit = unit
            }
            if let timeIs {
                guard ["start", "end"].contains(timeIs) else {
                    throw ValidationError("--time-is is '\(timeIs)'; write start or end")
                }
                options.timeIsStart = timeIs == "start"
            }
            return options
        }
    }
}
