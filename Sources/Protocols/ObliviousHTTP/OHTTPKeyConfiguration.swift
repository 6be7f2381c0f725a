import Decoding

/// A public key of a gateway and the algorithms that go with it (RFC 9458, section 3.1).
package struct OHTTPKeyConfiguration: Hashable, Sendable {
    /// Most pairs a configuration can list: their length in bytes is a multiple of 4 below 65 536.
    package static let maximumSymmetricCount = 16_383

    package let keyID: UInt8
    /// Id of the key encapsulation mechanism. May be one that ``OHTTPKEM`` does not have.
    package let kemID: UInt16
    package let publicKey: [UInt8]
    /// Pairs of algorithms in the gateway's order of preference. Never empty.
    package let symmetric: [OHTTPSymmetricIDs]

    package init(
        keyID: UInt8, kemID: UInt16, publicKey: [UInt8], symmetric: [OHTTPSymmetricIDs]
    ) throws(OHTTPKeyConfigurationError) {
        guard let expected = OHTTPKEM.publicKeyByteCount(forID: kemID) else {
            throw OHTTPKeyConfigurationError(.unknownKEM(kemID), offset: 1)
        }
        guard publicKey.count == expected else {
            throw OHTTPKeyConfigurationError(.publicKeyLength(publicKey.count, expected: expected), offset: 3)
        }
        guard (1...Self.maximumSymmetricCount).contains(symmetric.count) else {
            throw OHTTPKeyConfigurationError(.symmetricLength(4 * symmetric.count), offset: 3 + expected)
        }
        self.keyID = keyID
        self.kemID = kemID
        self.publicKey = publicKey
        self.symmetric = symmetric
    }

    /// Bytes of ``encoded``: 45 for X25519 and two pairs.
    package var byteCount: Int { 5 + publicKey.count + 4 * symmetric.count }

    package var encoded: [UInt8] {
        var bytes = [keyID, UInt8(kemID >> 8), UInt8(kemID & 0xFF)] + publicKey
        let length = 4 * symmetric.count
        bytes += [UInt8(length >> 8), UInt8(length & 0xFF)]
        for pair in symmetric {
            bytes += [
                UInt8(pair.kdf >> 8), UInt8(pair.kdf & 0xFF), UInt8(pair.aead >> 8), UInt8(pair.aead & 0xFF),
            ]
        }
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws(OHTTPKeyConfigurationError) {
        var reader = ByteReader(bytes)
        try self.init(reading: &reader)
    }

    /// Reads a configuration that has to fill `reader`.
    private init(reading reader: inout ByteReader) throws(OHTTPKeyConfigurationError) {
        let start = reader.offset
        guard let keyID = reader.byte(), let kemID = reader.uint16() else {
            throw OHTTPKeyConfigurationError(.truncated, offset: start)
        }
        guard let keyLength = OHTTPKEM.publicKeyByteCount(forID: kemID) else {
            throw OHTTPKeyConfigurationError(.unknownKEM(kemID), offset: start + 1)
        }
        guard let publicKey = reader.take(keyLength), let length = reader.uint16() else {
            throw OHTTPKeyConfigurationError(.truncated, offset: start)
        }
        guard length > 0, length.isMultiple(of: 4) else {
            throw OHTTPKeyConfigurationError(.symmetricLength(Int(length)), offset: reader.offset - 2)
        }
        guard var pairs = reader.split(length) else {
            throw OHTTPKeyConfigurationError(.truncated, offset: start)
        }
        guard reader.isAtEnd else {
            throw OHTTPKeyConfigurationError(.trailingBytes(reader.remaining), offset: reader.offset)
        }
        var symmetric: [OHTTPSymmetricIDs] = []
        symmetric.reserveCapacity(Int(length) / 4)
        while let kdf = pairs.uint16(), let aead = pairs.uint16() {
            symmetric.append(OHTTPSymmetricIDs(kdf: kdf, aead: aead))
        }
        try self.init(keyID: keyID, kemID: kemID, publicKey: Array(publicKey), symmetric: symmetric)
    }
}

extension OHTTPKeyConfiguration {
    /// The body of an `application/ohttp-keys` resource.
    package static func encodeList(_ configurations: [OHTTPKeyConfiguration]) -> [UInt8] {
        configurations.flatMap { configuration in
            let length = configuration.byteCount
            return [UInt8(truncatingIfNeeded: length >> 8), UInt8(length & 0xFF)] + configuration.encoded
        }
    }

    /// Reads the body of an `application/ohttp-keys` resource, at least one configuration.
    ///
    /// One error discards the whole list, as section 3.2 of the RFC demands: what a client
    /// would keep of a damaged list could be used to tell clients apart.
    package static func decodeList(
        _ bytes: [UInt8]
    ) throws(OHTTPKeyConfigurationError) -> [OHTTPKeyConfiguration] {
        var reader = ByteReader(bytes)
        var configurations: [OHTTPKeyConfiguration] = []
        repeat {
            let start = reader.offset
            guard let length = reader.uint16(), var entry = reader.split(length) else {
                throw OHTTPKeyConfigurationError(.truncated, offset: start)
            }
            configurations.append(try OHTTPKeyConfiguration(reading: &entry))
        } while !reader.isAtEnd
        return configurations
    }
}

/// Why bytes are not a key configuration or a list of them.
package struct OHTTPKeyConfigurationError: Error, Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        case truncated
        case unknownKEM(UInt16)
        case publicKeyLength(Int, expected: Int)
        /// Bytes of the list of pairs.
        case symmetricLength(Int)
        case trailingBytes(Int)
    }

    package let problem: Problem
    /// Bytes from the start of the configuration, or of the list when a list is read.
    package let offset: Int

    init(_ problem: Problem, offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension OHTTPKeyConfigurationError: CustomStringConvertible {
    package var description: String {
        let detail =
            switch problem {
            case .truncated:
                "the key configuration ends too early"
            case .unknownKEM(let id):
                "the key encapsulation mechanism is \(id); its key length is not known"
            case .publicKeyLength(let found, let expected):
                "the public key has \(found) bytes; this mechanism has \(expected)"
            case .symmetricLength(let found):
                "the list of symmetric algorithms has \(found) bytes; it must be a multiple of 4 in 4...65532"
            case .trailingBytes(let count):
                "\(count) bytes follow the key configuration"
            }
        return "byte \(offset): \(detail)"
    }
}
