import Decoding
import Foundation

/// The parts of a HAR 1.2 document that a trace needs.
///
/// The format is one JSON object and has no streaming form, so it is decoded
/// as a whole; the size is bounded before. An entry without a URL or a time is
/// no reason to refuse the others.
struct HTTPArchive {
    /// Records in order of time, those at the same time in file order.
    private(set) var records: [TraceRecord] = []

    /// - Parameters:
    ///   - bytes: The document, without a byte order mark.
    ///   - client: Stands for the browser that made the capture; the format names none.
    init(_ bytes: [UInt8], client: String, _ report: inout ReadReport) throws {
        let document: Document
        do {
            document = try JSONReader.read(Document.self, from: Data(bytes))
        } catch {
            throw TraceError.notAnArchive(file: report.source, detail: Self.words(for: error))
        }
        for (index, lossy) in document.log.entries.enumerated() {
            report.lineCount += 1
            let line = index + 1
            guard let entry = lossy.value else {
                try report.drop(.urlMissing, "entry \(line)", line: line)
                continue
            }
            let text = Array(entry.startedDateTime.utf8)
            guard let reading = Timestamp.iso8601(text.span) else {
                try report.drop(.badTime, entry.startedDateTime, line: line)
                continue
            }
            let address = Array(entry.request.url.utf8)
            guard let url = try WebAddress.read(address.span, line: line, &report) else { continue }
            if !reading.hasZone { report.note(.zoneAssumed) }
            records.append(
                TraceRecord(time: reading.nanoseconds, client: client, url: url, page: entry.pageref))
        }
        sortByTime(&records)
    }

    private struct Document: Decodable {
        let log: Log
    }

    private struct Log: Decodable {
        let entries: [Lossy<Entry>]
    }

    private struct Entry: Decodable {
        let pageref: String?
        let startedDateTime: String
        let request: Request
    }

    private struct Request: Decodable {
        let url: String
    }

    /// A value that is `nil` where the JSON has something else.
    private struct Lossy<Value: Decodable>: Decodable {
        let value: Value?

        init(from decoder: any Decoder) throws {
            value = try? Value(from: decoder)
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "no '\(key.stringValue)'"
        case DecodingError.typeMismatch(_, let context): context.debugDescription
        case DecodingError.valueNotFound(_, let context): context.debugDescription
        default: "the JSON is malformed"
        }
    }
}

/// Sorts by time and leaves records of the same time in their order.
func sortByTime(_ records: inout [TraceRecord]) {
    let isSorted = zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time }
    guard !isSorted else { return }
    let order = records.indices.sorted { (records[$0].time, $0) < (records[$1].time, $1) }
    records = order.map { records[$0] }
}
