import ArgumentParser
import EventSimulation

/// Prints what must not depend on the build, so that two builds can be compared.
struct Fingerprint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the fingerprints of short runs: equal for a debug and a release build.")

    func run() throws {
        Self.printRun("M/M/1 at 0.8", StationModel(load: 0.8, servers: 1, seed: 1), seconds: 20_000)
        Self.printRun("M/M/16 at 0.9", StationModel(load: 0.9, servers: 16, seed: 1), seconds: 2_000)
        Self.printRun("pipe", PipeModel(), seconds: 2)
        for pattern in DelayPattern.allCases {
            Self.printRun(
                "hold, \(pattern.rawValue)", HoldModel(pending: 3_000, pattern: pattern), seconds: 8)
        }
    }

    private static func printRun<Model: SimulationModel>(
        _ name: String, _ model: Model, seconds: Double
    ) where Model.Failure == Never {
        var kernel = Kernel(model: model)
        kernel.run(until: SimulatedTime.start.advanced(by: .seconds(seconds)))
        let digits = String(kernel.fingerprint, radix: 16)
        print(
            "\(name): \(kernel.eventCount) events, \(String(repeating: "0", count: 16 - digits.count))\(digits)"
        )
    }
}
