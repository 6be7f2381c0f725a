import Decoding
import Experiment
import Foundation
import Scenarios
import Workload

/// Content of the folder: scenarios and results, each with what can be said of it at a glance.
struct FolderListing: Encodable {
    /// Looked at below the folder: assumption, more than anybody keeps in one place.
    private static let mostFiles = 20_000
    private static let deepest = 5
    private static let largestSummary = 64 << 20
    /// Settings of a result that can be filtered by, and characters of one.
    private static let mostSettings = 60
    private static let longestValue = 60

    /// One file or directory that is something.
    enum Line: Sendable {
        case scenario(ScenarioLine)
        case result(ResultLine)
    }

    struct ScenarioLine: Encodable, Sendable {
        var path: String
        /// The title, and the sentence that the file begins with.
        var name: String
        var words: String
        var problem: String?
    }

    struct ResultLine: Encodable, Sendable {
        /// `complete`, `unfinished` or `damaged`.
        var state: String
        var path: String
        var name: String
        var verdict: String?
        var points = 0
        /// Seconds since 1970.
        var date: Double
        var problem: String?
        /// Settings that somebody gave, as `--set` takes them, to filter by.
        var settings: [String] = []
        var isPinned = false
        var note: String?
    }

    var folder: String
    var scenarios: [ScenarioLine] = []
    var results: [ResultLine] = []
    var isCut = false

    private let cache: ListingCache
    private var met: Set<String> = []

    private enum CodingKeys: CodingKey {
        case folder, scenarios, results, isCut
    }

    init(_ folder: OpenedFolder, _ cache: ListingCache) throws {
        self.folder = folder.path
        self.cache = cache
        var looked = 0
        look(at: folder.path, "", depth: 0, &looked)
        cache.keep(only: met)
        let notes = try LibraryNotes.read(folder).notes
        for index in results.indices {
            let note = notes[results[index].path]
            (results[index].isPinned, results[index].note) = (note?.isPinned ?? false, note?.text)
        }
        scenarios.sort { $0.path < $1.path }
        results.sort { ($0.isPinned ? 1 : 0, $0.date) > ($1.isPinned ? 1 : 0, $1.date) }
    }

    /// A line as it was read before, if the file is the same.
    private mutating func line(_ path: String, of file: String, _ read: () -> Line?) -> Line? {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: file),
            let size = facts[.size] as? UInt64, let date = facts[.modificationDate] as? Date
        else { return read() }
        met.insert(path)
        return cache.line(path, ListingCache.Stamp(size: size, date: date), read: read)
    }

    private mutating func add(_ line: Line) {
        switch line {
        case .scenario(let line): scenarios.append(line)
        case .result(let line): results.append(line)
        }
    }

    private mutating func look(at folder: String, _ prefix: String, depth: Int, _ looked: inout Int) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() where !name.hasPrefix(".") && !name.hasPrefix("-") {
            looked += 1
            guard looked <= Self.mostFiles else {
                isCut = true
                return
            }
            let (path, relative) = (folder + "/" + name, prefix + name)
            guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else { continue }
            switch facts[.type] as? FileAttributeType {
            case .typeRegular where name.hasSuffix(".yaml") || name.hasSuffix(".yml"):
                let found = line(path, of: path) { Self.scenario(path, relative).map(Line.scenario) }
                if let found { add(found) }
            case .typeDirectory:
                let found = line(path, of: Self.document(of: path)) {
                    Self.result(path, relative).map(Line.result)
                }
                if let found {
                    add(found)
                } else if depth < Self.deepest {
                    look(at: path, relative + "/", depth: depth + 1, &looked)
                }
            default: continue
            }
        }
    }

    /// - Returns: `nil` for YAML that is about something else.
    private static func scenario(_ path: String, _ relative: String) -> ScenarioLine? {
        guard let bytes = try? InputBytes.read(path, limit: ScenarioFile.maximumByteCount) else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("devices"), text.contains("blocklist") else { return nil }
        var line = ScenarioLine(path: relative, name: relative, words: opening(text))
        do {
            let plan = try SweepPlan(ScenarioFile(path: path))
            line.name = plan.points.first?.scenario.name ?? relative
        } catch {
            line.problem = "\(error)".replacing(path, with: relative)
        }
        return line
    }

    /// The first sentence of the comment above a scenario.
    private static func opening(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("#") }
            .filter { !$0.contains("yaml-language-server") }
            .map { $0.drop { $0 == "#" || $0 == " " } }
        let paragraph = lines.prefix { !$0.isEmpty }.joined(separator: " ")
        let end = paragraph.firstRange(of: #/[.?!] /#)?.lowerBound
        return String((end.map { paragraph[...$0] } ?? paragraph[...]).prefix(200))
    }

    private struct Head: Decodable {
        struct Scenario: Decodable {
            var name: String
            var settings: [Setting]
        }
        struct Setting: Decodable {
            var path: String
            var value: String
            var defaultSource: String?
        }
        struct Point: Decodable {
            var objectives: [Objective]?
        }
        struct Objective: Decodable {
            var verdict: ObjectiveResult.Verdict
        }

        var schema: String
        var finished: Bool
        var scenario: Scenario
        var points: [Point]
    }

    /// The file of a directory that says whether what is known of it still holds.
    private static func document(of path: String) -> String {
        let summary = path + "/summary.json"
        return FileManager.default.fileExists(atPath: summary) ? summary : path + "/results.sqlite"
    }

    /// - Returns: `nil` for a directory that is no result.
    private static func result(_ path: String, _ relative: String) -> ResultLine? {
        func date(_ name: String) -> Date? {
            (try? FileManager.default.attributesOfItem(atPath: path + "/" + name))?[.modificationDate]
                as? Date
        }
        let name = (relative as NSString).lastPathComponent
        guard let date = date("summary.json") else {
            guard let begun = Self.begun(path) else { return nil }
            return ResultLine(
                state: "unfinished", path: relative, name: name, date: begun.timeIntervalSince1970)
        }
        var line = ResultLine(
            state: "complete", path: relative, name: name, date: date.timeIntervalSince1970)
        guard let bytes = try? InputBytes.read(path + "/summary.json", limit: largestSummary),
            bytes.count <= largestSummary
        else {
            return line.damaged("summary.json is too large, or cannot be read")
        }
        guard let head = try? JSONReader.read(Head.self, from: bytes), head.schema == RunResult.schema else {
            return line.damaged("summary.json is not a result of this version")
        }
        line.name = head.scenario.name
        line.settings = head.scenario.settings.filter { $0.defaultSource == nil }.prefix(mostSettings)
            .map { "\($0.path)=\($0.value.prefix(longestValue))" }
        line.points = head.points.count
        line.verdict = verdict(head.points.flatMap { $0.objectives ?? [] }.map(\.verdict))
        if !head.finished { line.state = "unfinished" }
        return line
    }

    private static func begun(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path + "/results.sqlite"))?[.modificationDate]
            as? Date
    }

    /// - Returns: `nil` where nothing was asked.
    private static func verdict(_ verdicts: [ObjectiveResult.Verdict]) -> String? {
        if verdicts.isEmpty { return nil }
        if verdicts.contains(.fail) { return "fail" }
        return verdicts.contains(.cannotTell) ? "cannot tell" : "pass"
    }
}

extension FolderListing.ResultLine {
    fileprivate func damaged(_ problem: String) -> Self {
        var line = self
        line.state = "damaged"
        line.problem = problem
        return line
    }
}
