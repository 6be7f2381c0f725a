/// Names that Oblivious HTTP uses in ordinary HTTP messages (RFC 9458, sections 9 and 10).
package enum OHTTPMediaType {
    package static let keyConfigurations = "application/ohttp-keys"
    package static let request = "message/ohttp-req"
    package static let response = "message/ohttp-res"

    /// Problem type of the 422 that a gateway may answer in the clear when it does not know the key.
    package static let keyProblem = "https://iana.org/assignments/http-problem-types#ohttp-key"
}
