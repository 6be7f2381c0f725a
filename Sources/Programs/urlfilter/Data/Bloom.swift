import ArgumentParser

/// `urlfilter bloom`: prefilters, the Bloom filters that devices download.
struct Bloom: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bloom",
        abstract: "Size, build, tune, check, inspect and compare prefilters.",
        subcommands: [
            Size.self, Build.self, Tune.self, Check.self, Inspect.self, Difference.self,
            Apply.self,
        ])
}
