import Foundation
package import SwiftProtobuf

/// How a message is written in a file. Apple's tools decide by the name: `.txtpb` is text, all else binary.
package enum MessageFormat: Hashable, Sendable {
    case text, binary

    package init(path: String) { self = path.hasSuffix(".txtpb") ? .text : .binary }
}

/// Single messages as files, in the format that the name says.
///
/// Meant for small messages (parameters, key configurations); databases have readers of their own.
package enum MessageFile {
    /// Largest file read, in bytes.
    package static let maximumByteCount = 1 << 20

    package static func read<Message: SwiftProtobuf.Message>(_ type: Message.Type, path: String) throws
        -> Message
    {
        var input = try ByteInput(path: path)
        let bytes = try input.read(upTo: maximumByteCount + 1)
        guard bytes.count <= maximumByteCount else {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            throw FileError.tooLarge(
                path, byteCount: attributes?[.size] as? Int ?? bytes.count, limit: maximumByteCount)
        }
        return try message(type, from: bytes, format: MessageFormat(path: path))
    }

    package static func message<Message: SwiftProtobuf.Message>(
        _ type: Message.Type, from bytes: [UInt8], format: MessageFormat
    ) throws(WireError) -> Message {
        switch format {
        case .binary: return try WireCoding.message(type, from: bytes, limit: maximumByteCount)
        case .text:
            var options = TextFormatDecodingOptions()
            options.messageDepthLimit = 16
            do {
                return try Message(textFormatString: String(decoding: bytes, as: UTF8.self), options: options)
            } catch {
                throw .malformed(message: "text protobuf of " + type.protoMessageName)
            }
        }
    }

    package static func bytes(
        of message: some SwiftProtobuf.Message, format: MessageFormat
    ) -> [UInt8] {
        switch format {
        case .binary: WireCoding.bytes(of: message)
        case .text: Array(message.textFormatString().utf8)
        }
    }
}
