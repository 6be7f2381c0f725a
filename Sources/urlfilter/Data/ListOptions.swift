import ArgumentParser
import Experiment
import Workload

/// How a block list on the command line is read.
struct ListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Format of the list: \(BlockListFormat.names.joined(separator: ", ")). Default: recognised.",
            valueName: "format"),
        transform: Self.format)
    var format: BlockListFormat?

    @Option(help: "as-written keeps entries as Apple's tool does; normalized makes keys of them.")
    var keys = Keys.asWritten

    @Flag(help: "Treat the first line that cannot be used as an error.")
    var strict = false

    @Flag(help: "Use a list although more of its lines are of no use than of use.")
    var allowUnusable = false

    enum Keys: String, CaseIterable, ExpressibleByArgument {
        case asWritten = "as-written"
        case normalized
    }

    /// Reads a list and tells standard error what became of its lines.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - removingDuplicates: For a PIR database, which holds a keyword once.
    /// - Returns: At least one entry; a list without any is of no use to a command.
    func read(
        _ path: String, removingDuplicates: Bool = false
    ) throws -> (list: BlockList, report: ReadReport) {
        let policy: KeyPolicy = keys == .asWritten ? .asWritten : .normalized
        var options = BlockListOptions(
            format: format, policy: policy, removesDuplicates: removingDuplicates, isStrict: strict)
        options.allowsUnusable = allowUnusable
        let result = try BlockListReader.read(path: path, options: options)
        Terminal.note("\(result.report)")
        return result
    }

    static func format(_ name: String) throws -> BlockListFormat {
        guard let format = BlockListFormat(name: name) else {
            throw ValidationError("it must be one of \(BlockListFormat.names.joined(separator: ", "))")
        }
        return format
    }
}
