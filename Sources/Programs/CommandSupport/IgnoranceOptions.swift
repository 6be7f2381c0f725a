package import ArgumentParser

/// Options of every command that says what nobody knows beside what chance does.
package struct IgnoranceOptions: ParsableArguments {
    @Option(
        name: .customLong("know"),
        help: ArgumentHelp(
            "An assumption that is none here: its name in 'urlfilter plan', or the path of a setting (repeatable).",
            valueName: "name or path"))
    package var known: [String] = []

    @Flag(help: "Say what chance does alone, as if every assumption were known.")
    package var chanceOnly = false

    @Option(help: ArgumentHelp("So many draws of what nobody knows.", valueName: "count"))
    package var plausible = usualPoints

    package static let usualPoints = 40

    package init() {}

    package func validate() throws {
        try NumberOption.require(plausible, "--plausible", in: 4...10_000)
    }
}
