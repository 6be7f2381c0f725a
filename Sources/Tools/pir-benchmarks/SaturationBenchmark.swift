import AsyncHTTPClient
import LiveStack
import ObliviousHTTP
import Timing

/// Lookups per second that the PIR server with one core answers in time, at loads up to five times what it can.
///
/// Open loop: requests made beforehand are sent when they are due, whatever became of those before, and the time of an
/// answer counts from then. Client and server share the machine.
enum SaturationBenchmark {
    private static let loads = [0.5, 1, 1.5, 2, 3, 5]
    private static let userCount = 8
    /// Lookups under way while the capacity is measured.
    private static let measuringCount = 16
    /// How long a device waits (article "Device", section "Fail mode").
    private static let patience = Duration.seconds(3)
    /// Seconds of each load; the first one is not counted, until there is a line.
    private static let (warmUp, measured) = (1.0, 5.0)

    private struct Answer {
        let due: Double
        let status: Int
        let latency: Duration
    }

    static func run(_ selection: Selection, into report: inout BenchmarkReport) async throws {
        let chosen = loads.filter { selection.includes(name($0)) }
        guard !chosen.isEmpty, !selection.quick else { return }
        let data = try EndpointBenchmark.data()
        let stack = try await RunningStack.start(LiveStackOptions(coreCount: 1)) { data }
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        var clients = (0..<userCount).map { PortClient(url: stack.url, data: data, number: $0) }
        for number in clients.indices { try await clients[number].settle() }
        let capacity = try await capacity(&clients, stack.url, http)
        for load in chosen {
            let rate = load * capacity
            let count = Int(rate * (warmUp + measured))
            let requests = try await requests(count, of: &clients)
            let answers = try await offer(requests, rate: rate, to: stack.url, over: http)
                .filter { $0.due >= warmUp }
            let inTime = answers.filter { $0.status == 200 && $0.latency <= patience }
            let refused = answers.filter { $0.status == 503 }
            report.add(
                .init(
                    name: name(load), unit: "1/s", samples: [Double(inTime.count) / measured],
                    baselineName: "capacity", baseline: capacity, target: 0.9 * min(load, 1) * capacity,
                    largerIsBetter: true))
            report.notes.append(
                "\(name(load)): \(Int(rate.rounded()))/s sent, \(percent(inTime.count, of: answers.count)) answered "
                    + "in time after \(times(inTime)), \(percent(refused.count, of: answers.count)) refused after "
                    + "\(times(refused)), \(answers.count - inTime.count - refused.count) others")
        }
        try await http.shutdown()
        try await stack.stop()
    }

    private static func name(_ load: Double) -> String { "saturation.\(load)x" }

    private static func percent(_ count: Int, of total: Int) -> String {
        "\((100 * count + total / 2) / max(1, total)) %"
    }

    /// Median and largest, milliseconds.
    private static func times(_ answers: [Answer]) -> String {
        let sorted = answers.map { Int($0.latency.seconds * 1e3) }.sorted()
        guard let last = sorted.last else { return "-" }
        return "\(sorted[sorted.count / 2]) (at most \(last)) ms"
    }

    /// Lookups per second that are answered with always some under way.
    private static func capacity(
        _ clients: inout [PortClient], _ url: String, _ http: HTTPClient
    ) async throws -> Double {
        let requests = try await requests(600, of: &clients)
        let start = ContinuousClock.now
        let answered = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<measuringCount {
                group.addTask {
                    var answered = 0
                    for number in stride(from: client, to: requests.count, by: measuringCount)
                    where try await PortClient.send(requests[number], to: url, over: http).status == 200 {
                        answered += 1
                    }
                    return answered
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(answered) / (ContinuousClock.now - start).seconds
    }

    private static func requests(
        _ count: Int, of clients: inout [PortClient]
    ) async throws -> [BinaryHTTPRequest] {
        var all: [[BinaryHTTPRequest]] = []
        for number in clients.indices {
            all.append(try await clients[number].requests((count + userCount - 1) / userCount))
        }
        return (0..<count).map { all[$0 % userCount][$0 / userCount] }
    }

    private static func offer(
        _ requests: [BinaryHTTPRequest], rate: Double, to url: String, over http: HTTPClient
    ) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            let start = ContinuousClock.now + .milliseconds(100)
            for (number, request) in requests.enumerated() {
                let offset = Double(number) / rate
                group.addTask {
                    let due = start + .seconds(offset)
                    try await Task.sleep(until: due, clock: .continuous)
                    let status = try await PortClient.send(request, to: url, over: http).status
                    return Answer(due: offset, status: status, latency: ContinuousClock.now - due)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
