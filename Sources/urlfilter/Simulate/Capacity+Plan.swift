import ArgumentParser
import CommandSupport
import Experiment
import Foundation
import Report
import Workload

/// What a plan of servers can be asked.
struct PlanArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Devices that are simulated for the demand, in the proportions of the fleet (default: 5000).",
            valueName: "count"), transform: CountOption.parse)
    var sample: Int?

    @Option(
        help: ArgumentHelp(
            "Values of a setting to choose from: services.pir.shards=1,4,16; several make a grid.",
            valueName: "path=values"))
    var vary: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Choose shards, rlweParameters and the prefilter's tolerance, too: 1, 4 or 16 shards, four parameter sets, 0.001 to 0.00001, or what --vary names."
        ))
    var search = false

    @Flag(help: "Simulate every combination, not only those that closed forms cannot rule out.")
    var exhaustive = false

    @Option(
        help: ArgumentHelp(
            "Growth of the fleet a month, such as 5% or 3%..8%: says when the next servers are due.",
            valueName: "share"),
        transform: { try GrowthOption.parse($0) })
    var growth: ClosedRange<Double>?

    @Option(
        help: ArgumentHelp(
            "How long a launch takes where the scenario does not say (default: 4h, an assumption).",
            valueName: "time"))
    var rollOut: String?

    @Flag(help: "No simulation of launch, restart and the plan itself: the closed forms' answer, soon.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Keep simulations that have ended, the answer, the sheets for Apple and the load-test plan there; go on there"
                + " after an interruption.",
            valueName: "directory"))
    var output: String?

    static let defaultSample = 5_000
    static let defaultRollOut = "4h"

    var isGiven: Bool {
        sample != nil || growth != nil || !vary.isEmpty || rollOut != nil || quick || output != nil || search
            || exhaustive
    }

    func validate() throws {
        if quick, exhaustive {
            throw ValidationError("--quick simulates one combination and --exhaustive all; leave one out")
        }
        try NumberOption.require(sample, "--sample", in: 1...10_000_000)
        try NumberOption.require(growth?.lowerBound, "--growth", in: 0.0001...10)
        try NumberOption.require(growth?.upperBound, "--growth", in: 0.0001...10)
    }
}

/// Growth of a month: `5%`, or `3%..8%` where it is not known better.
enum GrowthOption {
    static func parse(_ text: String) throws -> ClosedRange<Double> {
        let shares = text.hasSuffix("/month") ? String(text.dropLast(6)) : text
        guard let dots = shares.range(of: "..") else {
            let share = try ShareOption.parse(shares)
            return share...share
        }
        let low = try ShareOption.parse(String(shares[..<dots.lowerBound]))
        let high = try ShareOption.parse(String(shares[dots.upperBound...]))
        guard low <= high else {
            throw ValidationError(
                "--growth is from \(shares[..<dots.lowerBound]) down to"
                    + " \(shares[dots.upperBound...]); write the smaller one first")
        }
        return low...high
    }
}

extension Capacity {
    /// The cheapest servers for the whole fleet.
    func planServers() async throws {
        let maker = try ServerPlanMaker(self)
        defer { maker.simulation.end() }
        let result = try await maker.make()
        if let html {
            let page = ServerPlanPage.render(result, arguments: CommandLine.arguments)
            try AtomicFile.write(to: html, isPrivate: true) { try $0.write(page) }
        }
        if let output = planning.output {
            try AtomicFile.write(to: "\(output)/plan.json", isPrivate: true) {
                try $0.write(try JSONText.render(result))
            }
        }
        try Terminal.print(
            json
                ? JSONText.render(result)
                : details ? ServerPlanText.renderDetails(result) : ServerPlanText.render(result))
        if result.best == nil { throw ExitStatus.objectiveMissed.code }
        if result.confirmation == .misses { throw ExitStatus.objectiveMissed.code }
    }
}
