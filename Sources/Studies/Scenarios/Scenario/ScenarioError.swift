import Decoding

/// A setting that cannot be used, and where it is in the scenario.
package struct ScenarioError: InputFault, Equatable {
    package enum Problem: Equatable, Sendable {
        case syntax(String)
        /// - Parameter known: Keys that may stand there.
        case unknownKey(String, known: [String])
        case missing(example: String)
        case missingUnit(String, example: String)
        case wrongKind(found: String, expected: String)
        case outOfRange(String, allowed: String)
        case unknownName(String, allowed: [String])
        case conflict(String)
    }

    /// The scenario file, or `--set` for a value from the command line.
    package let file: String
    /// 1-based; 0 when the place is not in the file.
    package let line: Int
    package let column: Int
    /// Dotted path of the setting, for example `services.pir.cores`.
    package let field: String
    package let problem: Problem

    package init(file: String, line: Int = 0, column: Int = 0, field: String, problem: Problem) {
        self.file = file
        self.line = line
        self.column = column
        self.field = field
        self.problem = problem
    }
}

extension ScenarioError: CustomStringConvertible {
    package var description: String {
        let place = line > 0 ? "\(file):\(line):\(column): " : "\(file): "
        let detail =
            switch problem {
            case .syntax(let text): text
            case .unknownKey(let key, let known):
                "unknown key '\(Self.shown(key))'; "
                    + (Spelling.closest(to: key, among: known).map { "did you mean '\($0)'?" }
                        ?? "there are \(known.sorted().joined(separator: ", "))")
            case .missing(let example): "is missing; write for example \(example)"
            case .missingUnit(let found, let example):
                "'\(Self.shown(found))' has no unit; write for example \(example)"
            case .wrongKind(let found, let expected): "'\(Self.shown(found))' is not \(expected)"
            case .outOfRange(let found, let allowed):
                "\(Self.shown(found)) is outside the allowed range \(allowed)"
            case .unknownName(let found, let allowed):
                "'\(Self.shown(found))' is not known; it must be one of \(allowed.joined(separator: ", "))"
                    + (allowed.count > 1
                        ? Spelling.closest(to: found, among: allowed).map { "; did you mean '\($0)'?" } ?? ""
                        : "")
            case .conflict(let text): text
            }
        return field.isEmpty ? place + detail : "\(place)\(Self.shown(field)): \(detail)"
    }

    /// Text from the file, short and without anything that moves a cursor.
    private static func shown(_ text: String) -> String {
        let printable = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : "\($0)" }
        return printable.count > 80 ? printable.prefix(79).joined() + "…" : printable.joined()
    }
}
