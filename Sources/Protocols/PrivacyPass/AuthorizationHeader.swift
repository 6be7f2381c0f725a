extension Token {
    /// The value of an `Authorization` field as the device sends it, without quotes: 491 characters.
    package var authorization: String { "PrivateToken token=" + Base64URL.encode(encoded) }

    /// Reads the value of an `Authorization` field, the token quoted or not (RFC 9577, section 2.2).
    package init(authorization value: String) throws(AuthorizationError) {
        // Twice the size of a real one leaves room for parameters that are to be ignored.
        guard value.utf8.count <= 1_024 else { throw .tooLong(value.utf8.count, limit: 1_024) }
        let challenges: [HTTPAuthChallenge]
        do {
            challenges = try HTTPAuthChallenge.parse(value)
        } catch {
            throw .syntax(error)
        }
        guard challenges.count == 1, let credentials = challenges.first,
            credentials.scheme.lowercased() == HTTPAuthChallenge.privateTokenScheme
        else { throw .notPrivateToken }
        guard let text = credentials.parameters["token"] else { throw .noToken }
        guard let bytes = Base64URL.decode(text, padding: .optional) else { throw .notBase64URL }
        do {
            self = try Token(decoding: bytes)
        } catch {
            throw .malformed(error)
        }
    }
}

/// Why the value of an `Authorization` field has no token.
package enum AuthorizationError: Error, Hashable, Sendable {
    case tooLong(Int, limit: Int)
    case syntax(HTTPAuthSyntaxError)
    /// Another scheme, or none.
    case notPrivateToken
    case noToken
    case notBase64URL
    case malformed(TokenFormatError)
}

extension AuthorizationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let found, let limit):
            "the authorization has \(found) characters; at most \(limit) are accepted"
        case .syntax(let error):
            "\(error)"
        case .notPrivateToken:
            "the authorization is not of the scheme PrivateToken"
        case .noToken:
            "the authorization has no parameter 'token'"
        case .notBase64URL:
            "the parameter 'token' is not base64url"
        case .malformed(let error):
            "\(error)"
        }
    }
}
