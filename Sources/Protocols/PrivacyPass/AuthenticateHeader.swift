import Decoding

/// A token that an origin asks for in a `WWW-Authenticate` field (RFC 9577, section 2.1).
///
/// The URL filter does without: its device writes the challenge itself. Other clients of the
/// same issuer need it.
package struct PrivateTokenDemand: Hashable, Sendable {
    /// Longest field that is read, in bytes.
    package static let maximumFieldByteCount = 32 << 10

    /// First two bytes of ``challenge``.
    package let tokenType: UInt16
    /// A ``TokenChallenge``, if ``tokenType`` is one that has this structure.
    package let challenge: [UInt8]
    /// The issuer's public key, or `nil` if the origin leaves it to the client to know it.
    package let tokenKey: [UInt8]?
    /// Seconds for which the demand stands, or `nil` if the origin does not say.
    package let maximumAge: Int?

    /// Value for a `WWW-Authenticate` field.
    package var fieldValue: String {
        var value = "PrivateToken challenge=\"\(Base64URL.encode(challenge))\""
        if let tokenKey { value += ", token-key=\"\(Base64URL.encode(tokenKey))\"" }
        if let maximumAge { value += ", max-age=\"\(maximumAge)\"" }
        return value
    }

    package init(challenge: TokenChallenge, key: TokenPublicKey? = nil, maximumAge: Int? = nil) {
        tokenType = challenge.tokenType
        self.challenge = challenge.encoded
        tokenKey = key?.subjectPublicKeyInfo
        self.maximumAge = maximumAge
    }

    /// Reads all demands of a field and skips what is of another scheme.
    ///
    /// Demands of reserved and unknown types are in the result; a client takes one of type
    /// ``TokenType/blindRSA2048``. Unknown parameters are ignored.
    package static func parse(_ field: String) throws(AuthenticateError) -> [PrivateTokenDemand] {
        guard field.utf8.count <= maximumFieldByteCount else {
            throw .tooLong(field.utf8.count, limit: maximumFieldByteCount)
        }
        var demands: [PrivateTokenDemand] = []
        let challenges: [HTTPAuthChallenge]
        do {
            challenges = try HTTPAuthChallenge.parse(field)
        } catch {
            throw .syntax(error)
        }
        for challenge in challenges
        where challenge.scheme.lowercased() == HTTPAuthChallenge.privateTokenScheme {
            demands.append(try PrivateTokenDemand(challenge.parameters))
        }
        return demands
    }

    private init(_ parameters: [String: String]) throws(AuthenticateError) {
        guard let text = parameters["challenge"] else { throw .noChallenge }
        guard let challenge = Base64URL.decode(text) else { throw .notBase64URL(parameter: "challenge") }
        var reader = ByteReader(challenge)
        guard let tokenType = reader.uint16() else { throw .noChallenge }
        self.tokenType = tokenType
        self.challenge = challenge
        tokenKey = try parameters["token-key"].map { text throws(AuthenticateError) in
            guard let key = Base64URL.decode(text) else { throw .notBase64URL(parameter: "token-key") }
            return key
        }
        maximumAge = try parameters["max-age"].map { text throws(AuthenticateError) in
            guard let age = Int(text), age >= 0 else { throw .maximumAge(text) }
            return age
        }
    }
}

/// Why a `WWW-Authenticate` field cannot be understood.
package enum AuthenticateError: Error, Hashable, Sendable {
    case tooLong(Int, limit: Int)
    case syntax(HTTPAuthSyntaxError)
    case noChallenge
    case notBase64URL(parameter: String)
    case maximumAge(String)
}

extension AuthenticateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let found, let limit):
            "the field has \(found) bytes; at most \(limit) are accepted"
        case .syntax(let error):
            "\(error)"
        case .noChallenge:
            "a PrivateToken challenge has no parameter 'challenge' of at least 2 bytes"
        case .notBase64URL(let parameter):
            "the parameter '\(parameter)' is not padded base64url"
        case .maximumAge(let text):
            "max-age is '\(text)'; it must be a number of seconds, 0 or more"
        }
    }
}
