import Foundation
package import ObliviousHTTP

/// Makes HTTP calls; in tests without a network.
package protocol HTTPCalls: Sendable {
    /// - Parameter body: Sent with POST only.
    func call(
        _ method: String, _ url: String, fields: [BinaryHTTPField], body: [UInt8]
    ) async throws(ExchangeError) -> HTTPReply
}

extension HTTPCalls {
    package func get(_ url: String) async throws(ExchangeError) -> HTTPReply {
        try await call("GET", url, fields: [], body: [])
    }
}

/// An answer over HTTP, whatever its status.
package struct HTTPReply: Sendable {
    package var status: Int
    /// Names in lower case.
    package var fields: [BinaryHTTPField]
    package var body: [UInt8]
    /// Whether it came over HTTP/2.
    package var isHTTP2: Bool

    package init(status: Int, fields: [BinaryHTTPField] = [], body: [UInt8] = [], isHTTP2: Bool = false) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isHTTP2 = isHTTP2
    }

    /// The media type without parameters, in lower case.
    package var mediaType: String? {
        fields.first(named: "content-type")?.text?.split(separator: ";").first.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }
}
