package import ArgumentParser
import Experiment
import Scenarios
import Wording
package import Workload

/// How the records of a trace are read; the same for every command that reads one.
package struct TraceInputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Format: \(TraceFormat.names.joined(separator: ", ")). Default: recognised.", valueName: "format"),
        transform: Self.format)
    package var format: TraceFormat?

    @Option(
        help: ArgumentHelp(
            "Host put in front of the paths of a server log (default: site.example).", valueName: "host"))
    package var host: String?

    @Option(
        help: ArgumentHelp(
            "Columns of a table, or fields of JSON:"
                + " \(TraceRole.named.map { "\($0.rawValue)=NAME" }.joined(separator: ",")).",
            valueName: "names"),
        transform: Self.columns)
    package var columns: TraceColumns?

    @Flag(help: "The table has no times: take the rows one millisecond apart.")
    package var untimed = false

    @Flag(help: "Treat the first bad line as an error.")
    package var strict = false

    @Flag(name: .shortAndLong, help: "No progress and no notes on standard error.")
    package var quiet = false

    package init() {}

    package var options: TraceOptions {
        var options = TraceOptions()
        options.format = format
        options.isStrict = strict
        if let columns { options.columns = columns }
        options.columns.isUntimed = untimed
        if let host { options.origin = host.contains("://") ? host : "https://\(host)" }
        return options
    }

    private static func columns(_ text: String) throws -> TraceColumns {
        let roles = TraceRole.named.map(\.rawValue)
        guard let names = ColumnOption.parse(text, roles: roles) else {
            throw ValidationError(
                "--columns is '\(text)'; write for example host=server,path=uri,time=at, each of "
                    + "\(roles.joined(separator: ", ")) at most once")
        }
        var columns = TraceColumns()
        for role in TraceRole.named { columns[role] = names[role.rawValue] }
        return columns
    }

    private static func format(_ name: String) throws -> TraceFormat {
        guard let format = TraceFormat(name: name) else {
            throw ValidationError(
                "'\(name)' is no trace format; choose from \(TraceFormat.names.joined(separator: ", "))")
        }
        return format
    }

    /// `-` as the system names it.
    package static func path(_ argument: String) -> String { argument == "-" ? "/dev/stdin" : argument }
}
