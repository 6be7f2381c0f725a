import Crypto
import Decoding
import FleetModel
import Foundation
import Workload

/// One line of a manifest: replications of one point, to be run anywhere, in any order, any number of times.
package struct WorkUnit: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.work/1"
    /// The folder of results, so that none replaces a document of the sweep.
    static let folder = "work/"

    package var schema = Self.schema
    /// Which sweep it belongs to: a hash of everything it asks.
    package var sweep: String
    /// Number from 0, in the order of the design.
    package var point: Int
    /// Settings that the point varies, by path.
    package var settings: [String: String]
    /// The first replication.
    package var first: Int
    /// How many; absent for as many as the scenario's precision takes.
    package var count: Int?
    /// The file of the result, relative to the manifest.
    package var result: String
}

/// Findings of a unit of work: enough to go on as if it had been run here.
struct WorkResult: Codable, Sendable {
    static let schema = "urlfilter.workresult/1"

    var schema = Self.schema
    var unit: WorkUnit
    /// Version of the program.
    var version: String
    /// Warm-up found by a pilot replication, if there was one.
    var pilot: WarmUpChoice?
    var records: [ReplicationRecord]

    /// Larger files are refused unread.
    private static let maximumByteCount = 1 << 30

    /// - Returns: `nil` when there is no file.
    static func read(_ path: String) throws -> WorkResult? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data = try InputBytes.read(path, limit: maximumByteCount)
        guard data.count <= maximumByteCount else {
            throw SweepError.badWork(path, reason: "is larger than \(maximumByteCount) bytes")
        }
        do {
            let result = try JSONReader.read(WorkResult.self, from: data)
            guard result.schema == schema else {
                throw SweepError.badWork(path, reason: "its schema is '\(result.schema)', not '\(schema)'")
            }
            return result
        } catch let error as DecodingError {
            throw SweepError.badWork(path, reason: "not the result of 'sweep work': \(error.sentence)")
        }
    }
}

/// The file `manifest.jsonl` of a sweep directory.
package struct WorkManifest: Sendable {
    package let path: String
    package let units: [WorkUnit]

    package static let name = "manifest.jsonl"
    /// Larger files are refused unread.
    private static let maximumByteCount = 256 << 20

    /// The sweep directory.
    package var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// - Parameter path: The manifest or its folder.
    package init(path: String) throws {
        var isDirectory: ObjCBool = false
        let isFolder = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let file = isFolder && isDirectory.boolValue ? "\(path)/\(Self.name)" : path
        guard FileManager.default.fileExists(atPath: file) else {
            throw SweepError.badWork(file, reason: "there is no such file; 'sweep manifest' writes one")
        }
        let data = try InputBytes.read(file, limit: Self.maximumByteCount)
        guard data.count <= Self.maximumByteCount else {
            throw SweepError.badWork(file, reason: "is larger than \(Self.maximumByteCount) bytes")
        }
        var units: [WorkUnit] = []
        for line in data.split(separator: UInt8(ascii: "\n")) {
            do {
                let unit = try JSONReader.read(WorkUnit.self, from: Data(line))
                guard unit.isPlausible else { throw SweepError.badWork(file, reason: "") }
                units.append(unit)
            } catch {
                throw SweepError.badWork(
                    file,
                    reason: "line \(units.count + 1) is no unit of work; write it again with 'sweep manifest'"
                )
            }
        }
        self.path = URL(fileURLWithPath: file).standardizedFileURL.path
        self.units = units
    }

    /// Data that a worker needs beside its line, in a file, because databases do not like network folders.
    struct Ticket: Codable {
        var source: SweepPlan.Source
        var question: SweepQuestion
        /// SHA-256 of every file behind the numbers.
        var inputs: [String: String]
    }

    private var ticketPath: String { folder + "/sweep.json" }

    func ticket() throws -> Ticket {
        guard let data = try? InputBytes.read(ticketPath, limit: Self.maximumByteCount),
            let ticket = try? JSONReader.read(Ticket.self, from: data)
        else {
            throw SweepError.badWork(
                ticketPath, reason: "is missing or damaged; write it again with 'sweep manifest'")
        }
        return ticket
    }

    static func write(_ units: [WorkUnit], _ ticket: Ticket, to directory: ResultDirectory) throws {
        try directory.write(try JSONText.line(ticket), to: "sweep.json")
        var text = Data()
        for unit in units { text += try JSONText.line(unit) + Data("\n".utf8) }
        try directory.write(text, to: name)
    }
}

extension WorkUnit {
    /// Numbers that a manifest can hold, and a file inside its folder.
    fileprivate var isPlausible: Bool {
        schema == Self.schema && (0...SweepDesign.maximumRows).contains(point)
            && (0...1_000_000).contains(first) && (1...1_000_000).contains(count ?? 1)
            && result.hasPrefix(Self.folder) && !result.contains("..")
    }
}

extension SweepQuestion {
    /// A hash of everything that makes the numbers, for units of work.
    var identifier: String {
        get throws {
            var question = self
            // Where the profile stands is no part of it.
            question.profile = nil
            return SHA256.hash(data: try JSONText.line(question)).prefix(12).hexadecimal
        }
    }
}

extension WorkManifest {
    /// Folders of files that the work reads and that are not in the sweep directory, sorted; of one inside another only
    /// the outer one.
    package var inputFolders: [String] {
        get throws {
            let files = try ticket().inputs.keys
            let folders = Set(
                files.map { URL(fileURLWithPath: $0).standardizedFileURL.deletingLastPathComponent().path }
            ).filter { !Self.is($0, in: folder) }
            return folders.filter { one in !folders.contains { $0 != one && Self.is(one, in: $0) } }.sorted()
        }
    }

    private static func `is`(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder + "/")
    }
}
