import Foundation
import TestSupport
import Testing

/// `Vectors/privacypass-type2.json`; the README beside it names the sources.
struct PrivacyPassVectors: Decodable {
    struct Part<Vector: Decodable & Sendable>: Decodable, Sendable {
        let vectors: [Vector]
    }

    struct Issuance: Decodable {
        let skS: Hex
        let pkS: Hex
        let tokenChallenge: Hex
        let nonce: Hex
        let tokenRequest: Hex
        let tokenResponse: Hex
        let token: Hex

        enum CodingKeys: String, CodingKey {
            case skS, pkS, nonce, token
            case tokenChallenge = "token_challenge"
            case tokenRequest = "token_request"
            case tokenResponse = "token_response"
        }

        var privateKeyPEM: String { String(decoding: skS.bytes, as: UTF8.self) }
    }

    struct Structure: Decodable {
        let description: String
        let tokenType: Hex
        let issuerName: Hex?
        let redemptionContext: Hex?
        let originInfo: Hex?
        let nonce: Hex?
        let tokenKeyID: Hex?
        let tokenAuthenticatorInput: Hex

        enum CodingKeys: String, CodingKey {
            case description, nonce
            case tokenType = "token_type"
            case issuerName = "issuer_name"
            case redemptionContext = "redemption_context"
            case originInfo = "origin_info"
            case tokenKeyID = "token_key_id"
            case tokenAuthenticatorInput = "token_authenticator_input"
        }
    }

    struct Field: Decodable {
        struct Challenge: Decodable {
            let tokenType: String
            let tokenKey: Hex?
            let tokenChallenge: Hex
            let maximumAge: String?

            enum CodingKeys: String, CodingKey {
                case tokenType = "token-type"
                case tokenKey = "token-key"
                case tokenChallenge = "token-challenge"
                case maximumAge = "max-age"
            }
        }

        let field: String
        let expected: [Challenge]

        enum CodingKeys: String, CodingKey {
            case field = "www_authenticate"
            case expected = "expected_challenges"
        }
    }

    let published: Part<Issuance>
    let go: Part<Issuance>
    let rust: Part<Issuance>
    let structures: Part<Structure>
    let fields: Part<Field>

    enum CodingKeys: String, CodingKey {
        case published = "issuance_rfc9578"
        case go = "issuance_pat_go"
        case rust = "issuance_pat_rust"
        case structures = "challenge_structures_rfc9577"
        case fields = "www_authenticate_rfc9577"
    }

    var issuances: [Issuance] { published.vectors + go.vectors + rust.vectors }

    static let all = Result {
        try VectorFile.decode(Self.self, from: "privacypass-type2.json", in: .module)
    }
}
