import EventSimulation
import FleetModel
import Measurement
import Parties
import PrivateInformationRetrieval
import Timing
import URLFilter
import Workload

/// A list of a hundred entries, processed once for all tests.
enum Lists {
    static let entries = (0..<100).map { "blocked\($0).example" }
    static let parameters = "n_4096_logq_27_28_28_logt_5"

    static let usecase: PIRUsecase = {
        guard
            let usecase = try? PIRDatabase.usecase(
                named: PIRDatabase.usecaseName, entries: BlockList(entries), rlweParameters: parameters,
                shardCount: 2, seed: 1)
        else { preconditionFailure("the list cannot be processed") }
        return usecase
    }()

    /// Keys below 100 are entries of the list, in order.
    static func keyword(_ key: UInt64) -> [UInt8] {
        key < 100 ? Array(entries[Int(key)].utf8) : Array("harmless\(key).example".utf8)
    }

    static func real(
        devices: Int = 1, tokensPerUserPerDay: Int? = nil, secondsTokenKeysKept: Int64 = 0, seed: UInt64 = 1
    ) throws -> RealWork {
        try RealWork(
            usecase: usecase, deviceCount: devices, tokensPerUserPerDay: tokensPerUserPerDay,
            secondsTokenKeysKept: secondsTokenKeysKept, seed: seed, replication: 0, keyword: { keyword($0) })
    }

    static func calibrated(
        devices: Int = 1, tokensPerUserPerDay: Int? = nil, secondsTokenKeysKept: Int64 = 0
    ) throws -> CalibratedWork {
        try CalibratedWork(
            profile: profile, deviceCount: devices, tokensPerUserPerDay: tokensPerUserPerDay,
            tokenKeysKept: .seconds(Double(secondsTokenKeysKept)), seed: 1, replication: 0)
    }

    /// Costs that do not matter.
    private static var profile: CostProfile {
        let cost = StageCost(samples: [1_000])
        let endpoint = EndpointCost(
            deviceBegins: cost, gatewayOpens: cost, serviceAnswers: cost, gatewaySeals: cost,
            deviceEnds: cost,
            requestBytes: 1_000, responseBytes: 1_000)
        return CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "test"),
            subject: .init(
                rlweParameters: parameters, entries: 100, shards: 2, dimensions: [1, 1], databaseBytes: 1),
            endpoints: Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, endpoint) }),
            extraKeyword: .init(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0), evaluationKeyBytes: 1)
    }
}

/// How an exchange ended, in a form that can be compared.
struct Ending: Hashable, CustomStringConvertible {
    var endpoint: Endpoint
    var status: Int
    var present: [Bool] = []
    var keyUploadNeeded = false

    init(_ endpoint: Endpoint, _ outcome: ExchangeOutcome) {
        self.endpoint = endpoint
        switch outcome {
        case .success(let present, let keyUploadNeeded):
            status = 200
            // Only lookups say who is present.
            self.present = endpoint == .queries ? present : []
            self.keyUploadNeeded = keyUploadNeeded
        case .failure(let status): self.status = status
        }
    }

    var description: String {
        "\(endpoint.rawValue) \(status)" + (present.isEmpty ? "" : " \(present)")
            + (keyUploadNeeded ? ", key wanted" : "")
    }
}

extension ProtocolWork {
    static func request(
        _ endpoint: Endpoint, device: Int = 0, keys: [UInt64] = [], second: Int64 = 0
    ) -> ExchangeRequest {
        ExchangeRequest(
            device: device, endpoint: endpoint, keys: keys, listed: keys.map { $0 < 100 }, second: second)
    }

    /// Runs all stages of one exchange.
    ///
    /// - Returns: How it ended, and the bytes of request and response on the wire.
    @discardableResult
    func ask(
        _ endpoint: Endpoint, device: Int = 0, keys: [UInt64] = [], second: Int64 = 0
    ) throws -> (ending: Ending, request: Int, response: Int) {
        let slot = 999_999
        let request = Self.request(endpoint, device: device, keys: keys, second: second)
        let begun = try deviceBegins(slot, request: request)
        _ = try gatewayOpens(slot)
        _ = try serviceAnswers(slot, at: .only)
        let sealed = try gatewaySeals(slot)
        return (Ending(endpoint, try deviceEnds(slot).outcome), begun.bytes, sealed.bytes)
    }
}
