import Decoding
import Foundation

/// Keys and request address that an issuer publishes about itself (RFC 9578, section 4).
///
///     GET /.well-known/private-token-issuer-directory
///
///     {"issuer-request-uri": "/issue", "token-keys": [{"token-type": 2, "token-key": "MIIB…"}]}
package struct IssuerDirectory: Hashable, Sendable {
    /// A key that the issuer signs with, or will.
    package struct Key: Hashable, Sendable {
        package let tokenType: UInt16
        /// The key, of type 2 a ``TokenPublicKey/subjectPublicKeyInfo``; not looked into for other types.
        package let tokenKey: [UInt8]
        /// Seconds since 1970 before which the key must not be used, or `nil` for at once.
        package let notBefore: Int64?

        package init(tokenType: UInt16, tokenKey: [UInt8], notBefore: Int64? = nil) {
            self.tokenType = tokenType
            self.tokenKey = tokenKey
            self.notBefore = notBefore
        }

        package init(_ key: TokenPublicKey, notBefore: Int64? = nil) {
            self.init(
                tokenType: TokenType.blindRSA2048, tokenKey: key.subjectPublicKeyInfo, notBefore: notBefore)
        }
    }

    package static let path = "/.well-known/private-token-issuer-directory"
    package static let mediaType = "application/private-token-issuer-directory"

    /// Longest body that is read, in bytes: more than 256 keys with all that belongs to them.
    package static let maximumByteCount = 256 << 10
    /// Most keys of a directory: with more, truncated key ids cannot all differ.
    package static let maximumKeyCount = 256
    /// Longest `issuer-request-uri`, in bytes.
    package static let maximumURIByteCount = 2_048

    /// The place to which token requests go: an absolute URL, or a path relative to the directory's URL.
    package let issuerRequestURI: String
    /// Keys in the issuer's order of preference.
    package let keys: [Key]

    package init(issuerRequestURI: String, keys: [Key]) throws(IssuerDirectoryError) {
        let uriByteCount = issuerRequestURI.utf8.count
        guard (1...Self.maximumURIByteCount).contains(uriByteCount) else {
            throw .uriLength(uriByteCount, allowed: 1...Self.maximumURIByteCount)
        }
        guard keys.count <= Self.maximumKeyCount else {
            throw .tooManyKeys(keys.count, limit: Self.maximumKeyCount)
        }
        for (index, key) in keys.enumerated() where key.tokenType == TokenType.blindRSA2048 {
            do {
                _ = try TokenPublicKey(subjectPublicKeyInfo: key.tokenKey)
            } catch {
                throw .unusableKey(index: index, error)
            }
        }
        self.issuerRequestURI = issuerRequestURI
        self.keys = keys
    }

    /// Keys of type 2 that may be used now, the preferred one first.
    ///
    /// - Parameter now: Seconds since 1970.
    package func usableKeys(at now: Int64) -> [TokenPublicKey] {
        keys.filter { $0.tokenType == TokenType.blindRSA2048 && ($0.notBefore ?? .min) <= now }
            .compactMap { try? TokenPublicKey(subjectPublicKeyInfo: $0.tokenKey) }
    }

    /// Whether a key that the issuer handed to one user is among those it shows to everyone.
    ///
    /// - Parameter now: Seconds since 1970.
    package func offers(_ key: TokenPublicKey, at now: Int64) -> Bool {
        usableKeys(at: now).contains(key)
    }

    /// The URL that token requests go to.
    ///
    /// - Parameter directoryURL: Where the directory came from.
    package func requestURL(relativeTo directoryURL: String) throws(IssuerDirectoryError) -> String {
        guard let base = URL(string: directoryURL),
            let url = URL(string: issuerRequestURI, relativeTo: base)?.absoluteURL,
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty
        else { throw .unusableURI(String(issuerRequestURI.prefix(128))) }
        return url.absoluteString
    }
}

extension IssuerDirectory {
    private struct Document: Codable {
        struct Key: Codable {
            /// Wider than the type it holds, so that a number out of range gets an error with a place.
            let tokenType: Int
            let tokenKey: String
            let notBefore: Int64?

            enum CodingKeys: String, CodingKey {
                case tokenType = "token-type"
                case tokenKey = "token-key"
                case notBefore = "not-before"
            }
        }

        let issuerRequestURI: String
        let tokenKeys: [Key]

        enum CodingKeys: String, CodingKey {
            case issuerRequestURI = "issuer-request-uri"
            case tokenKeys = "token-keys"
        }
    }

    /// The JSON text, with keys in base64url with padding.
    package var encoded: [UInt8] {
        let document = Document(
            issuerRequestURI: issuerRequestURI,
            tokenKeys: keys.map { key in
                Document.Key(
                    tokenType: Int(key.tokenType), tokenKey: Base64URL.encode(key.tokenKey),
                    notBefore: key.notBefore)
            })
        do {
            return Array(try JSONText.line(document))
        } catch {
            preconditionFailure("strings and whole numbers always have a JSON form, yet: \(error)")
        }
    }

    /// Reads the body of a directory resource. Unknown members are ignored.
    package init(decoding json: [UInt8]) throws(IssuerDirectoryError) {
        guard json.count <= Self.maximumByteCount else {
            throw .tooLong(json.count, limit: Self.maximumByteCount)
        }
        let document: Document
        do {
            document = try JSONReader.read(Document.self, from: Data(json))
        } catch let error as DecodingError {
            throw .member(error.path)
        } catch {
            throw .member("")
        }
        guard document.tokenKeys.count <= Self.maximumKeyCount else {
            throw .tooManyKeys(document.tokenKeys.count, limit: Self.maximumKeyCount)
        }
        var keys: [Key] = []
        for (index, key) in document.tokenKeys.enumerated() {
            guard let tokenType = UInt16(exactly: key.tokenType) else {
                throw .member("token-keys.\(index).token-type")
            }
            guard let bytes = Base64URL.decode(key.tokenKey, padding: .optional) else {
                throw .keyNotBase64URL(index: index)
            }
            keys.append(Key(tokenType: tokenType, tokenKey: bytes, notBefore: key.notBefore))
        }
        try self.init(issuerRequestURI: document.issuerRequestURI, keys: keys)
    }
}

extension DecodingError {
    /// The place in the document, for example `token-keys.0.token-type`; empty when it is no JSON at all.
    fileprivate var path: String {
        let keys: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}

/// Why a directory cannot be used.
package enum IssuerDirectoryError: Error, Hashable, Sendable {
    case tooLong(Int, limit: Int)
    /// A member that is missing or of the wrong kind; an empty path means that the text
    /// is no JSON, or has a number that no whole number of 64 bits equals.
    case member(String)
    case uriLength(Int, allowed: ClosedRange<Int>)
    case unusableURI(String)
    case tooManyKeys(Int, limit: Int)
    case keyNotBase64URL(index: Int)
    case unusableKey(index: Int, TokenKeyError)
}

extension IssuerDirectoryError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let found, let limit):
            "the issuer directory has \(found) bytes; at most \(limit) are accepted"
        case .member(""):
            "the issuer directory is not JSON with whole numbers of 64 bits"
        case .member(let path):
            "the issuer directory's member '\(path)' is missing or not of the kind RFC 9578 gives it"
        case .uriLength(let found, let allowed):
            "issuer-request-uri has \(found) bytes; it must have \(allowed.lowerBound)...\(allowed.upperBound)"
        case .unusableURI(let uri):
            "issuer-request-uri is '\(uri)'; it must be an http or https URL, or relative to one"
        case .tooManyKeys(let found, let limit):
            "the issuer directory has \(found) keys; at most \(limit) are accepted"
        case .keyNotBase64URL(let index):
            "token-keys.\(index).token-key is not base64url"
        case .unusableKey(let index, let error):
            "token-keys.\(index).token-key: \(error)"
        }
    }
}
