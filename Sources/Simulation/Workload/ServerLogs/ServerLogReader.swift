import Decoding
import Foundation

/// Reads the access log of a gateway or a PIR server, request by request in the order in which they began.
///
/// Combined log format, a table with a header, or JSON lines; compressed or not. Only the requests of the last minute
/// are held, so a log may be larger than memory. A line that cannot be read is an error with its place. Requests to
/// other endpoints are counted and left out.
package final class ServerLogReader {
    package let file: String
    /// Requests to other endpoints.
    package private(set) var ignoredCount = 0
    package private(set) var acceptedCount = 0
    /// All times so far are whole seconds.
    package private(set) var hasWholeSeconds = true

    private let options: ServerLogOptions
    private var lines: LineReader
    private var report: ReadReport
    private var fields: ServerLogFields
    private var pending: [ServerLogRecord] = []
    private var nextPending = 0
    private var isAtEnd = false
    private var latest: (time: Int64, line: Int)?

    /// A log is written when requests end, so that lines are late by as long as those took.
    private static let window: Int64 = .minutes(1)
    private static let largestWindow = 65_536
    private static let longestRequest: Int64 = .hours(1)

    package convenience init(path: String, options: ServerLogOptions = ServerLogOptions()) throws {
        try self.init(ByteSource(path: path, bounds: .trace, isReadAgain: true), options: options)
    }

    package init(_ source: ByteSource, options: ServerLogOptions = ServerLogOptions()) throws {
        self.options = options
        file = source.name
        report = ReadReport(source: source.name)
        var lines = LineReader(source)
        fields = try lines.withPreview { preview in
            try ServerLogFields(preview, file: source.name, options: options)
        }
        self.lines = lines
    }

    /// The next request by its beginning, or `nil` at the end.
    package func next() throws -> ServerLogRecord? {
        while true {
            if nextPending < pending.count {
                let first = pending[nextPending]
                let isDue =
                    isAtEnd || (latest?.time ?? 0) - first.start > Self.window
                    || pending.count - nextPending > Self.largestWindow
                if isDue {
                    nextPending += 1
                    if nextPending > 4_096 {
                        pending.removeFirst(nextPending)
                        nextPending = 0
                    }
                    return first
                }
            }
            guard !isAtEnd else { return nil }
            guard let record = try read() else {
                isAtEnd = true
                if acceptedCount == 0 { throw ServerLogError(file: file, .empty(ignored: ignoredCount)) }
                continue
            }
            var place = pending.count
            while place > nextPending, pending[place - 1].start > record.start { place -= 1 }
            pending.insert(record, at: place)
        }
    }

    private func read() throws -> ServerLogRecord? {
        while try lines.advance(&report) {
            let number = lines.lineNumber
            let found = try lines.withLine { try fields.read($0, line: number) }
            guard let found else { continue }
            guard let record = try record(found, line: number) else {
                ignoredCount += 1
                continue
            }
            acceptedCount += 1
            return record
        }
        return nil
    }

    /// - Returns: `nil` for a request to something else.
    private func record(_ found: [ServerLogRole: String], line: Int) throws -> ServerLogRecord? {
        func error(_ role: ServerLogRole, _ problem: ServerLogError.Problem) -> ServerLogError {
            ServerLogError(file: file, line: line, column: fields.name(of: role), problem)
        }
        guard let path = found[.endpoint] else { throw error(.endpoint, .fieldMissing) }
        guard let endpoint = LoggedEndpoint(path: path) else { return nil }
        guard let text = found[.time] else { throw error(.time, .fieldMissing) }
        guard let time = fields.time(text) else { throw error(.time, .notATime(text)) }
        if let latest, time < latest.time - Self.window {
            let back = Double(nanoseconds: latest.time - time)
            throw error(.time, .timeGoesBack(seconds: (back * 10).rounded() / 10, after: latest.line))
        }
        if time > latest?.time ?? .min { latest = (time, line) }
        if !time.isMultiple(of: .seconds(1)) { hasWholeSeconds = false }
        guard let status = found[.status] else { throw error(.status, .fieldMissing) }
        guard let code = Int(status), (100...599).contains(code) else {
            throw error(.status, .notAStatus(status))
        }
        let duration = try found[.duration].map { text throws(ServerLogError) in
            let nanoseconds = try fields.duration(text, line: line)
            guard nanoseconds <= Self.longestRequest else {
                throw error(.duration, .tooLong(seconds: Double(nanoseconds: nanoseconds).rounded()))
            }
            return nanoseconds
        }
        let bytes = try found[.bytes].map { text throws(ServerLogError) in
            guard let bytes = Int(text), bytes >= 0, bytes < 1 << 40 else {
                throw error(.bytes, .notANumber(text, allowed: "a whole number of bytes"))
            }
            return bytes
        }
        let isStart = options.timeIsStart ?? fields.timeIsStart
        return ServerLogRecord(
            start: isStart ? time : time - (duration ?? 0), duration: duration, endpoint: endpoint,
            status: code, bytes: bytes, device: found[.device].map(Self.digest))
    }

    /// 64-bit FNV-1a, mixed: which devices are one is all that matters.
    private static func digest(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return hash ^ (hash >> 32)
    }
}

/// Several logs as one: of several servers, or parts of one.
package final class ServerLogs {
    private let readers: [ServerLogReader]
    private var heads: [ServerLogRecord?]

    package static let maximumFileCount = 64

    package init(paths: [String], options: ServerLogOptions) throws {
        readers = try paths.map { try ServerLogReader(path: $0, options: options) }
        heads = try readers.map { try $0.next() }
    }

    package var ignoredCount: Int { readers.reduce(0) { $0 + $1.ignoredCount } }
    package var hasWholeSeconds: Bool { readers.contains(where: \.hasWholeSeconds) }

    /// The next request by its beginning.
    package func next() throws -> ServerLogRecord? {
        var first: (place: Int, record: ServerLogRecord)?
        for (place, head) in heads.enumerated() {
            if let head, head.start < first?.record.start ?? .max { first = (place, head) }
        }
        guard let first else { return nil }
        heads[first.place] = try readers[first.place].next()
        return first.record
    }
}
