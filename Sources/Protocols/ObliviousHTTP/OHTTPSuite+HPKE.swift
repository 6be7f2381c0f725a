import Crypto
import Foundation

/// Our algorithm ids in the words of swift-crypto, whose own numbers are not public.
extension OHTTPSuite {
    var hpke: HPKE.Ciphersuite {
        let kem: HPKE.KEM =
            switch kem {
            case .p256: .P256_HKDF_SHA256
            case .x25519: .Curve25519_HKDF_SHA256
            }
        let kdf: HPKE.KDF =
            switch kdf {
            case .hkdfSHA256: .HKDF_SHA256
            case .hkdfSHA384: .HKDF_SHA384
            case .hkdfSHA512: .HKDF_SHA512
            }
        let aead: HPKE.AEAD =
            switch aead {
            case .aes128GCM: .AES_GCM_128
            case .aes256GCM: .AES_GCM_256
            case .chaCha20Poly1305: .chaChaPoly
            }
        return HPKE.Ciphersuite(kem: kem, kdf: kdf, aead: aead)
    }

    /// Bytes that HPKE binds a request to: a label, a zero byte and the header.
    static func requestInfo(header: [UInt8]) -> Data {
        Data("message/bhttp request".utf8) + [0] + header
    }

    static let responseLabel = Data("message/bhttp response".utf8)
}

extension OHTTPKEM {
    /// Starts a sealed request to a public key of this mechanism.
    func sender(to publicKey: [UInt8], suite: OHTTPSuite, info: Data) throws(OHTTPError) -> HPKE.Sender {
        do {
            switch self {
            case .p256:
                let key = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
                return try HPKE.Sender(recipientKey: key, ciphersuite: suite.hpke, info: info)
            case .x25519:
                guard !SmallOrderPoints.contains(publicKey) else {
                    throw OHTTPError.unusablePublicKey(kem: self)
                }
                let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
                return try HPKE.Sender(recipientKey: key, ciphersuite: suite.hpke, info: info)
            }
        } catch {
            throw .unusablePublicKey(kem: self)
        }
    }
}
