import Crypto
import Decoding
import Foundation
import Scenarios
import Synchronization
import Workload

/// Reading, changing and saving scenarios.
extension Workbench {
    private struct FileAnswer: Encodable {
        var text: String
        var version: String
    }

    func read(_ asked: FileQuestion) throws -> WorkbenchAnswer {
        let place = try scenarioPlace(asked.path)
        let bytes = try InputBytes.read(place, limit: ScenarioFile.maximumByteCount)
        guard bytes.count <= ScenarioFile.maximumByteCount, let text = String(data: bytes, encoding: .utf8)
        else { throw WorkbenchRefusal(422, "\(asked.path) is no scenario: too large, or not UTF-8 text") }
        return try WorkbenchAnswer(json: FileAnswer(text: text, version: Self.version(bytes)))
    }

    /// Writes a first scenario, for a folder that has none; the list beside it may be one that was dropped.
    func create(_ asked: NewScenario) throws -> WorkbenchAnswer {
        let place = try scenarioPlace(asked.path)
        guard !FileManager.default.fileExists(atPath: place) else {
            throw WorkbenchRefusal(409, "\(asked.path) exists already; choose another name")
        }
        let entries = asked.list
        guard entries.utf8.count <= WorkbenchRequest.contentLimit / 2 else {
            throw WorkbenchRefusal(413, "such a list is put beside the scenario by hand, and named there")
        }
        let stem = URL(fileURLWithPath: place).deletingPathExtension().lastPathComponent
        let list = stem + "-list.txt"
        let listPlace = try folder.place(
            ((asked.path as NSString).deletingLastPathComponent as NSString).appendingPathComponent(list))
        guard !FileManager.default.fileExists(atPath: listPlace) else {
            throw WorkbenchRefusal(409, "\(list) exists already; choose another name")
        }
        let text = try asked.text(list: list, name: stem)
        try AtomicFile.write(to: listPlace) { try $0.write(Data(entries.utf8)) }
        try AtomicFile.write(to: place) { try $0.write(text) }
        return try WorkbenchAnswer(
            json: FileAnswer(text: text, version: Self.version(Data(text.utf8))))
    }

    /// Account of dropped files, of one request at a time.
    func look(at request: WorkbenchRequest) throws -> WorkbenchAnswer {
        let isFree = looks.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { throw WorkbenchRefusal(429, "another file is being looked at; try again") }
        defer { looks.withLock { $0 = false } }
        return try WorkbenchAnswer(json: DroppedFiles(request.content))
    }

    func resolve(_ asked: TextQuestion) throws -> WorkbenchAnswer {
        var reading = ScenarioReading(text: asked.text, path: try scenarioPlace(asked.path))
        if let problem = reading.problem {
            reading.problem?.sentence = Self.shortened(problem.sentence, folder.path)
        }
        return try WorkbenchAnswer(json: reading)
    }

    func set(_ asked: ChangeQuestion) throws -> WorkbenchAnswer {
        let text = try ScenarioText(asked.text, path: try scenarioPlace(asked.path))
        return try WorkbenchAnswer(
            json: try text.setting(asked.setting, to: asked.value, isText: asked.isText))
    }

    /// Writes what stands on the page, if the file is still the one that the page read.
    func save(_ asked: TextQuestion) throws -> WorkbenchAnswer {
        let place = try scenarioPlace(asked.path)
        let text = Data(asked.text.utf8)
        guard text.count <= ScenarioFile.maximumByteCount else {
            throw WorkbenchRefusal(413, "a scenario has at most \(ScenarioFile.maximumByteCount) bytes")
        }
        let present = try? InputBytes.read(place, limit: ScenarioFile.maximumByteCount)
        guard present.map(Self.version) == asked.version else {
            throw WorkbenchRefusal(
                409,
                asked.version == nil
                    ? "\(asked.path) exists already; choose another name"
                    : "\(asked.path) was changed meanwhile; save under another name, or load it again")
        }
        try AtomicFile.write(to: place) { try $0.write(text) }
        return try WorkbenchAnswer(json: FileAnswer(text: asked.text, version: Self.version(text)))
    }

    func scenarioPlace(_ path: String) throws -> String {
        guard path.hasSuffix(".yaml") || path.hasSuffix(".yml") else {
            throw WorkbenchRefusal(422, "a scenario's name ends in .yaml")
        }
        return try folder.place(path)
    }

    private static func version(_ bytes: Data) -> String { SHA256.hash(data: bytes).hexadecimal }
}
