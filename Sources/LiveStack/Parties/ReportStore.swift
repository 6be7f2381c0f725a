import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import SwiftProtobuf
import Synchronization

/// Takes reports of blocked URLs and writes each to a file, as Apple's example server does.
///
/// What is reported are entries of the list, not the URLs that were visited (apple-url-filter fact sheet, section 11).
final class ReportStore: Sendable {
    /// Longest report, in bytes: assumption, some ten thousand entries.
    static let contentLimit = 1 << 20

    private let directory = Mutex<String?>(nil)

    /// - Parameter directory: Nil drops reports.
    func write(to directory: String?) { self.directory.withLock { $0 = directory } }

    /// Answers a request whose token was taken.
    func take(_ request: BinaryHTTPRequest) -> BinaryHTTPResponse {
        guard let urls = Self.urls(request) else {
            return .refusal(400, "the content is neither a URLFilterReport nor a JSON array of strings")
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
            return try? JSONDecoder().decode([String].self, from: Data(request.content))
        }
        // The message is one repeated string with number 1, which is the form of a field mask as well.
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
