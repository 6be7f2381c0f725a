/// A key encapsulation mechanism of HPKE (RFC 9180, section 7.1) that this module can use.
package enum OHTTPKEM: UInt16, CaseIterable, Sendable {
    /// DHKEM(P-256, HKDF-SHA256)
    case p256 = 0x0010
    /// DHKEM(X25519, HKDF-SHA256), the one of the RFC's example
    case x25519 = 0x0020

    /// Bytes of a public key, and as many of an encapsulated one.
    package var publicKeyByteCount: Int {
        switch self {
        case .p256: 65
        case .x25519: 32
        }
    }

    /// Bytes of a public key of any registered mechanism, or `nil` for an unregistered id.
    ///
    /// A list of key configurations can only be read past an entry whose key length is
    /// known, so this table has more rows than the module can use: P-384, P-521, X448
    /// and X-Wing too.
    package static func publicKeyByteCount(forID id: UInt16) -> Int? {
        switch id {
        case 0x0010: 65
        case 0x0011: 97
        case 0x0012: 133
        case 0x0020: 32
        case 0x0021: 56
        case 0x647A: 1216
        default: nil
        }
    }
}

/// A key derivation function of HPKE (RFC 9180, section 7.2).
package enum OHTTPKDF: UInt16, CaseIterable, Sendable {
    case hkdfSHA256 = 0x0001
    case hkdfSHA384 = 0x0002
    case hkdfSHA512 = 0x0003
}

/// An authenticated cipher of HPKE (RFC 9180, section 7.3).
package enum OHTTPAEAD: UInt16, CaseIterable, Sendable {
    case aes128GCM = 0x0001
    case aes256GCM = 0x0002
    case chaCha20Poly1305 = 0x0003

    /// Bytes that sealing adds to a message.
    package static let tagByteCount = 16
    static let nonceByteCount = 12

    package var keyByteCount: Int {
        switch self {
        case .aes128GCM: 16
        case .aes256GCM, .chaCha20Poly1305: 32
        }
    }
}

/// A pair of ids that a key configuration offers. It may name algorithms this module does not have.
package struct OHTTPSymmetricIDs: Hashable, Sendable {
    package let kdf: UInt16
    package let aead: UInt16

    package static let aes128GCM = OHTTPSymmetricIDs(.hkdfSHA256, .aes128GCM)
    package static let aes256GCM = OHTTPSymmetricIDs(.hkdfSHA256, .aes256GCM)
    package static let chaCha20Poly1305 = OHTTPSymmetricIDs(.hkdfSHA256, .chaCha20Poly1305)

    package init(kdf: UInt16, aead: UInt16) {
        self.kdf = kdf
        self.aead = aead
    }

    package init(_ kdf: OHTTPKDF, _ aead: OHTTPAEAD) {
        self.init(kdf: kdf.rawValue, aead: aead.rawValue)
    }
}

/// The three algorithms that protect one exchange.
package struct OHTTPSuite: Hashable, Sendable {
    package let kem: OHTTPKEM
    package let kdf: OHTTPKDF
    package let aead: OHTTPAEAD

    /// Bytes in front of the encapsulated key: key id and three algorithm ids.
    package static let headerByteCount = 7

    package init(kem: OHTTPKEM, kdf: OHTTPKDF = .hkdfSHA256, aead: OHTTPAEAD) {
        self.kem = kem
        self.kdf = kdf
        self.aead = aead
    }

    /// `nil` when one of the ids names an algorithm this module does not have.
    package init?(kemID: UInt16, symmetric: OHTTPSymmetricIDs) {
        guard let kem = OHTTPKEM(rawValue: kemID), let kdf = OHTTPKDF(rawValue: symmetric.kdf),
            let aead = OHTTPAEAD(rawValue: symmetric.aead)
        else { return nil }
        self.init(kem: kem, kdf: kdf, aead: aead)
    }

    /// Bytes an encapsulated request is longer than the binary HTTP message in it:
    /// 55 with X25519, 88 with P-256.
    package var requestOverhead: Int {
        Self.headerByteCount + kem.publicKeyByteCount + OHTTPAEAD.tagByteCount
    }

    /// Bytes an encapsulated response is longer than the binary HTTP message in it:
    /// 32 with AES-128-GCM, 48 with the two others.
    package var responseOverhead: Int { responseNonceByteCount + OHTTPAEAD.tagByteCount }

    /// Length of the response nonce and of the exported secret, max(Nn, Nk).
    var responseNonceByteCount: Int { max(OHTTPAEAD.nonceByteCount, aead.keyByteCount) }

    /// Key id and algorithm ids as they stand in front of a request.
    func header(keyID: UInt8) -> [UInt8] {
        [keyID] + [kem.rawValue, kdf.rawValue, aead.rawValue].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
