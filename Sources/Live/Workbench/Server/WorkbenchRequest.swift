import Decoding
import Foundation

/// A request to the workbench, as HTTP said it, without its socket.
package struct WorkbenchRequest: Sendable {
    /// Largest content: a scenario at its limit, escaped as JSON.
    package static let contentLimit = 4 << 20

    package var method: String
    /// Without the question mark and what follows.
    package var path: String
    /// Host that the client believes to talk to, with its port.
    package var host: String
    /// Names in lower case; the values of a field that came twice are joined by a comma.
    package var fields: [String: String]
    package var content: [UInt8]

    package init(
        method: String, path: String, host: String, fields: [String: String] = [:], content: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.host = host
        self.fields = fields
        self.content = content
    }

    func read<Document: Decodable>(_ type: Document.Type) throws(WorkbenchRefusal) -> Document {
        do {
            return try JSONReader.read(type, from: Data(content))
        } catch {
            throw WorkbenchRefusal(400, "the request is not the JSON that this page sends")
        }
    }
}

/// An answer of the workbench.
package struct WorkbenchAnswer: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// Server-sent events, for as long as the client listens.
        case events(AsyncStream<String>)
    }

    package var status = 200
    package var fields: [String: String]
    package var content: Content

    init(_ content: Content, type: String, status: Int = 200) {
        self.status = status
        self.content = content
        fields = ["content-type": type]
    }

    init(json document: some Encodable, status: Int = 200) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(
            .bytes(Array(try encoder.encode(document))), type: "application/json", status: status)
    }

    /// The content if it is no stream.
    package var text: String {
        if case .bytes(let bytes) = content { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}

/// Why a request gets nothing but a sentence.
struct WorkbenchRefusal: Error {
    let status: Int
    let sentence: String

    init(_ status: Int, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    private struct Document: Encodable {
        let error: String
    }

    var answer: WorkbenchAnswer {
        (try? WorkbenchAnswer(json: Document(error: sentence), status: status))
            ?? WorkbenchAnswer(.bytes([]), type: "text/plain", status: status)
    }
}
