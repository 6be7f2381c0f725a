import Foundation
package import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import SwiftProtobuf
import Synchronization

/// Takes reports of blocked URLs and writes each to a file, as Apple's example server does.
///
/// What is reported are entries of the list, not the URLs that were visited (article "Device", section "Reports").
package final class ReportStore: Sendable {
    /// Longest report, in bytes, and most entries of one: assumptions. An entry takes more room in the file than a
    /// short one does in the report.
    static let contentLimit = 1 << 20
    private static let entryLimit = 10_000

    private let directory = Mutex<String?>(nil)

    package init() {}

    /// - Parameter directory: Nil drops reports.
    package func write(to directory: String?) { self.directory.withLock { $0 = directory } }

    /// Answers a request whose token was taken.
    package func take(_ request: BinaryHTTPRequest) -> BinaryHTTPResponse {
        guard let urls = Self.urls(request) else {
            return .refusal(
                400,
                "the content is no URLFilterReport and no JSON array of strings, or has more than "
                    + "\(Self.entryLimit) of them")
        }
        guard let directory = directory.withLock({ $0 }) else { return BinaryHTTPResponse(status: 200) }
        let agent = request.fields.first(named: "user-agent")?.text ?? ""
        let path = URL(fileURLWithPath: directory).appendingPathComponent("\(UUID().uuidString).txtpb").path
        let text = Data(Self.text(urls: urls, userAgent: agent, receivedAt: Date()).utf8)
        guard PrivateFile.create(path, text) else {
            return .refusal(
                503, "the report cannot be stored", fields: [BinaryHTTPField("retry-after", "60")])
        }
        return BinaryHTTPResponse(status: 200)
    }

    private static func urls(_ request: BinaryHTTPRequest) -> [String]? {
        if request.mediaType == "application/json" {
            // A string has two quotation marks.
            let quotationMarks = request.content.count { $0 == UInt8(ascii: "\"") }
            guard quotationMarks <= 2 * entryLimit else { return nil }
            return try? JSONDecoder().decode([String].self, from: Data(request.content))
        }
        // The message is one repeated string with number 1, which is the form of a field mask as well.
        guard let count = MessageShape.strings.count(in: request.content, limit: entryLimit),
            count.all <= entryLimit
        else { return nil }
        return try? WireCoding.message(
            Google_Protobuf_FieldMask.self, from: request.content, limit: contentLimit
        ).paths
    }

    /// A `URLFilterReportWithMetadata` as text.
    private static func text(urls: [String], userAgent: String, receivedAt: Date) -> String {
        let seconds = Int64(receivedAt.timeIntervalSince1970)
        let lines = urls.map { "  urls: \(quoted($0))\n" }.joined()
        return
            "user_agent: \(quoted(userAgent))\nreceived_at {\n  seconds: \(seconds)\n}\nreport {\n\(lines)}\n"
    }

    /// A string of the text format: bytes that are not printable ASCII in octal.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                result += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E:
                result.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let octal = String(byte, radix: 8)
                result += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
        }
        return result + "\""
    }
}
