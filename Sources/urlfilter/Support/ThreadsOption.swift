import ArgumentParser
import Foundation

/// `--threads`, for every command that can use several cores.
struct ThreadsOption: ParsableArguments {
    @Option(
        name: .customLong("threads"),
        help: "Cores to use (default: all). The result does not depend on it.")
    var number: Int?

    func validate() throws {
        if let number, !(1...1024).contains(number) {
            throw ValidationError("--threads is \(number); it must be in 1...1024")
        }
    }

    var count: Int { number ?? ProcessInfo.processInfo.activeProcessorCount }
}
