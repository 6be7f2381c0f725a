package import ArgumentParser
import Experiment
import Scenarios
import Wording
package import Workload

/// Keys that a reader makes of the entries of a block list: the same default in every command, and in scenarios.
package struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "normalized: without scheme and 'www.', host in lower case, each once; as-written: as Apple's tool.",
            valueName: "normalized|as-written"))
    package var keys = KeyPolicy.standard

    package init() {}
}

extension KeyPolicy: ExpressibleByArgument {
    package init?(argument: String) {
        guard let policy = Self.allCases.first(where: { $0.defaultValueDescription == argument }) else {
            return nil
        }
        self = policy
    }

    package var defaultValueDescription: String {
        switch self {
        case .asWritten: "as-written"
        case .normalized: "normalized"
        }
    }

    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
}

/// How a block list on the command line is read.
package struct ListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Format of the list: \(BlockListFormat.names.joined(separator: ", ")). Default: recognised.",
            valueName: "format"),
        transform: Self.format)
    package var format: BlockListFormat?

    @Option(
        help: ArgumentHelp(
            "Columns of a table: url=NAME, or host=NAME,path=NAME. The separator is recognised.",
            valueName: "names"), transform: Self.columns)
    package var columns: BlockListOptions.Columns?

    @OptionGroup package var keyOptions: KeyOptions

    package var keys: KeyPolicy { keyOptions.keys }

    @Option(
        help: ArgumentHelp(
            "Hosts and URLs that must not be blocked: entries that they cover are taken out; repeatable.",
            valueName: "file"))
    package var allow: [String] = []

    @Flag(help: "Treat the first line that cannot be used as an error.")
    package var strict = false

    @Flag(help: "Use a list although half of it is of no use, or a tenth is lost.")
    package var allowUnusable = false

    package init() {}

    /// Reads a list and tells standard error what became of its lines.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - removingDuplicates: For a PIR database, which holds a keyword once. `nil`: unless the keys count them.
    /// - Returns: At least one entry; a list without any is of no use to a command.
    package func read(
        _ path: String, removingDuplicates: Bool? = nil
    ) throws -> (list: BlockList, report: ReadReport) {
        var options = BlockListOptions(
            format: format, policy: keys, removesDuplicates: removingDuplicates ?? !keys.countsDuplicates,
            isStrict: strict)
        options.allowsUnusable = allowUnusable
        options.columns = columns
        options.allowed = try Self.allowed(allow)
        let result = try BlockListReader.read(path: path, options: options)
        Terminal.note("\(result.report)\n  keys \(keys)")
        return result
    }

    /// The entries of files of exceptions, normalized.
    ///
    /// - Returns: `nil` without files.
    package static func allowed(_ paths: [String]) throws -> BlockList? {
        guard !paths.isEmpty else { return nil }
        var all = BlockList()
        for path in paths {
            let (list, _) = try BlockListReader.read(
                path: path, options: BlockListOptions(policy: .normalized))
            for entry in list { all.append(entry.span) }
        }
        return all
    }

    package static func columns(_ text: String) throws -> BlockListOptions.Columns {
        guard let names = ColumnOption.parse(text, roles: ["url", "host", "path"]),
            let host = names["host"] ?? names["url"], (names["url"] == nil) != (names["host"] == nil),
            names["url"] == nil || names["path"] == nil
        else { throw ValidationError("--columns is '\(text)'; write url=NAME or host=NAME,path=NAME") }
        return BlockListOptions.Columns(host: host, path: names["path"])
    }

    package static func format(_ name: String) throws -> BlockListFormat {
        guard let format = BlockListFormat(name: name) else {
            throw ValidationError("it must be one of \(BlockListFormat.names.joined(separator: ", "))")
        }
        return format
    }
}
