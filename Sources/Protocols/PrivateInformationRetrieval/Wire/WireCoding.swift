import Crypto
import Decoding
import Foundation
package import SwiftProtobuf

/// Protobuf messages to bytes and back, with bounds.
package enum WireCoding {
    /// Largest body the service accepts, in bytes. Source: article "PIR protocol", section "Endpoints".
    package static let maximumBodyByteCount = 10 << 20

    /// Messages inside messages that are followed. The deepest message of the protocol has 9 levels.
    private static let maximumDepth = 16

    /// The bytes of a message: fields in ascending order, defaults omitted, map keys sorted.
    ///
    /// Hashes of configurations are taken over these bytes.
    package static func bytes(of message: some SwiftProtobuf.Message) -> [UInt8] {
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        do {
            return try message.serializedBytes(options: options)
        } catch {
            // Encoding fails for required fields (proto3 has none) and messages of 2 GiB.
            preconditionFailure("a message cannot be written: \(error)")
        }
    }

    /// Reads a message from a peer.
    ///
    /// Memory is bounded by the size of the bytes: strings and byte fields are parts of it. Time is as well, but
    /// messages of no bytes take long; see ``MessageShape``.
    ///
    /// - Parameter keepsUnknownFields: Whether fields of newer peers are there again when the message is written.
    package static func message<Message: SwiftProtobuf.Message>(
        _ type: Message.Type, from bytes: [UInt8], limit: Int = maximumBodyByteCount,
        keepsUnknownFields: Bool = true
    ) throws(WireError) -> Message {
        guard bytes.count <= limit else {
            throw .tooLarge(message: name(of: type), byteCount: bytes.count, limit: limit)
        }
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = maximumDepth
        options.discardUnknownFields = !keepsUnknownFields
        do {
            return try Message(serializedBytes: bytes, options: options)
        } catch {
            throw .malformed(message: name(of: type))
        }
    }

    /// The bytes that name a configuration.
    package static func sha256(_ message: some SwiftProtobuf.Message) -> [UInt8] {
        Array(SHA256.hash(data: bytes(of: message)))
    }

    static func name(of type: any SwiftProtobuf.Message.Type) -> String {
        type.protoMessageName.split(separator: ".").last.map(String.init) ?? type.protoMessageName
    }
}

/// Why a message from a peer or a file cannot be used.
package enum WireError: InputFault, Hashable {
    case tooLarge(message: String, byteCount: Int, limit: Int)
    case malformed(message: String)
    case missing(String)
    case outOfRange(String, found: String, allowed: String)
    case unsupported(String, found: String)
}

extension WireError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let message, let byteCount, let limit):
            "\(message) has \(byteCount) bytes; at most \(limit) are allowed"
        case .malformed(let message):
            "the bytes are not a \(message)"
        case .missing(let field):
            "\(field) is missing; it is required"
        case .outOfRange(let field, let found, let allowed):
            "\(field) is \(found); it must be \(allowed)"
        case .unsupported(let field, let found):
            "\(field) is \(found); this program cannot do that"
        }
    }
}

/// A message that describes a database: to clients, or to the server's other programs.
protocol WireDatabaseDescription {
    var hasEncryptionParameters: Bool { get }
    var algorithm: WirePirAlgorithm { get }
    var encodingEntrySize: Bool { get }
    var hasKeywordPirParams: Bool { get }
}

extension WirePIRConfig: WireDatabaseDescription {}
extension WirePirParameters: WireDatabaseDescription {}

extension WireDatabaseDescription {
    /// Refuses databases of other kinds than ours.
    func requireKeywordPIR() throws(WireError) {
        guard hasEncryptionParameters else { throw .missing("encryption_parameters") }
        guard algorithm == .mulPir else { throw .unsupported("algorithm", found: "\(algorithm)") }
        guard !encodingEntrySize else { throw .unsupported("encoding_entry_size", found: "true") }
        guard hasKeywordPirParams else { throw .missing("keyword_pir_params") }
    }
}
