import ArgumentParser

/// `urlfilter bloom`: prefilters, the Bloom filters that devices download.
struct Bloom: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Build, check and inspect prefilters.",
        subcommands: [Build.self, Check.self, Inspect.self])
}
