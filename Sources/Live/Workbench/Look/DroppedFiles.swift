import Decoding
import Experiment
import Foundation
import ListAnalysis
import Report
import Scenarios
import URLFilter
import Workload

/// A list, a log or both that somebody dropped on the page: what they are, what is wrong with them, and what the one
/// would block of the other. Nothing is written.
struct DroppedFiles: Encodable {
    /// First line of the request; the bytes of the files follow, the list first.
    struct Head: Decodable {
        var files: [File]

        struct File: Decodable {
            var name: String
            var bytes: Int
            /// `list` or `log`; absent: recognised.
            var kind: String?
        }
    }

    struct Cause: Encodable {
        var severity: String
        var words: String
        var count: Int
        var examples: [String]
    }

    struct List: Encodable {
        var name: String
        var format: String
        var lines: Int
        var entries: Int
        var errors: Int
        var warnings: Int
        var causes: [Cause]
        /// Text of `urlfilter lint`.
        var text: String
        var command: String
    }

    struct Log: Encodable {
        var name: String
        var format: String
        var requests: Int
        var dropped: Int
        var clients: Int
        var seconds: Double
        /// Clock-times of a log are its own business; this is how often a device asks.
        var requestsPerClientDay: Double?
        var command: String
    }

    struct Blocked: Encodable {
        var entry: String
        var requests: Int
        var clients: Int
        var hosts: Int
        var doubts: [String]
        var examples: [String]
    }

    /// Effect of the list on the log.
    struct Check: Encodable {
        var text: String
        var blocked: Int
        var requests: Int
        var entries: [Blocked]
        var command: String
    }

    var list: List?
    var log: Log?
    var check: Check?

    /// Bytes of a request: a list of 10^6 entries and a day of a school have room.
    static let limit = 96 << 20
    private static let mostCauses = 24
    private static let mostEntries = 200
    private static let generations: [RulesGeneration] = [.iOS26, .documented]

    init(_ content: [UInt8]) throws {
        guard let end = content.firstIndex(of: UInt8(ascii: "\n")), end < 8_192,
            let head = try? JSONReader.read(Head.self, from: Data(content[..<end])),
            (1...2).contains(head.files.count), head.files.allSatisfy({ $0.bytes >= 0 })
        else { throw WorkbenchRefusal(400, "the request is not what this page sends") }
        var place = end + 1
        var listed: (list: LocatedBlockList, name: String)?
        var logged: (bytes: [UInt8], name: String)?
        for file in head.files {
            guard file.bytes <= content.count - place else {
                throw WorkbenchRefusal(400, "the request is shorter than it says")
            }
            let bytes = Array(content[place..<place + file.bytes])
            place += file.bytes
            let name = String(file.name.split(separator: "/").last ?? "file").prefix(120)
            if file.kind == "log" || file.kind == nil && Self.isLog(bytes, String(name)) {
                logged = (bytes, String(name))
            } else {
                listed = (try LocatedBlockList(bytes: bytes, name: String(name)), String(name))
            }
        }
        if let listed { list = Self.list(listed.list, listed.name) }
        guard let logged else { return }
        var checker = listed.map { LogChecker(BlockListIndex($0.list.list), generations: Self.generations) }
        log = try Self.log(logged.bytes, logged.name) { checker?.add($0) }
        if let checker, let listed { check = Self.check(checker, log: logged.name, list: listed.name) }
    }

    /// Formats that no list has.
    private static func isLog(_ bytes: [UInt8], _ name: String) -> Bool {
        guard let source = try? ByteSource(bytes: bytes, name: name),
            let reader = try? TraceReader(source)
        else { return false }
        switch reader.format {
        case .har, .squid, .commonLog, .fieldsLog, .loadBalancer, .resolverLog: return true
        // A list may be a table, or lines; what says who asked is a log.
        default:
            let head = String(decoding: bytes.prefix(400), as: UTF8.self).lowercased()
            let first = head.prefix { $0 != "\n" }
            return first.contains("url")
                && ["client", "device", "user", "src"].contains { first.contains($0) }
        }
    }

    private static func list(_ located: LocatedBlockList, _ name: String) -> List {
        let linter = ListLinter(located, generations: generations)
        var summary = LintSummaryText()
        var causes: [String: Cause] = [:]
        let counts = linter.lint { finding in
            summary.add(finding)
            let words = finding.cause ?? finding.code.rawValue
            let key = "\(finding.severity.rawValue) \(words)"
            // Causes are few, but nobody promises it.
            guard causes[key] != nil || causes.count < 500 else { return }
            var cause =
                causes[key]
                ?? Cause(severity: finding.severity.rawValue, words: words, count: 0, examples: [])
            cause.count += 1
            if cause.examples.count < 3 {
                cause.examples.append("\(finding.place): \(finding.entry): \(finding.message)")
            }
            causes[key] = cause
        }
        return List(
            name: name, format: located.report.format, lines: counts.lines, entries: counts.entries,
            errors: counts.errors, warnings: counts.warnings,
            causes: Array(
                causes.values.sorted {
                    ($0.severity, $1.count, $0.words) < ($1.severity, $0.count, $1.words)
                }.prefix(mostCauses)),
            text: summary.render(
                counts, file: name, format: located.report.format, keys: .standard, repair: nil),
            command: "urlfilter lint \(ShellWord.quoted(name))")
    }

    private static func log(
        _ bytes: [UInt8], _ name: String, _ add: (TraceRecord) -> Void
    ) throws -> Log {
        let reader = try TraceReader(try ByteSource(bytes: bytes, name: name, bounds: .trace))
        var clients = DistinctCounter(exactUpTo: 1 << 16)
        var (count, first, last) = (0, Int64.max, Int64.min)
        while let record = try reader.next() {
            count += 1
            clients.add(record.client)
            (first, last) = (min(first, record.time), max(last, record.time))
            add(record)
        }
        guard count > 0 else { throw WorkbenchRefusal(422, "\(name) has no request that can be read") }
        let seconds = Double(nanoseconds: Double(last) - Double(first))
        return Log(
            name: name, format: reader.report.format, requests: count, dropped: reader.report.droppedCount,
            clients: clients.count, seconds: seconds,
            requestsPerClientDay: seconds >= 3_600
                ? Double(count) / Double(max(clients.count, 1)) / seconds * 86_400 : nil,
            command: "urlfilter trace describe \(ShellWord.quoted(name))")
    }

    private static func check(_ checker: LogChecker, log: String, list: String) -> Check {
        let found = checker.result(logs: [log], list: list)
        return Check(
            text: LogCheckText.render(found, showsAll: false),
            blocked: found.shares.map(\.blockedRequests).max() ?? 0, requests: found.requests,
            entries: found.entries.prefix(mostEntries).map {
                Blocked(
                    entry: $0.entry, requests: $0.requests, clients: $0.clients, hosts: $0.hosts,
                    doubts: $0.doubts.map(\.message), examples: $0.examples)
            },
            command: "urlfilter check \(ShellWord.quoted(log)) --list \(ShellWord.quoted(list))")
    }
}
