import ArgumentParser
import CommandSupport
import Experiment

/// The options that make several points of one scenario.
struct VaryArguments: ParsableArguments {
    @Option(
        name: .customLong("vary"),
        help: ArgumentHelp(
            "Values of one setting, on top of the scenario's 'vary'; repeatable.",
            discussion: """
                a,b,c a list; 1..9:2 a range with a step; log:1e3..1e6:7 so many values on a logarithmic
                scale. Units stay: 10ms..50ms:10ms. Several --vary make a grid.
                """.flowing, valueName: "path=values"))
    var assignments: [String] = []

    @Option(
        help: ArgumentHelp(
            "That many points of a Sobol sequence instead of a grid; ranges then have no step: 1..9, log:1e3..1e6.",
            valueName: "points"))
    var sobol: Int?

    @Option(
        help: ArgumentHelp(
            "First-order and total Sobol indices from n * (settings + 2) points; ranges as with --sobol.",
            valueName: "n"))
    var sensitivity: Int?

    func validate() throws {
        if sobol != nil, sensitivity != nil {
            throw ValidationError("give --sobol or --sensitivity, not both")
        }
    }

    var isEmpty: Bool { assignments.isEmpty && sobol == nil && sensitivity == nil }

    var options: VaryOptions {
        var options = VaryOptions()
        options.assignments = assignments
        options.sobol = sobol
        options.sensitivity = sensitivity
        return options
    }
}
