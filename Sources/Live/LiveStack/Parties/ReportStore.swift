import Decoding
import Foundation
package import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import ServiceRules
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
    /// Disk space that all reports in the directory may take, in bytes: assumption.
    package static let storageLimit = 1 << 30
    private static let fileExtension = ".txtpb"
    /// Time after which somebody may have made room: looking takes long where there are many files.
    private static let recountTime = Duration.seconds(60)

    private struct Place {
        let directory: String
        var byteCount: Int
        var counted = ContinuousClock.now

        init(_ directory: String) {
            self.directory = directory
            byteCount = ReportStore.byteCount(of: directory)
        }
    }

    private let place = Mutex<Place?>(nil)
    private let limit: Int
    private let noteFull: @Sendable () -> Void

    /// - Parameters:
    ///   - storageLimit: Disk space in bytes.
    ///   - noteFull: Told of each report for which there was no room.
    package init(storageLimit: Int = storageLimit, noteFull: @escaping @Sendable () -> Void = {}) {
        limit = storageLimit
        self.noteFull = noteFull
    }

    /// - Parameter directory: Nil drops reports.
    package func write(to directory: String?) { place.withLock { $0 = directory.map(Place.init) } }

    /// Answers a request whose token was taken.
    package func take(_ request: BinaryHTTPRequest) -> BinaryHTTPResponse {
        guard let urls = Self.urls(request) else {
            return .refusal(
                .requestUnusable,
                "the content is no URLFilterReport and no JSON array of strings, or has more than "
                    + "\(Self.entryLimit) of them")
        }
        guard let directory = place.withLock({ $0?.directory }) else {
            return BinaryHTTPResponse(status: 200)
        }
        let agent = request.fields.first(named: "user-agent")?.text ?? ""
        let path = URL(fileURLWithPath: directory).appendingPathComponent(
            UUID().uuidString + Self.fileExtension
        )
        .path
        let text = Data(Self.text(urls: urls, userAgent: agent, receivedAt: Date()).utf8)
        guard takeRoom(Self.diskSpace(text.count), in: directory), PrivateFile.create(path, text) else {
            return .refusal(.reportNotStored, "the report cannot be stored")
        }
        return BinaryHTTPResponse(status: 200)
    }

    private func takeRoom(_ byteCount: Int, in directory: String) -> Bool {
        let isRoom = place.withLock { place in
            // Another directory since, of which nothing is known yet: the report goes to the one before.
            guard var current = place, current.directory == directory else { return true }
            if current.byteCount > limit - byteCount, .now - current.counted >= Self.recountTime {
                current = Place(directory)
            }
            let isRoom = current.byteCount <= limit - byteCount
            if isRoom { current.byteCount += byteCount }
            place = current
            return isRoom
        }
        if !isRoom { noteFull() }
        return isRoom
    }

    /// Space that the reports in a directory take. What else is there is somebody else's.
    private static func byteCount(of directory: String) -> Int {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: directory)) ?? []
        return names.reduce(0) { sum, name in
            guard name.hasSuffix(fileExtension),
                let size = try? files.attributesOfItem(atPath: "\(directory)/\(name)")[.size] as? Int
            else { return sum }
            return sum + diskSpace(size)
        }
    }

    /// Space in blocks of the usual size, which is what bounds the number of files as well.
    private static func diskSpace(_ byteCount: Int) -> Int { (byteCount + 4_095) / 4_096 * 4_096 }

    private static func urls(_ request: BinaryHTTPRequest) -> [String]? {
        if request.mediaType == "application/json" {
            // A string has two quotation marks.
            let quotationMarks = request.content.count { $0 == UInt8(ascii: "\"") }
            guard quotationMarks <= 2 * entryLimit else { return nil }
            return try? JSONReader.read([String].self, from: Data(request.content))
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
