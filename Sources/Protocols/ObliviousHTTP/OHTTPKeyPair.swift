import Crypto
import Foundation

/// A private key of a gateway, with the configuration that is published for it.
package struct OHTTPKeyPair: Sendable {
    private enum Secret: Sendable {
        case p256(P256.KeyAgreement.PrivateKey)
        case x25519(Curve25519.KeyAgreement.PrivateKey)
    }

    package let configuration: OHTTPKeyConfiguration
    package let kem: OHTTPKEM
    private let secret: Secret

    /// The algorithms of the example in RFC 9458.
    package static let standardSymmetric: [OHTTPSymmetricIDs] = [.aes128GCM, .chaCha20Poly1305]

    /// A new random key.
    ///
    /// - Parameter symmetric: In order of preference; not empty and all known to ``OHTTPSuite``.
    package init(
        keyID: UInt8, kem: OHTTPKEM = .x25519, symmetric: [OHTTPSymmetricIDs] = standardSymmetric
    ) throws(OHTTPError) {
        let secret: Secret =
            switch kem {
            case .p256: .p256(P256.KeyAgreement.PrivateKey())
            case .x25519: .x25519(Curve25519.KeyAgreement.PrivateKey())
            }
        try self.init(keyID: keyID, kem: kem, secret: secret, symmetric: symmetric)
    }

    /// A stored key.
    ///
    /// - Parameter privateKey: 32 bytes, the form of RFC 9180's `SerializePrivateKey`.
    package init(
        keyID: UInt8, kem: OHTTPKEM, privateKey: [UInt8], symmetric: [OHTTPSymmetricIDs] = standardSymmetric
    ) throws(OHTTPError) {
        let secret: Secret
        do {
            switch kem {
            case .p256: secret = .p256(try P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey))
            case .x25519:
                secret = .x25519(try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey))
            }
        } catch {
            throw .unusablePrivateKey(kem: kem)
        }
        try self.init(keyID: keyID, kem: kem, secret: secret, symmetric: symmetric)
    }

    private init(
        keyID: UInt8, kem: OHTTPKEM, secret: Secret, symmetric: [OHTTPSymmetricIDs]
    ) throws(OHTTPError) {
        let publicKey: [UInt8] =
            switch secret {
            case .p256(let key): Array(key.publicKey.x963Representation)
            case .x25519(let key): Array(key.publicKey.rawRepresentation)
            }
        let usable = symmetric.allSatisfy { OHTTPSuite(kemID: kem.rawValue, symmetric: $0) != nil }
        guard usable,
            let configuration = try? OHTTPKeyConfiguration(
                keyID: keyID, kemID: kem.rawValue, publicKey: publicKey, symmetric: symmetric)
        else { throw .noUsableSuite(kem: kem.rawValue) }
        self.configuration = configuration
        self.kem = kem
        self.secret = secret
    }

    /// The key to store, 32 bytes. Whoever has it can read every request sent to it.
    package var privateKey: [UInt8] {
        switch secret {
        case .p256(let key): Array(key.rawRepresentation)
        case .x25519(let key): Array(key.rawRepresentation)
        }
    }

    func recipient(suite: OHTTPSuite, info: Data, encapsulatedKey: Data) throws -> HPKE.Recipient {
        switch secret {
        case .p256(let key):
            try HPKE.Recipient(
                privateKey: key, ciphersuite: suite.hpke, info: info, encapsulatedKey: encapsulatedKey)
        case .x25519(let key):
            try HPKE.Recipient(
                privateKey: key, ciphersuite: suite.hpke, info: info, encapsulatedKey: encapsulatedKey)
        }
    }
}
