import Decoding
import Foundation

/// Counters of a server at one time, from its page in the text format of Prometheus.
package struct PrometheusPage: Hashable, Sendable {
    /// Nanoseconds since 1970.
    package var time: Int64
    /// Answers of an endpoint so far, of those with status 2xx.
    package var answered: [LoggedEndpoint: Double] = [:]
    /// Others, such as refusals.
    package var refused: [LoggedEndpoint: Double] = [:]
    /// Seconds that answers took, summed, and how many took at most so long.
    package var seconds: [LoggedEndpoint: Double] = [:]
    package var buckets: [LoggedEndpoint: [Double: Double]] = [:]
    /// CPU seconds so far: of the PIR server's own work if it says so, else of the process.
    package var cpuSeconds: Double?

    /// A page on which nothing was counted yet.
    package init(time: Int64) { self.time = time }
}

/// Reads pages of one server over time: a file for each, or one file with many, each after a line
/// `# time 2026-11-23T04:00:00Z`.
///
/// Of a page only requests, their times and CPU time are kept. A page that names no time has that of its samples, or of
/// its file.
package enum PrometheusPages {
    /// Pages that are kept: a week of one a minute.
    package static let maximumCount = 10_080

    /// Whether a file looks like one.
    package static func matches(path: String) throws -> Bool {
        var lines = LineReader(try ByteSource(path: path, bounds: .list, isReadAgain: true))
        return try lines.withPreview { preview in
            let text = preview.extracting(0..<min(preview.count, 4_096)).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            }
            return text.split(separator: "\n").prefix(3).contains {
                $0.hasPrefix("# HELP ") || $0.hasPrefix("# TYPE ") || $0.hasPrefix("# time ")
            }
        }
    }

    /// Whether files are pages; `nil` where some are and others are not.
    package static func match(paths: [String]) throws -> Bool? {
        let found = Set(try paths.map { try matches(path: $0) })
        return found.count == 1 ? found.first : nil
    }

    /// - Returns: In order of time.
    package static func read(paths: [String]) throws -> [PrometheusPage] {
        var pages: [PrometheusPage] = []
        for path in paths {
            let modified =
                (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
            pages += try read(
                ByteSource(path: path, bounds: .list, isReadAgain: true),
                fileTime: modified.map(\.nanosecondsSince1970) ?? 0)
            guard pages.count <= maximumCount else {
                throw ServerLogError(
                    file: path, .malformed("more than \(maximumCount) pages; give fewer, further apart"))
            }
        }
        return pages.sorted { $0.time < $1.time }
    }

    package static func read(_ source: ByteSource, fileTime: Int64) throws -> [PrometheusPage] {
        var report = ReadReport(source: source.name)
        var lines = LineReader(source)
        var pages: [PrometheusPage] = []
        var page = PrometheusPage(time: fileTime)
        var isOpen = false
        while try lines.advance(&report) {
            let number = lines.lineNumber
            func error(_ column: String, _ problem: ServerLogError.Problem) -> ServerLogError {
                ServerLogError(file: source.name, line: number, column: column, problem)
            }
            let text = lines.withLine { $0.string }
            guard let line = text.map({ String($0).trimmingCharacters(in: .whitespaces) }) else {
                throw error("", .malformed("the line is not UTF-8"))
            }
            if line.hasPrefix("# time ") {
                let word = line.dropFirst(7).trimmingCharacters(in: .whitespaces)
                guard let time = Array(word.utf8).time else { throw error("time", .notATime(word)) }
                if isOpen { pages.append(page) }
                if let last = pages.last, time <= last.time {
                    let back = Double(nanoseconds: last.time - time)
                    throw error("time", .timeGoesBack(seconds: back, after: number))
                }
                page = PrometheusPage(time: time)
                isOpen = true
                continue
            }
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let sample = PrometheusSample(line) else {
                throw error("", .malformed("no sample 'name{label=\"value\"} number'"))
            }
            guard sample.value.isNaN || sample.value >= 0 || !sample.name.hasSuffix("_total") else {
                throw error(
                    String(sample.name), .notANumber("\(sample.value)", allowed: "a counter of 0 or more"))
            }
            if let time = sample.time, !isOpen { page.time = time }
            page.add(sample)
            isOpen = true
        }
        if isOpen { pages.append(page) }
        return pages
    }
}

extension [UInt8] {
    /// Nanoseconds since 1970, of ISO 8601 or a number.
    fileprivate var time: Int64? {
        if let reading = Timestamp.iso8601(span) { return reading.nanoseconds }
        return Timestamp.unit(bySizeOf: span).flatMap { Timestamp.decimal(span, unit: $0) }
    }
}

/// One line of a page.
struct PrometheusSample {
    var name: Substring
    var labels: [Substring: String] = [:]
    var value: Double
    /// Nanoseconds since 1970.
    var time: Int64?

    init(name: Substring, labels: [Substring: String], value: Double) {
        self.name = name
        self.labels = labels
        self.value = value
    }

    init?(_ line: String) {
        var rest = line[...]
        name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" }
        guard !name.isEmpty else { return nil }
        rest = rest.dropFirst(name.count)
        if rest.first == "{" {
            rest = rest.dropFirst()
            while let first = rest.first, first != "}" {
                let key = rest.prefix { $0 != "=" && $0 != "\"" && $0 != "}" }
                rest = rest.dropFirst(key.count)
                guard rest.hasPrefix("=\"") else { return nil }
                rest = rest.dropFirst(2)
                var value = ""
                while let character = rest.first, character != "\"" {
                    rest = rest.dropFirst()
                    guard character == "\\" else {
                        value.append(character)
                        continue
                    }
                    guard let escaped = rest.popFirst() else { return nil }
                    value.append(escaped == "n" ? "\n" : escaped)
                }
                guard rest.popFirst() != nil else { return nil }
                labels[key.drop { $0 == " " || $0 == "," }] = value
                if rest.first == "," { rest = rest.dropFirst() }
            }
            guard rest.popFirst() == "}" else { return nil }
        }
        let words = rest.split(separator: " ")
        guard (1...2).contains(words.count) else { return nil }
        switch String(words[0]) {
        case "NaN": value = .nan
        case "+Inf": value = .infinity
        case "-Inf": value = -.infinity
        default:
            guard let number = Double(String(words[0])) else { return nil }
            value = number
        }
        guard words.count == 2 else { return }
        guard let milliseconds = Int64(words[1]), (0...4_000_000_000_000).contains(milliseconds) else {
            return nil
        }
        time = milliseconds * 1_000_000
    }
}

extension PrometheusPage {
    mutating func add(_ sample: PrometheusSample) {
        guard sample.value.isFinite else { return }
        if sample.name.hasSuffix("_cpu_seconds_total") {
            let isOwn = sample.labels["party"] == "pir"
            if isOwn || (sample.labels["party"] == nil && cpuSeconds == nil) { cpuSeconds = sample.value }
            return
        }
        let path = ["endpoint", "path", "handler", "route", "uri"].lazy.compactMap { sample.labels[$0[...]] }
            .first
        guard let path, let endpoint = LoggedEndpoint(path: path) else { return }
        if sample.name.hasSuffix("_requests_total") {
            let status = ["status", "code", "status_code"].lazy.compactMap { sample.labels[$0[...]] }.first
            if status?.hasPrefix("2") ?? true {
                answered[endpoint, default: 0] += sample.value
            } else {
                refused[endpoint, default: 0] += sample.value
            }
        } else if sample.name.hasSuffix("_duration_seconds_sum") {
            seconds[endpoint, default: 0] += sample.value
        } else if sample.name.hasSuffix("_duration_seconds_bucket"),
            let bound = sample.labels["le"].flatMap({ $0 == "+Inf" ? .infinity : Double($0) })
        {
            buckets[endpoint, default: [:]][bound, default: 0] += sample.value
        }
    }
}
