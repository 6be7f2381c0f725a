import Decoding
import Foundation
import Workload

/// Pins and notes about results: one small file in the folder, `workbench-notes.json`.
struct LibraryNotes: Codable, Equatable, Sendable {
    struct Note: Codable, Equatable, Sendable {
        var isPinned: Bool
        var text: String
    }

    static let name = "workbench-notes.json"
    private static let mostNotes = 1_000
    private static let longestNote = 4_000
    private static let limit = 16 << 20

    /// Notes by path of the result.
    var notes: [String: Note] = [:]

    /// - Returns: Empty notes where there is no file yet.
    static func read(_ folder: OpenedFolder) throws -> LibraryNotes {
        let place = try folder.place(name)
        guard FileManager.default.fileExists(atPath: place) else { return LibraryNotes() }
        guard let bytes = try? InputBytes.read(place, limit: limit), bytes.count <= limit,
            let notes = try? JSONReader.read(LibraryNotes.self, from: bytes)
        else {
            throw WorkbenchRefusal(422, "\(name) is no file of notes; move it away, and notes begin anew")
        }
        return notes
    }

    /// Changes one note and writes the file; an empty one is removed.
    mutating func set(_ note: Note, of path: String, in folder: OpenedFolder) throws {
        guard note.text.utf8.count <= Self.longestNote else {
            throw WorkbenchRefusal(413, "a note has at most \(Self.longestNote) bytes")
        }
        let isEmpty = !note.isPinned && note.text.allSatisfy(\.isWhitespace)
        notes[path] = isEmpty ? nil : note
        guard notes.count <= Self.mostNotes else {
            throw WorkbenchRefusal(413, "\(Self.mostNotes) results have notes already; remove some")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(self)
        try AtomicFile.write(to: try folder.place(Self.name), isPrivate: true) { try $0.write(data) }
    }
}
