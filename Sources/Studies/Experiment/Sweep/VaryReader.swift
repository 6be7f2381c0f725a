import Decoding
import Scenarios
import Yams

/// Additions of the command line to the group `vary` of a scenario.
package struct VaryOptions: Sendable {
    /// `path=a,b,c`, `path=1..9:2`, `path=log:1e3..1e6:7`; a path that the file varies too is replaced.
    package var assignments: [String] = []
    /// Points of a Sobol sequence instead of a grid.
    package var sobol: Int?
    /// Base of a sensitivity design instead of a grid.
    package var sensitivity: Int?

    package init() {}
}

/// Reads the group `vary` of a scenario and the options of the command line, keeping the place of each value.
struct VaryReader {
    struct Entry {
        var path: String
        var values: VariedSetting.Values
        /// The place of the values: `--vary`, or the file with line and column.
        var origin: ScenarioError
    }

    /// Groups of `vary` that are no path.
    private static let designs = ["sobol", "sensitivity"]

    private(set) var entries: [Entry] = []
    private(set) var design = SweepDesign.grid

    init(_ file: ScenarioFile, options: VaryOptions) throws {
        if let node = file.root.mapping?["vary"], node.null == nil { try read(node, of: file.path) }
        var given: Set<String> = []
        for assignment in options.assignments {
            guard let equals = assignment.firstIndex(of: "="), equals != assignment.startIndex else {
                throw ScenarioError(
                    file: "--vary", field: assignment,
                    problem: .missing(example: "--vary services.pir.cores=2,4,8"))
            }
            let path = String(assignment[..<equals])
            guard given.insert(path).inserted else { throw SweepError.twice(path: path) }
            let origin = ScenarioError(file: "--vary", field: path, problem: .syntax(""))
            let values = try Self.values(String(assignment[assignment.index(after: equals)...]), origin)
            let entry = Entry(path: path, values: values, origin: origin)
            if let index = entries.firstIndex(where: { $0.path == path }) {
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
        switch (options.sobol, options.sensitivity) {
        case (nil, nil): break
        case (let points?, nil): design = .sobol(points: points)
        case (nil, let base?): design = .sensitivity(base: base)
        case (.some, .some): throw SweepError.twoDesigns
        }
        if design != .grid, entries.isEmpty { throw SweepError.nothingVaries }
    }

    /// Sets every path to its first value, so that a complaint comes before anything is simulated.
    func check(in base: ScenarioFile) throws { _ = try resolve(entries.map { $0.values.first }, in: base) }

    /// The scenario with one value per entry; a complaint about one of them names its place.
    func resolve(_ values: [String], in base: ScenarioFile) throws -> Scenario {
        var file = base
        for (entry, text) in zip(entries, values) {
            do {
                let value = try ScenarioFile.tree(text, file: "--vary \(entry.path)") ?? ScenarioFile.nothing
                file = try file.setting(SettingPath(entry.path), to: ScenarioFile.withoutPlace(value))
            } catch let error as ScenarioError {
                throw error.moved(to: entry.origin)
            }
        }
        do {
            return try ScenarioResolver.resolve(file)
        } catch let error as ScenarioError {
            // Only values from a command line have no place; the other settings have been read before.
            guard error.line == 0, error.file == "--set",
                let entry = entries.first(where: { error.concerns($0.path) })
            else { throw error }
            throw error.moved(to: entry.origin)
        }
    }

    private mutating func read(_ node: Node, of file: String) throws {
        guard let group = node.mapping else {
            throw Self.place(node, "vary", file).with(
                .wrongKind(found: SettingsReader.excerpt(node), expected: "a group of settings"))
        }
        for (key, value) in group {
            let name = key.scalar?.string ?? ""
            if Self.designs.contains(name) {
                try readDesign(name, value, of: file, alone: group.count == 1)
            } else {
                try append(name, value, field: "vary.\(name)", of: file)
            }
        }
    }

    private mutating func readDesign(_ name: String, _ node: Node, of file: String, alone: Bool) throws {
        let field = "vary.\(name)"
        guard let group = node.mapping else {
            throw Self.place(node, field, file).with(
                .wrongKind(found: SettingsReader.excerpt(node), expected: "a group of settings"))
        }
        guard alone else {
            throw Self.place(node, field, file).with(
                .conflict("stands beside other settings; write all of them inside it"))
        }
        let size = name == "sobol" ? "points" : "base"
        for (key, value) in group where key.scalar?.string != size {
            let path = key.scalar?.string ?? ""
            try append(path, value, field: "\(field).\(path)", of: file)
        }
        guard let text = group[Node(size)] else {
            throw Self.place(node, "\(field).\(size)", file).with(.missing(example: "\(size): 64"))
        }
        guard let count = text.scalar.flatMap({ try? Quantity.count($0.string) }) else {
            throw Self.place(text, "\(field).\(size)", file).with(
                .wrongKind(found: SettingsReader.excerpt(text), expected: "a whole number"))
        }
        design = name == "sobol" ? .sobol(points: count) : .sensitivity(base: count)
    }

    private mutating func append(_ path: String, _ node: Node, field: String, of file: String) throws {
        let origin = Self.place(node, field, file)
        let values: VariedSetting.Values
        if let list = node.sequence {
            guard !list.isEmpty else { throw origin.with(VaryProblem.empty.problem) }
            guard list.count <= VariedRange.maximumCount else {
                throw origin.with(VaryProblem.tooMany(list.count).problem)
            }
            values = .list(list.map(Self.text))
        } else if let scalar = node.scalar {
            values = try Self.values(scalar.string, origin)
        } else if Spelling.closest(to: path, among: Self.designs) != nil {
            throw origin.with(.unknownKey(path, known: Self.designs))
        } else {
            throw origin.with(
                .wrongKind(found: SettingsReader.excerpt(node), expected: "a list or a range"))
        }
        entries.append(Entry(path: path, values: values, origin: origin))
    }

    private static func values(_ text: String, _ origin: ScenarioError) throws -> VariedSetting.Values {
        do {
            return try VariedSetting.Values(text: text)
        } catch {
            throw origin.with(error.problem)
        }
    }

    /// Text that YAML reads as this node.
    private static func text(_ node: Node) -> String {
        switch node {
        case .sequence(let list): "[" + list.map(text).joined(separator: ", ") + "]"
        case .mapping(let group):
            "{ " + group.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", ") + " }"
        case .scalar(let scalar): quoted(scalar.string)
        default: ""
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.contains { ",[]{}:#'\"&*!|>%@`\n".contains($0) }
        // A share may end in a percent sign.
        if isPlain || text.dropLast().allSatisfy({ $0.isNumber || $0 == "." }) { return text }
        return "'" + text.replacing("'", with: "''") + "'"
    }

    private static func place(_ node: Node, _ field: String, _ file: String) -> ScenarioError {
        ScenarioError(
            file: file, line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, field: field,
            problem: .syntax(""))
    }
}

extension VariedSetting.Values {
    /// The first value of a list, the lower end of a range.
    var first: String {
        switch self {
        case .list(let values): values.first ?? ""
        case .range(let range): range.text(of: range.low)
        }
    }
}

extension ScenarioError {
    fileprivate func with(_ problem: Problem) -> ScenarioError {
        ScenarioError(file: file, line: line, column: column, field: field, problem: problem)
    }

    /// The same complaint about a value that stands elsewhere.
    fileprivate func moved(to place: ScenarioError) -> ScenarioError {
        ScenarioError(
            file: place.file, line: place.line, column: place.column, field: field, problem: problem)
    }

    /// The complaint is about this setting, a group that it is in, or something in it.
    fileprivate func concerns(_ path: String) -> Bool {
        var full = field
        if case .unknownKey(let key, _) = problem { full = field.isEmpty ? key : "\(field).\(key)" }
        return path == full || path.hasPrefix(full + ".") || full.hasPrefix(path + ".")
    }
}
