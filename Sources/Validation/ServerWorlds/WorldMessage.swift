import Foundation
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval

/// A request of a device, which may arrive any number of times.
final class WorldMessage {
    /// The question, and all that the device needs to read the answer.
    enum Kind {
        case token(number: Int, answer: [UInt8])
        case configuration
        case publicConfiguration
        /// The session that is in use once the server has the key.
        case key(PIRSession, timestamp: UInt64)
        case lookup(PIRSession, [PendingQuery], words: [String], edition: Int)
        case report
        case gatewayKeys

        var name: String {
            switch self {
            case .token: "token"
            case .configuration: "configuration"
            case .publicConfiguration: "public configuration"
            case .key: "key"
            case .lookup: "lookup"
            case .report: "report"
            case .gatewayKeys: "gateway keys"
            }
        }
    }

    /// The gateway's key that it is sealed with.
    struct Seal {
        let context: OHTTPClientContext
        let key: WorldDevice.GatewayKey
    }

    let number: Int
    let device: Int
    let kind: Kind
    let request: BinaryHTTPRequest
    /// The request without its seal.
    let inner: BinaryHTTPRequest
    let seal: Seal?
    let nonce: TokenNonce?
    /// Nanoseconds when it was made, and the gateway's epoch then.
    let made: (time: Int64, gatewayEpoch: Int)

    init(
        number: Int, device: Int, kind: Kind, request: (outer: BinaryHTTPRequest, inner: BinaryHTTPRequest),
        seal: Seal?, nonce: TokenNonce?, made: (time: Int64, gatewayEpoch: Int)
    ) {
        self.number = number
        self.device = device
        self.kind = kind
        (self.request, inner) = request
        self.made = made
        self.seal = seal
        self.nonce = nonce
    }

    /// The answer of issuer or PIR server.
    ///
    /// - Returns: `nil` if the gateway refused the request.
    func answer(in response: BinaryHTTPResponse) -> BinaryHTTPResponse? {
        guard let seal else { return response }
        guard response.status == 200, let bytes = try? seal.context.open(response.content) else { return nil }
        return try? BinaryHTTPResponse(decoding: bytes)
    }
}

/// A device of a world, as far as the servers see it.
final class WorldDevice {
    struct GatewayKey {
        let client: OHTTPClient
        /// Nanoseconds when it was asked for.
        let asked: Int64
        /// See ``WorldOracle/gatewayEpoch``.
        let epoch: Int
    }

    let number: Int
    let tier: UserTier
    var session: PIRSession
    /// The edition of its configuration.
    var edition: Int?
    var needsKey = true
    var gatewayKey: GatewayKey?
    /// Numbers of tokens that it can spend.
    var tokens = Array(0..<WorldSettings.firstTokens)
    /// Number of the token that it asks for next.
    var nextToken = WorldSettings.firstTokens
    var lastTimestamp: UInt64 = 0

    var name: String { "device-\(number)" }
    var userToken: String { "user-\(number)" }

    init(number: Int, stock: WorldStock) {
        self.number = number
        tier = WorldStock.tiers[number % WorldStock.tiers.count]
        session = PIRSession(
            usecase: WorldStock.usecaseName, context: stock.editions[0].usecase.shards[0].context)
    }
}
