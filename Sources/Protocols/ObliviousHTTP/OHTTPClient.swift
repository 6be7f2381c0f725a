import Crypto
import Foundation

/// The side that hides its requests in messages for a gateway.
///
///     let client = try OHTTPClient(configuration: configuration)
///     let (message, context) = try client.seal(try request.encoded())
///     // … the relay carries `message` to the gateway and `answer` back …
///     let response = try BinaryHTTPResponse(decoding: try context.open(answer))
package struct OHTTPClient: Sendable {
    package let suite: OHTTPSuite
    package let keyID: UInt8
    private let publicKey: [UInt8]

    /// Takes the first pair of algorithms in the gateway's order that this module has.
    package init(configuration: OHTTPKeyConfiguration) throws(OHTTPError) {
        let suites = configuration.symmetric.lazy.compactMap {
            OHTTPSuite(kemID: configuration.kemID, symmetric: $0)
        }
        guard let suite = suites.first else { throw .noUsableSuite(kem: configuration.kemID) }
        self.suite = suite
        keyID = configuration.keyID
        publicKey = configuration.publicKey
    }

    /// Encapsulates a binary HTTP request under a fresh key.
    ///
    /// - Returns: The body of a `message/ohttp-req` request, ``OHTTPSuite/requestOverhead`` bytes
    ///   longer than `request`, and what is needed to open the one response to it.
    package func seal(
        _ request: [UInt8]
    ) throws(OHTTPError) -> (message: [UInt8], context: OHTTPClientContext) {
        let header = suite.header(keyID: keyID)
        var sender = try suite.kem.sender(
            to: publicKey, suite: suite, info: OHTTPSuite.requestInfo(header: header))
        do {
            let encapsulatedKey = Array(sender.encapsulatedKey)
            let ciphertext = try sender.seal(request)
            let secret = try sender.exportSecret(
                context: OHTTPSuite.responseLabel, outputByteCount: suite.responseNonceByteCount)
            let protection = OHTTPResponseProtection(
                suite: suite, encapsulatedKey: encapsulatedKey, secret: secret)
            return (header + encapsulatedKey + ciphertext, OHTTPClientContext(protection: protection))
        } catch {
            throw .unusablePublicKey(kem: suite.kem)
        }
    }
}

/// State that a client keeps until the response to one request arrives.
package struct OHTTPClientContext: Sendable {
    package let protection: OHTTPResponseProtection

    /// - Parameter message: The body of a `message/ohttp-res` response.
    /// - Returns: A binary HTTP response.
    package func open(_ message: [UInt8]) throws(OHTTPError) -> [UInt8] {
        try protection.open(message)
    }
}
