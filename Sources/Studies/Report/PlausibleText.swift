import Scenarios
import Wording

/// List of what nobody told of a scenario.
enum PlausibleText {
    /// A heading, and an input in each row: name, value now, what it may be, source of the range, what settles it.
    static func lines(_ inputs: [PlausibleInput], width: Int) -> [String] {
        guard !inputs.isEmpty else {
            return ["What nobody knows: nothing that has a range; every figure is about chance alone"]
        }
        let heading = "What nobody knows, unless you do: --know NAME, or a range such as 60%..95%"
        let (names, nows) = (inputs.map(\.name), inputs.map(now))
        let columns = [names, nows].map { $0.map(\.count).max() ?? 0 }
        return [heading]
            + inputs.flatMap { input in
                let row =
                    "  \(Format.left(input.name, columns[0]))  \(Format.left(now(of: input), columns[1]))"
                    + "  \(Format.mayBe(range(of: input))) (\(input.source)): \(input.words); settled by"
                    + " \(input.settledBy)"
                return Format.wrapped(row, indent: "      ", width: width)
            }
    }

    /// One line for a screen that has no room for the ranges.
    static func line(_ inputs: [PlausibleInput]) -> String? {
        guard !inputs.isEmpty else { return nil }
        return "nobody knows \(inputs.map(\.name).joined(separator: ", ")): --all has what they may be"
    }

    /// Value of the scenario as the range writes its own; that of the file outside of it, and for words.
    static func now(of input: PlausibleInput) -> String {
        guard case .between = input.law, let place = input.nowPlace, (0...1).contains(place) else {
            return input.now
        }
        return input.value(at: place)
    }

    /// `30% to 60%`, or the choices.
    static func range(of input: PlausibleInput) -> String {
        switch input.law {
        case .between(let low, let high, _, let unit): Format.range(low, high) { unit.text($0) }
        case .choice(let choices): choices.map(\.value).joined(separator: ", ")
        }
    }
}
