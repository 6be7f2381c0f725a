import FleetModel
import URLFilter

/// Work whose costs and answers the test dictates. It checks that the stages come in order.
final class ScriptedWork: ProtocolWork {
    enum Stage {
        case deviceBegins, gatewayOpens, serviceAnswers, gatewaySeals, deviceEnds
    }

    private enum Progress {
        case sent, opened, answered, sealed
    }

    /// CPU nanoseconds of a stage.
    let cost: (Endpoint, Stage) -> Int64
    /// HTTP status of the service, asked for when it answers and when the device reads the answer.
    let status: (Endpoint) -> Int
    private(set) var discardedTokens = 0
    private(set) var orderIsKept = true
    /// Every exchange in order, with the second in which it began.
    private(set) var begun: [(endpoint: Endpoint, second: Int64)] = []
    private var open: [Int: (request: ExchangeRequest, progress: Progress)] = [:]
    private var withdrawn: Set<Int> = []

    /// Most lookups under way at once.
    private(set) var mostLookups = 0

    /// Exchanges that neither ended nor were abandoned.
    var openCount: Int { open.count }

    init(status: @escaping (Endpoint) -> Int = { _ in 200 }, cost: @escaping (Endpoint, Stage) -> Int64) {
        self.status = status
        self.cost = cost
    }

    func deviceBegins(_ exchange: Int, request: ExchangeRequest) -> StageWork {
        if open[exchange] != nil { orderIsKept = false }
        open[exchange] = (request, .sent)
        begun.append((request.endpoint, request.second))
        mostLookups = max(mostLookups, open.values.count { $0.request.endpoint == .queries })
        return StageWork(cpu: cost(request.endpoint, .deviceBegins), bytes: 0)
    }

    func gatewayOpens(_ exchange: Int) -> StageWork { advance(exchange, .sent, .opened, .gatewayOpens) }
    func serviceAnswers(_ exchange: Int, at _: ServerPlace) -> StageWork {
        advance(exchange, .opened, .answered, .serviceAnswers)
    }
    func withdrawConfiguration(of exchange: Int) { withdrawn.insert(exchange) }
    func gatewaySeals(_ exchange: Int) -> StageWork { advance(exchange, .answered, .sealed, .gatewaySeals) }

    func deviceEnds(_ exchange: Int) -> (cpu: Int64, outcome: ExchangeOutcome) {
        guard let (request, progress) = open.removeValue(forKey: exchange), progress == .sealed else {
            orderIsKept = false
            return (0, .failure(status: 0))
        }
        let status = withdrawn.remove(exchange) == nil ? status(request.endpoint) : 410
        return (
            cost(request.endpoint, .deviceEnds),
            status == 200
                ? .success(present: request.listed, keyUploadNeeded: false) : .failure(status: status)
        )
    }

    func abandon(_ exchange: Int) {
        if open.removeValue(forKey: exchange) == nil { orderIsKept = false }
    }

    func startSteadily(device: Int, tokens: Int, at _: ServerPlace) {}
    func discardTokens(device: Int, oldest count: Int) { discardedTokens += count }
    func receivePublicConfiguration(device: Int) {}
    func forgetTokenKey(device: Int) {}
    func restart(_ part: Part, region: Int, instances: Range<Int>?) {}
    var serverMemory: ServerMemory? { nil }

    private func advance(_ exchange: Int, _ from: Progress, _ to: Progress, _ stage: Stage) -> StageWork {
        guard let (request, progress) = open[exchange], progress == from else {
            orderIsKept = false
            return StageWork(cpu: 0, bytes: 0)
        }
        open[exchange] = (request, to)
        return StageWork(
            cpu: cost(request.endpoint, stage), bytes: 0,
            isRefusal: to == .answered
                && (withdrawn.contains(exchange) || status(request.endpoint) != 200))
    }
}
