import Crypto
import Decoding
import Foundation

/// The side that opens requests, without knowing who sent them.
///
/// A gateway can hold several keys. To rotate: ``add(_:)`` the new key, which is then
/// published first; ``withdraw(_:)`` the old one, which still opens requests of clients
/// with an old configuration; ``retire(_:)`` it when those have run out.
package struct OHTTPGateway: Sendable {
    private var keys: [UInt8: OHTTPKeyPair] = [:]
    /// Ids of published keys, newest first.
    private var published: [UInt8] = []

    package init(keys: [OHTTPKeyPair]) throws(OHTTPError) {
        for key in keys.reversed() { try add(key) }
    }

    package var keyIDs: Set<UInt8> { Set(keys.keys) }

    /// Configurations for clients, the preferred one first.
    package var configurations: [OHTTPKeyConfiguration] { published.compactMap { keys[$0]?.configuration } }

    /// The body of the `application/ohttp-keys` resource.
    package var encodedConfigurations: [UInt8] { OHTTPKeyConfiguration.encodeList(configurations) }

    /// Adds a key and publishes it in front of the others.
    package mutating func add(_ key: OHTTPKeyPair) throws(OHTTPError) {
        let id = key.configuration.keyID
        guard keys[id] == nil else { throw .duplicateKeyID(id) }
        keys[id] = key
        published.insert(id, at: 0)
    }

    /// Stops publishing a key that still opens requests.
    package mutating func withdraw(_ keyID: UInt8) {
        published.removeAll { $0 == keyID }
    }

    /// Forgets a key. Requests for it are refused from now on.
    ///
    /// - Returns: `false` if there was no such key.
    @discardableResult
    package mutating func retire(_ keyID: UInt8) -> Bool {
        withdraw(keyID)
        return keys.removeValue(forKey: keyID) != nil
    }

    /// Opens the body of a `message/ohttp-req` request.
    ///
    /// The same bytes open as often as they are presented: whoever minds replays asks a
    /// ``ReplayWindow`` about ``OHTTPServerContext/encapsulatedKey``.
    ///
    /// - Returns: A binary HTTP request, and what is needed to seal the response to it.
    package func open(
        _ message: [UInt8]
    ) throws(OHTTPError) -> (request: [UInt8], context: OHTTPServerContext) {
        var reader = ByteReader(message)
        guard let keyID = reader.byte(), let kemID = reader.uint16(), let kdfID = reader.uint16(),
            let aeadID = reader.uint16()
        else { throw .requestTooShort(found: message.count, needed: OHTTPSuite.headerByteCount) }
        guard let key = keys[keyID] else { throw .unknownKeyID(keyID) }
        let symmetric = OHTTPSymmetricIDs(kdf: kdfID, aead: aeadID)
        guard kemID == key.kem.rawValue, key.configuration.symmetric.contains(symmetric),
            let suite = OHTTPSuite(kemID: kemID, symmetric: symmetric)
        else { throw .suiteNotOffered(keyID: keyID, kem: kemID, symmetric: symmetric) }
        guard message.count >= suite.requestOverhead, let enc = reader.take(suite.kem.publicKeyByteCount)
        else { throw .requestTooShort(found: message.count, needed: suite.requestOverhead) }

        // Whatever goes wrong from here on has one name: telling a sender which check
        // failed would help only an attacker, and swift-crypto's errors do not say it either.
        do {
            guard suite.kem != .x25519 || !SmallOrderPoints.contains(enc) else {
                throw OHTTPError.decapsulationFailed(keyID: keyID)
            }
            let info = OHTTPSuite.requestInfo(header: suite.header(keyID: keyID))
            var recipient = try key.recipient(suite: suite, info: info, encapsulatedKey: Data(enc))
            let request = Array(try recipient.open(reader.takeRest()))
            let secret = try recipient.exportSecret(
                context: OHTTPSuite.responseLabel, outputByteCount: suite.responseNonceByteCount)
            let protection = OHTTPResponseProtection(
                suite: suite, encapsulatedKey: Array(enc), secret: secret)
            return (request, OHTTPServerContext(keyID: keyID, protection: protection))
        } catch {
            throw .decapsulationFailed(keyID: keyID)
        }
    }
}

/// State that a gateway keeps until it has the response to one request.
package struct OHTTPServerContext: Sendable {
    package let keyID: UInt8
    package let protection: OHTTPResponseProtection

    /// Unique to the request, unless it is a replay.
    package var encapsulatedKey: [UInt8] { protection.encapsulatedKey }

    /// Encapsulates a binary HTTP response under a fresh nonce.
    ///
    /// - Returns: The body of a `message/ohttp-res` response, ``OHTTPSuite/responseOverhead``
    ///   bytes longer than `response`.
    package func seal(_ response: [UInt8]) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<protection.suite.responseNonceByteCount).map { _ in
            UInt8.random(in: .min ... .max, using: &random)
        }
        return protection.seal(response, nonce: nonce)
    }
}
