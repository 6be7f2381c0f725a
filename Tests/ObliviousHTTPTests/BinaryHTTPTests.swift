import ObliviousHTTP
import TestSupport
import Testing

struct BinaryHTTPTests {
    private func field(_ pair: [String]) -> BinaryHTTPField { BinaryHTTPField(pair[0], pair[1]) }

    private func request(_ message: BinaryHTTPVectors.Message) throws -> BinaryHTTPRequest {
        BinaryHTTPRequest(
            method: try #require(message.method), scheme: try #require(message.scheme),
            authority: try #require(message.authority), path: try #require(message.path),
            fields: message.headers.map(field), content: message.content.bytes,
            trailers: message.trailers.map(field))
    }

    private func response(_ message: BinaryHTTPVectors.Message) throws -> BinaryHTTPResponse {
        BinaryHTTPResponse(
            status: try #require(message.status), fields: message.headers.map(field),
            content: message.content.bytes, trailers: message.trailers.map(field),
            informational: message.informational.map {
                .init(status: $0.status, fields: $0.headers.map(field))
            })
    }

    @Test func validVectorsAreRead() throws {
        let vectors = try BinaryHTTPVectors.all.get().valid
        #expect(vectors.count == 15)
        for vector in vectors {
            let bytes = vector.hex.bytes
            if vector.decoded.framing.isMultiple(of: 2) {
                #expect(try BinaryHTTPRequest(decoding: bytes) == request(vector.decoded), "\(vector.name)")
            } else {
                #expect(try BinaryHTTPResponse(decoding: bytes) == response(vector.decoded), "\(vector.name)")
            }
        }
    }

    /// One of these layouts writes each vector, except those with a form a writer would not choose.
    @Test func validVectorsAreWrittenByteForByte() throws {
        let otherwiseWritten: Set = [
            "request-non-minimal-varints", "request-indeterminate-two-chunks-trailer",
            "response-known-interim-103", "response-uppercase-field-name", "request-indeterminate-truncated",
            "request-known-length-truncated", "response-indeterminate-informational",
        ]
        for vector in try BinaryHTTPVectors.all.get().valid {
            let message = vector.decoded
            let framing: BinaryHTTPLayout.Framing = message.framing < 2 ? .knownLength : .indeterminateLength
            let layouts = [
                BinaryHTTPLayout(framing: framing, dropsEmptyEnd: false, padding: message.padding),
                BinaryHTTPLayout(framing: framing, dropsEmptyEnd: true),
            ]
            let written = try layouts.map { layout in
                if message.framing.isMultiple(of: 2) {
                    try request(message).encoded(as: layout)
                } else {
                    try response(message).encoded(as: layout)
                }
            }
            #expect(
                written.contains(vector.hex.bytes) || otherwiseWritten.contains(vector.name), "\(vector.name)"
            )
        }
    }

    @Test func invalidVectorsAreRefused() throws {
        let vectors = try BinaryHTTPVectors.all.get().invalid
        #expect(vectors.count == 18)
        for vector in vectors {
            let bytes = vector.hex.bytes
            #expect(throws: BinaryHTTPError.self, "\(vector.name)") { try BinaryHTTPRequest(decoding: bytes) }
            #expect(throws: BinaryHTTPError.self, "\(vector.name)") {
                try BinaryHTTPResponse(decoding: bytes)
            }
        }
    }

    @Test(
        "an invalid message is refused for its own reason and at its place",
        arguments: [
            ("04", .unknownFraming(4), 0),
            ("0140c8030001610000", .emptyFieldName, 4),
            ("0140c80000000001", .paddingNotZero(1), 7),
            ("000347", .truncated(.method), 1),
            ("0003474554056874747073", .truncated(.authority), 11),
            ("00ffffffffffffffff", .truncated(.method), 1),
            ("0140c8050161056263", .truncated(.fieldValue), 4),
            ("0140c82001610162", .truncated(.fieldSection), 3),
            ("0140c8000a616263", .truncated(.content), 4),
            ("01406300", .statusOutOfRange(99, allowed: 100...599), 1),
            ("01425800", .statusOutOfRange(600, allowed: 100...599), 1),
            ("01406600", .truncated(.status), 4),
            ("0140c80c073a73746174757303323030", .misplacedPseudoField(":status"), 4),
            ("0140c807016104620d0a63", .forbiddenFieldValue(name: "a"), 4),
            ("0340c80003616263", .truncated(.content), 8),
            ("0340c801610162", .truncated(.fieldSection), 7),
            ("0140c8000003013a00", .forbiddenFieldName(":"), 6),
            ("0140c80402c3a900", .forbiddenFieldName("é"), 4),
        ] as [(String, BinaryHTTPError.Problem, Int)])
    func reasons(hex: String, problem: BinaryHTTPError.Problem, offset: Int) throws {
        let bytes = bytes(hex: hex)
        let error = #expect(throws: BinaryHTTPError.self) {
            if bytes[0].isMultiple(of: 2) {
                _ = try BinaryHTTPRequest(decoding: bytes)
            } else {
                _ = try BinaryHTTPResponse(decoding: bytes)
            }
        }
        #expect(error?.problem == problem)
        #expect(error?.offset == offset)
    }

    @Test func aResponseIsNoRequest() throws {
        let bytes = try BinaryHTTPResponse(status: 200).encoded()
        #expect(bytes == [0x01, 0x40, 0xC8])
        let error = #expect(throws: BinaryHTTPError.self) { try BinaryHTTPRequest(decoding: bytes) }
        #expect(error?.problem == .wrongKind(framing: 1, expected: [0, 2]))
        #expect(
            error?.description == "byte 0: the framing indicator is 1; this kind of message has 0 or 2")
    }

    /// The size that article "Transport", section "Sizes", gives.
    @Test func theSmallestRequestToExampleComHas25Bytes() throws {
        let request = BinaryHTTPRequest(method: "GET", authority: "example.com", path: "/")
        #expect(try request.encoded().count == 25)
    }

    private let richRequest = BinaryHTTPRequest(
        method: "CONNECT", authority: "pir.example:443", path: "/queries",
        fields: [
            BinaryHTTPField(":protocol", "websocket"), BinaryHTTPField("a", ""), BinaryHTTPField("a", "é b"),
            BinaryHTTPField(name: "raw", value: [0x80, 0xFF]),
        ],
        content: Array(repeating: 7, count: 20_000), trailers: [BinaryHTTPField("end", "1")])

    @Test(
        "what is written is read back, in every layout",
        arguments: [BinaryHTTPLayout.Framing.knownLength, .indeterminateLength], [0, 1, 77])
    func roundTrip(framing: BinaryHTTPLayout.Framing, padding: Int) throws {
        for dropsEmptyEnd in [false, true] {
            let layout = BinaryHTTPLayout(framing: framing, dropsEmptyEnd: dropsEmptyEnd, padding: padding)
            #expect(try BinaryHTTPRequest(decoding: richRequest.encoded(as: layout)) == richRequest)
            let full = BinaryHTTPResponse(
                status: 599, fields: [BinaryHTTPField("x", "y")], content: [1, 2, 3],
                trailers: [BinaryHTTPField("t", "u")],
                informational: [
                    .init(status: 102), .init(status: 103, fields: [BinaryHTTPField("link", "<a>")]),
                ])
            var responses = [full]
            responses.append(BinaryHTTPResponse(status: 200, content: [0]))
            responses.append(BinaryHTTPResponse(status: 204, fields: [BinaryHTTPField("x", "y")]))
            responses.append(BinaryHTTPResponse(status: 204))
            for response in responses {
                #expect(try BinaryHTTPResponse(decoding: response.encoded(as: layout)) == response)
            }
        }
    }

    @Test(
        "a message HTTP forbids is not written",
        arguments: [
            (
                BinaryHTTPRequest(method: "", authority: "a", path: "/"),
                .forbiddenControlData(.method, found: "")
            ),
            (
                BinaryHTTPRequest(authority: "a", path: "/a b"),
                .forbiddenControlData(.path, found: "/a b")
            ),
            (
                BinaryHTTPRequest(authority: "a", path: "/", fields: [BinaryHTTPField("x", " y")]),
                .forbiddenFieldValue(name: "x")
            ),
            (
                BinaryHTTPRequest(authority: "a", path: "/", fields: [BinaryHTTPField("", "y")]),
                .emptyFieldName
            ),
            (
                BinaryHTTPRequest(authority: "a", path: "/", fields: [BinaryHTTPField(":path", "/")]),
                .misplacedPseudoField(":path")
            ),
            (
                BinaryHTTPRequest(
                    authority: "a", path: "/", fields: [BinaryHTTPField("x", "y"), BinaryHTTPField(":z", "")]),
                .misplacedPseudoField(":z")
            ),
            (
                BinaryHTTPRequest(authority: "a", path: "/", trailers: [BinaryHTTPField(":z", "")]),
                .misplacedPseudoField(":z")
            ),
        ] as [(BinaryHTTPRequest, BinaryHTTPError.Problem)])
    func forbiddenMessages(request: BinaryHTTPRequest, problem: BinaryHTTPError.Problem) {
        let error = #expect(throws: BinaryHTTPError.self) { try request.encoded() }
        #expect(error?.problem == problem)
    }

    @Test func aStatusOutsideItsRangeIsNotWritten() {
        for status in [-1, 0, 199, 600] {
            #expect(throws: BinaryHTTPError.self) { try BinaryHTTPResponse(status: status).encoded() }
        }
    }

    @Test func limitsHoldAtTheirExactValue() throws {
        let fields = (0..<5).map { BinaryHTTPField("n\($0)", "value") }
        let response = BinaryHTTPResponse(
            status: 200, fields: Array(fields.prefix(3)), content: [1], trailers: Array(fields.suffix(2)),
            informational: [.init(status: 100), .init(status: 100)])
        for framing in [BinaryHTTPLayout.Framing.knownLength, .indeterminateLength] {
            let bytes = try response.encoded(as: BinaryHTTPLayout(framing: framing))
            let sectionBytes = framing == .knownLength ? 27 : 28
            let exact = BinaryHTTPLimits(
                messageBytes: bytes.count, fieldCount: 5, fieldSectionBytes: sectionBytes,
                informationalCount: 2)
            #expect(try BinaryHTTPResponse(decoding: bytes, limits: exact) == response)

            var tighter = Array(repeating: exact, count: 4)
            tighter[0].messageBytes -= 1
            tighter[1].fieldCount -= 1
            tighter[2].fieldSectionBytes -= 1
            tighter[3].informationalCount -= 1
            let problems = tighter.map { limits in
                #expect(throws: BinaryHTTPError.self) {
                    try BinaryHTTPResponse(decoding: bytes, limits: limits)
                }?.problem
            }
            #expect(
                problems == [
                    .messageTooLong(found: bytes.count, limit: bytes.count - 1), .tooManyFields(limit: 4),
                    .fieldSectionTooLong(limit: sectionBytes - 1), .tooManyInformationalResponses(limit: 1),
                ])
        }
    }

    /// A prefix is read only if it ends where section 3.8 lets a message end.
    @Test func aTruncatedMessageIsReadOnlyAtASectionBoundary() throws {
        let response = BinaryHTTPResponse(
            status: 200, fields: [BinaryHTTPField("x", "y")], content: [1, 2],
            trailers: [BinaryHTTPField("t", "u")])
        for framing in [BinaryHTTPLayout.Framing.knownLength, .indeterminateLength] {
            let bytes = try response.encoded(as: BinaryHTTPLayout(framing: framing))
            let readable = Damage.truncations(of: bytes).compactMap { try? BinaryHTTPResponse(decoding: $0) }
            #expect(readable.count == 3)
            #expect(readable.map(\.fields.count) == [0, 1, 1])
            #expect(readable.map(\.content.count) == [0, 0, 2])
            #expect(readable.allSatisfy { $0.trailers.isEmpty })
        }
    }

    @Test func aDamagedMessageIsRefusedOrReadAsSomethingThatCanBeWritten() throws {
        for vector in try BinaryHTTPVectors.all.get().valid {
            for bytes in Damage.mutations(of: vector.hex.bytes, count: 2_000, seed: 9292) {
                if let request = try? BinaryHTTPRequest(decoding: bytes) {
                    #expect(try BinaryHTTPRequest(decoding: request.encoded()) == request)
                }
                if let response = try? BinaryHTTPResponse(decoding: bytes) {
                    #expect(try BinaryHTTPResponse(decoding: response.encoded()) == response)
                }
            }
        }
    }

    @Test func fieldsAreFoundInEitherCase() {
        let request = BinaryHTTPRequest(
            authority: "a", path: "/", fields: [BinaryHTTPField("Expect", "100-Continue")])
        #expect(request.fields.first(named: "expect")?.text == "100-Continue")
        #expect(request.expectsContinue)
        #expect(!richRequest.expectsContinue)
        #expect(BinaryHTTPField(name: "raw", value: [0xFF]).text == nil)
    }
}
