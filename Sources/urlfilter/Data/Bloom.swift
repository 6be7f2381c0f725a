import ArgumentParser

/// `urlfilter bloom`: prefilters, the Bloom filters that devices download.
struct Bloom: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Build, tune, check and inspect prefilters.",
        subcommands: [Build.self, Tune.self, Check.self, Inspect.self])
}
