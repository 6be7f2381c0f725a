import Crypto
import Foundation

/// How the response to one request is protected (RFC 9458, section 4.4).
///
/// Client and gateway derive the same value from their HPKE contexts, so both
/// directions are here.
package struct OHTTPResponseProtection: Sendable {
    package let suite: OHTTPSuite
    /// `enc` of the request that is answered.
    package let encapsulatedKey: [UInt8]
    private let secret: SymmetricKey

    /// - Parameter secret: What both sides export from HPKE for the response, max(Nn, Nk) bytes.
    package init(suite: OHTTPSuite, encapsulatedKey: [UInt8], secret: [UInt8]) {
        self.init(suite: suite, encapsulatedKey: encapsulatedKey, secret: SymmetricKey(data: secret))
    }

    init(suite: OHTTPSuite, encapsulatedKey: [UInt8], secret: SymmetricKey) {
        self.suite = suite
        self.encapsulatedKey = encapsulatedKey
        self.secret = secret
    }

    /// Seals a response under a nonce that must not be used twice for one request.
    ///
    /// Only a test has a reason to choose the nonce; others use ``OHTTPServerContext/seal(_:)``.
    package func seal(_ response: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(
            nonce.count == suite.responseNonceByteCount,
            "the response nonce has \(nonce.count) bytes; it must have \(suite.responseNonceByteCount)")
        let (key, aeadNonce) = keyAndNonce(for: nonce)
        do {
            let sealed =
                switch suite.aead {
                case .aes128GCM, .aes256GCM:
                    try AES.GCM.seal(response, using: key, nonce: AES.GCM.Nonce(data: aeadNonce)).untangled
                case .chaCha20Poly1305:
                    try ChaChaPoly.seal(response, using: key, nonce: ChaChaPoly.Nonce(data: aeadNonce))
                        .untangled
                }
            return nonce + sealed.ciphertext + sealed.tag
        } catch {
            preconditionFailure("key and nonce have the lengths their cipher asks for, yet it says: \(error)")
        }
    }

    package func open(_ message: [UInt8]) throws(OHTTPError) -> [UInt8] {
        guard message.count >= suite.responseOverhead else {
            throw .responseTooShort(found: message.count, needed: suite.responseOverhead)
        }
        let nonce = Array(message.prefix(suite.responseNonceByteCount))
        let ciphertext = message[nonce.count..<message.count - OHTTPAEAD.tagByteCount]
        let tag = message.suffix(OHTTPAEAD.tagByteCount)
        let (key, aeadNonce) = keyAndNonce(for: nonce)
        do {
            switch suite.aead {
            case .aes128GCM, .aes256GCM:
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: aeadNonce), ciphertext: ciphertext, tag: tag)
                return Array(try AES.GCM.open(box, using: key))
            case .chaCha20Poly1305:
                let box = try ChaChaPoly.SealedBox(
                    nonce: ChaChaPoly.Nonce(data: aeadNonce), ciphertext: ciphertext, tag: tag)
                return Array(try ChaChaPoly.open(box, using: key))
            }
        } catch {
            throw .responseNotAuthentic
        }
    }

    private func keyAndNonce(for responseNonce: [UInt8]) -> (SymmetricKey, [UInt8]) {
        switch suite.kdf {
        case .hkdfSHA256: keyAndNonce(for: responseNonce, SHA256.self)
        case .hkdfSHA384: keyAndNonce(for: responseNonce, SHA384.self)
        case .hkdfSHA512: keyAndNonce(for: responseNonce, SHA512.self)
        }
    }

    private func keyAndNonce<Hash: HashFunction>(
        for responseNonce: [UInt8], _: Hash.Type
    ) -> (SymmetricKey, [UInt8]) {
        let pseudoRandomKey = HKDF<Hash>.extract(
            inputKeyMaterial: secret, salt: encapsulatedKey + responseNonce)
        func expand(_ label: String, _ count: Int) -> SymmetricKey {
            HKDF<Hash>.expand(
                pseudoRandomKey: pseudoRandomKey, info: Array(label.utf8), outputByteCount: count)
        }
        let nonce = expand("nonce", OHTTPAEAD.nonceByteCount).withUnsafeBytes { Array($0) }
        return (expand("key", suite.aead.keyByteCount), nonce)
    }
}

extension AES.GCM.SealedBox {
    fileprivate var untangled: (ciphertext: Data, tag: Data) { (ciphertext, tag) }
}

extension ChaChaPoly.SealedBox {
    fileprivate var untangled: (ciphertext: Data, tag: Data) { (ciphertext, tag) }
}
