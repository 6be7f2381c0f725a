/// Why an exchange through Oblivious HTTP cannot go on.
package enum OHTTPError: Error, Hashable, Sendable {
    /// An encapsulated request that is shorter than its header, key and tag.
    case requestTooShort(found: Int, needed: Int)
    /// A key the gateway never had or has retired.
    case unknownKeyID(UInt8)
    /// Algorithms the key was not offered with. `kem` is part of the key, so it counts too.
    case suiteNotOffered(keyID: UInt8, kem: UInt16, symmetric: OHTTPSymmetricIDs)
    /// The request was damaged, or sealed for another key.
    case decapsulationFailed(keyID: UInt8)
    /// An encapsulated response that is shorter than its nonce and tag.
    case responseTooShort(found: Int, needed: Int)
    /// The response was damaged, or belongs to another request.
    case responseNotAuthentic
    /// A key configuration without an algorithm this module has.
    case noUsableSuite(kem: UInt16)
    /// A key of the right length that is no key of its curve.
    case unusablePublicKey(kem: OHTTPKEM)
    case unusablePrivateKey(kem: OHTTPKEM)
    /// A second key of a gateway with the same id.
    case duplicateKeyID(UInt8)
}

extension OHTTPError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .requestTooShort(let found, let needed):
            "the encapsulated request has \(found) bytes; it needs at least \(needed)"
        case .unknownKeyID(let id):
            "the request is for key \(id); the gateway has no such key"
        case .suiteNotOffered(let id, let kem, let symmetric):
            "the request for key \(id) uses KEM \(kem), KDF \(symmetric.kdf) and AEAD \(symmetric.aead); "
                + "the key was not offered with them"
        case .decapsulationFailed(let id):
            "the request does not open with key \(id); it was damaged or sealed for another key"
        case .responseTooShort(let found, let needed):
            "the encapsulated response has \(found) bytes; it needs at least \(needed)"
        case .responseNotAuthentic:
            "the response does not open; it was damaged or answers another request"
        case .noUsableSuite(let kem):
            "the key configuration offers KEM \(kem) without any algorithms that can be used here"
        case .unusablePublicKey(let kem):
            "the public key is no point of the curve of KEM \(kem.rawValue)"
        case .unusablePrivateKey(let kem):
            "the private key is no key of KEM \(kem.rawValue)"
        case .duplicateKeyID(let id):
            "the gateway already has a key \(id); pick another id"
        }
    }
}
