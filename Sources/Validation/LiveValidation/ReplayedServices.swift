import Decoding
import FleetModel
import URLFilter

/// Charges the PIR server for one lookup after the other what the live one took, in the order in which it answered
/// them; everything else is as in the work that it wraps.
final class ReplayedServices: ProtocolWork {
    private let work: any ProtocolWork
    /// Nanoseconds.
    private let services: [Int64]
    private var answered = 0
    private var lookups: Set<Int> = []

    /// - Parameter services: Seconds; the last one is used again when there are more lookups.
    init(_ work: any ProtocolWork, services: [Double]) {
        precondition(!services.isEmpty, "there is nothing to replay")
        self.work = work
        self.services = services.map { max(0, .seconds($0)) }
    }

    func deviceBegins(_ exchange: Int, request: ExchangeRequest) throws -> StageWork {
        if request.endpoint == .queries { lookups.insert(exchange) } else { lookups.remove(exchange) }
        return try work.deviceBegins(exchange, request: request)
    }

    func serviceAnswers(_ exchange: Int, at server: ServerPlace) throws -> StageWork {
        var stage = try work.serviceAnswers(exchange, at: server)
        if lookups.contains(exchange) {
            stage.cpu = services[min(answered, services.count - 1)]
            answered += 1
        }
        return stage
    }

    func gatewayOpens(_ exchange: Int) throws -> StageWork { try work.gatewayOpens(exchange) }
    func withdrawConfiguration(of exchange: Int) throws { try work.withdrawConfiguration(of: exchange) }
    func gatewaySeals(_ exchange: Int) throws -> StageWork { try work.gatewaySeals(exchange) }
    func deviceEnds(_ exchange: Int) throws -> (cpu: Int64, outcome: ExchangeOutcome) {
        try work.deviceEnds(exchange)
    }
    func abandon(_ exchange: Int) { work.abandon(exchange) }
    func startSteadily(device: Int, tokens: Int, at server: ServerPlace) throws {
        try work.startSteadily(device: device, tokens: tokens, at: server)
    }
    func discardTokens(device: Int, oldest count: Int) {
        work.discardTokens(device: device, oldest: count)
    }
    func receivePublicConfiguration(device: Int) throws {
        try work.receivePublicConfiguration(device: device)
    }
    func forgetTokenKey(device: Int) { work.forgetTokenKey(device: device) }
    func restart(_ part: Part, region: Int, instances: Range<Int>?) throws {
        try work.restart(part, region: region, instances: instances)
    }
    var serverMemory: ServerMemory? { work.serverMemory }
}
