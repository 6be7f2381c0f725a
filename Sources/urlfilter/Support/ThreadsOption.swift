import ArgumentParser
import Foundation

/// `--threads`, for every command that can use several cores.
struct ThreadsOption: ParsableArguments {
    @Option(
        name: .customLong("threads"),
        help: "Cores to use (default: all). The result does not depend on it.")
    var number: Int?

    /// For commands that have a default of their own, too.
    static let allowed = 1...1024

    func validate() throws { try NumberOption.require(number, "--threads", in: Self.allowed) }

    var count: Int { number ?? ProcessInfo.processInfo.activeProcessorCount }
}
