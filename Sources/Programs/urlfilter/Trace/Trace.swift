import ArgumentParser

/// `urlfilter trace`: records of who asked for which URL when.
struct Trace: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Describe, convert and generate browsing traces.",
        subcommands: [Describe.self, Import.self, Generate.self])
}
