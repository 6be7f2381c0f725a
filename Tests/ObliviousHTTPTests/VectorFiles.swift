import Foundation
import Testing

/// A file in `Vectors`; its README names the sources.
enum VectorFile {
    static func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws -> Value {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: url))
    }
}

/// Bytes that a vector file gives in hexadecimal.
struct Hex: Decodable, Hashable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        bytes = try [UInt8](hex: decoder.singleValueContainer().decode(String.self))
    }
}

struct NotHexadecimal: Error {}

extension [UInt8] {
    init(hex: String) throws {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { throw NotHexadecimal() }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

struct BinaryHTTPVectors: Decodable {
    struct Valid: Decodable {
        let name: String
        let hex: Hex
        let decoded: Message
    }

    struct Invalid: Decodable {
        let name: String
        let hex: Hex
    }

    struct Message: Decodable {
        struct Informational: Decodable {
            let status: Int
            let headers: [[String]]
        }

        let framing: Int
        let informational: [Informational]
        let method: String?
        let scheme: String?
        let authority: String?
        let path: String?
        let status: Int?
        let headers: [[String]]
        let content: Hex
        let trailers: [[String]]
        let padding: Int
    }

    let valid: [Valid]
    let invalid: [Invalid]

    static let all = Result { try VectorFile.decode(Self.self, from: "bhttp") }
}

struct OHTTPVectors: Decodable {
    struct Exchange: Decodable {
        let name: String
        let chunked: Bool
        let keyId: UInt8
        let kemId: UInt16
        let kdfId: UInt16
        let aeadId: UInt16
        let gatewaySecretKey: Hex
        let keyConfig: Hex
        let enc: Hex
        let requestChunks: [Hex]
        let encapsulatedRequest: Hex
        let exportedSecret: Hex
        let responseNonce: Hex
        let responseChunks: [Hex]
        let encapsulatedResponse: Hex
    }

    struct KeyList: Decodable {
        struct Entry: Decodable {
            let keyId: UInt8
            let kemId: UInt16
            let publicKey: Hex
            let symmetric: [[UInt16]]
        }

        let name: String
        let hex: Hex
        let decoded: [Entry]?
    }

    struct Damaged: Decodable {
        struct Vector: Decodable {
            let name: String
            let kind: String
            let hex: Hex
        }

        let vectors: [Vector]
    }

    let messages: [Exchange]
    let keyConfigLists: [KeyList]
    let mustFail: Damaged

    static let all = Result { try VectorFile.decode(Self.self, from: "ohttp") }
}
