package import ArgumentParser
import Foundation

/// `--threads`, for every command that can use several cores.
package struct ThreadsOption: ParsableArguments {
    @Option(
        name: .customLong("threads"),
        help: "Cores to use (default: all). The result does not depend on it.")
    package var number: Int?

    /// Numbers that are allowed, for commands that have a default of their own, too.
    package static let allowed = 1...1024

    package init() {}

    package func validate() throws { try NumberOption.require(number, "--threads", in: Self.allowed) }

    package var count: Int { number ?? ProcessInfo.processInfo.activeProcessorCount }
}
