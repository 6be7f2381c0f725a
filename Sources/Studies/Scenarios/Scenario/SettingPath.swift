/// The place of a setting in the tree of a scenario, as `--set` and the messages write it.
///
///     devices[students].browsing.profile
///
/// A step into a list names the element by its `name`, or by its place from 0 if it has none; `*` is every element.
package struct SettingPath {
    struct Step: Hashable {
        var key: String
        /// Text in brackets after the key.
        var element: String?
    }

    static let everyElement = "*"

    let text: String
    let steps: [Step]

    /// - Parameter text: From the command line.
    package init(_ text: String) throws(ScenarioError) {
        func refusal(_ sentence: String) -> ScenarioError {
            ScenarioError(file: "--set", field: text, problem: .syntax(sentence))
        }
        var steps: [Step] = []
        for part in Self.parts(of: text) {
            var step = Step(key: part, element: nil)
            if let bracket = part.firstIndex(of: "[") {
                let element = part[part.index(after: bracket)...]
                guard element.last == "]", !element.dropLast().contains(where: { "[]".contains($0) }) else {
                    throw refusal("has a bracket out of place; write for example devices[students].count")
                }
                step = Step(key: String(part[..<bracket]), element: String(element.dropLast()))
            }
            guard !step.key.isEmpty, step.element != "" else {
                throw refusal("has an empty part in its path")
            }
            steps.append(step)
        }
        self.text = text
        self.steps = steps
    }

    /// Splits at the dots outside brackets.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var isInside = false
        for character in text {
            if character == "[" { isInside = true }
            if character == "]" { isInside = false }
            if character == ".", !isInside {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
