import Foundation
import TestSupport
import Testing

/// The files in `Vectors`; the README beside them names the sources.
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

    static let all = Result {
        try VectorFile.decode(Self.self, from: "bhttp.json", in: .module, keys: .convertFromSnakeCase)
    }
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

    static let all = Result {
        try VectorFile.decode(Self.self, from: "ohttp.json", in: .module, keys: .convertFromSnakeCase)
    }
}
