/// An HTTP request as binary HTTP carries it (RFC 9292).
///
/// The values are not checked when they are set but when the message is
/// written, by the same rules that a received message has to meet.
///
///     let request = BinaryHTTPRequest(authority: "pir.example", path: "/queries", content: query)
///     let bytes = try request.encoded()
///     try BinaryHTTPRequest(decoding: bytes) == request  // true
package struct BinaryHTTPRequest: Hashable, Sendable {
    package var method: String
    /// `https`, or empty for CONNECT.
    package var scheme: String
    /// Host and optional port. Empty when the request names its host in a `host` field.
    package var authority: String
    package var path: String
    package var fields: [BinaryHTTPField]
    package var content: [UInt8]
    package var trailers: [BinaryHTTPField]

    package init(
        method: String = "POST", scheme: String = "https", authority: String, path: String,
        fields: [BinaryHTTPField] = [], content: [UInt8] = [], trailers: [BinaryHTTPField] = []
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.fields = fields
        self.content = content
        self.trailers = trailers
    }

    /// Whether the client waits for a 100 response. An OHTTP gateway has to refuse
    /// such a request (RFC 9458, section 6.5.3).
    package var expectsContinue: Bool {
        fields.first(named: "expect")?.text?.lowercased() == "100-continue"
    }
}

/// An HTTP response as binary HTTP carries it (RFC 9292).
package struct BinaryHTTPResponse: Hashable, Sendable {
    /// A 1xx response that came before the final one.
    package struct Informational: Hashable, Sendable {
        /// Status in 100...199.
        package var status: Int
        package var fields: [BinaryHTTPField]

        package init(status: Int, fields: [BinaryHTTPField] = []) {
            self.status = status
            self.fields = fields
        }
    }

    package var informational: [Informational]
    /// Status in 200...599.
    package var status: Int
    package var fields: [BinaryHTTPField]
    package var content: [UInt8]
    package var trailers: [BinaryHTTPField]

    package init(
        status: Int, fields: [BinaryHTTPField] = [], content: [UInt8] = [], trailers: [BinaryHTTPField] = [],
        informational: [Informational] = []
    ) {
        self.informational = informational
        self.status = status
        self.fields = fields
        self.content = content
        self.trailers = trailers
    }
}

/// Most that a receiver accepts before it gives a message up.
package struct BinaryHTTPLimits: Hashable, Sendable {
    /// Bytes of the whole message, padding included.
    package var messageBytes: Int
    /// Fields of the whole message, those of informational responses and trailers included.
    package var fieldCount: Int
    /// Bytes of one field section.
    package var fieldSectionBytes: Int
    package var informationalCount: Int

    /// 10 MiB of content, the upload limit of Apple's example server (article "PIR protocol", section "Endpoints"), and
    /// 64 KiB for everything around it.
    package static let standard = BinaryHTTPLimits()

    package init(
        messageBytes: Int = (10 << 20) + (64 << 10), fieldCount: Int = 128,
        fieldSectionBytes: Int = 16 << 10, informationalCount: Int = 8
    ) {
        self.messageBytes = messageBytes
        self.fieldCount = fieldCount
        self.fieldSectionBytes = fieldSectionBytes
        self.informationalCount = informationalCount
    }
}

/// How a message is written.
package struct BinaryHTTPLayout: Hashable, Sendable {
    /// Whether lengths stand before the parts or terminators behind them.
    package enum Framing: Sendable {
        case knownLength
        case indeterminateLength
    }

    package var framing: Framing
    /// Leaves empty sections at the end of the message away (RFC 9292, section 3.8).
    package var dropsEmptyEnd: Bool
    /// Zero bytes behind the message. Any padding implies that nothing is dropped.
    package var padding: Int

    /// The shortest form.
    package static let compact = BinaryHTTPLayout()

    package init(framing: Framing = .knownLength, dropsEmptyEnd: Bool = true, padding: Int = 0) {
        precondition(padding >= 0, "padding is \(padding) bytes; it must be at least 0")
        self.framing = framing
        self.dropsEmptyEnd = dropsEmptyEnd
        self.padding = padding
    }
}
