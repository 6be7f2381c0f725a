import Crypto
import Decoding
import Foundation
import Scenarios

/// Question that a sweep asks, to tell whether a directory holds the same one.
package struct SweepQuestion: Codable, Equatable, Sendable {
    /// Version of the program.
    var version: String
    var design: SweepDesign
    /// Values by path, as `--vary` takes it.
    var varied: [String: String]
    /// Everything else, of the first point, by path.
    var settings: [String: String]
    /// SHA-256 over all settings of all points.
    var points: String
    /// A bad line of a list or trace is an error.
    var isStrict: Bool
    /// Cost profile of the command line; what it holds is compared, not where it is.
    var profile: String?
    /// SHA-256 of the files that the scenario names; cost profiles of a cache come later.
    var inputs: [String: String]
    /// Absent unless the result has them; see ``Preparation/Options/keepsArrivals``.
    var keepsArrivals: Bool?

    package init(_ plan: SweepPlan, options: Preparation.Options, version: String) throws {
        self.version = version
        design = plan.design
        varied = Dictionary(uniqueKeysWithValues: plan.settings.map { ($0.path, $0.text) })
        let all = plan.points.map { point in point.scenario.settings.map { [$0.path, $0.value] } }
        points = SHA256.hash(data: try JSONText.line(all)).hexadecimal
        let first = plan.points.first?.scenario.settings ?? []
        settings = Dictionary(first.map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
            .filter { setting in !plan.settings.contains { $0.path == setting.key } }
        isStrict = options.isStrict
        profile = options.profile
        keepsArrivals = options.keepsArrivals ? true : nil
        inputs = [:]
        for file in Set(plan.points.flatMap { $0.scenario.inputFiles(options) }) {
            // One that is missing is reported when a point reads it.
            if let hash = Self.sha256(ofFile: file) { inputs[file] = hash }
        }
    }

    init(json: String) throws { self = try JSONReader.read(Self.self, from: Data(json.utf8)) }

    package func json() throws -> String { try JSONText.renderLine(self) }

    /// Differences from an earlier question, a sentence each; empty for the same one.
    func differences(from earlier: SweepQuestion) -> [String] {
        var sentences: [String] = []
        func compare(_ what: String, _ here: String?, _ there: String?) {
            guard here != there else { return }
            sentences.append("\(what) is \(there ?? "not set") there and \(here ?? "not set") here")
        }
        compare("the program's version", version, earlier.version)
        compare("the design", design.text, earlier.design.text)
        for path in Set(varied.keys).union(earlier.varied.keys).sorted() {
            compare("vary \(path)", varied[path], earlier.varied[path])
        }
        for path in Set(settings.keys).union(earlier.settings.keys).sorted()
        where varied[path] == nil && earlier.varied[path] == nil {
            compare(path, settings[path], earlier.settings[path])
        }
        if isStrict != earlier.isStrict { sentences.append("only one of the two is --strict") }
        for file in Set(inputs.keys).intersection(earlier.inputs.keys).sorted()
        where inputs[file] != earlier.inputs[file] {
            sentences.append("\(file) has changed")
        }
        if sentences.isEmpty, points != earlier.points { sentences.append("the points differ") }
        return sentences
    }

    /// - Returns: `nil` for a file that cannot be read, and for what is no file: a pipe would have to be waited for.
    static func sha256(ofFile path: String) -> String? {
        let type = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type]
        guard type as? FileAttributeType == .typeRegular, let handle = FileHandle(forReadingAtPath: path)
        else { return nil }
        defer { try? handle.close() }
        var hash = SHA256()
        do {
            while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty { hash.update(data: chunk) }
        } catch {
            return nil
        }
        return hash.finalize().hexadecimal
    }
}

extension Scenario {
    /// Files that the scenario names, and the cost profile of the command line.
    package func inputFiles(_ options: Preparation.Options) -> [String] {
        var files = [blocklist.file]
        for group in devices {
            if case .trace(let trace) = group.browsing { files.append(trace.file) }
        }
        // Which one of a folder is needed, the list says.
        if fidelity == .calibrated, let profile = options.profile ?? pir.profile,
            !ProfileCache.isFolder(profile)
        {
            files.append(profile)
        }
        if let file = prices.file { files.append(file) }
        return files
    }
}

extension Preparation {
    /// SHA-256 of the files behind the numbers; the scenario's settings are compared one by one instead.
    func hashedInputs(except known: [String: String] = [:]) -> [String: String] {
        var hashes: [String: String] = [:]
        for file in paths where file != scenario.file && known[file] == nil {
            hashes[file] = SweepQuestion.sha256(ofFile: file)
        }
        return hashes
    }
}
