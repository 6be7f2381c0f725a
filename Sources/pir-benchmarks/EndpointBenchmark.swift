import LiveStack
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Timing

/// Lookups per second and core at the PIR server's port, beside the same requests without any server.
///
/// The client runs in the same process, so its HTTP work is charged to the server: the figure is a lower bound.
enum EndpointBenchmark {
    static let entryCount = 50_000
    private static let clientCount = 4

    static func run(_ selection: Selection, into report: inout BenchmarkReport) async throws {
        let name = "endpoint.queries.50k"
        guard selection.includes(name) else { return }
        let count = selection.quick ? 8 : 100
        let data = try data()
        let stack = try await RunningStack.start(LiveStackOptions(coreCount: 1)) { data }
        var client = PortClient(url: stack.url, data: data)
        let service = PIRService(usecases: data.versions.map(\.usecase))
        try await client.settle(service)
        var (atPort, without): ([Double], [Double]) = ([], [])
        for _ in 0..<(selection.quick ? 3 : 5) {
            let requests = try await client.requests(count)
            let user = client.user
            let alone = CPUClock.measure {
                requests.filter { request in
                    service.handle(.queries, userIdentifier: user, body: request.content).status == 200
                }.count
            }
            let start = CPUClock.processNanoseconds()
            let answered = try await send(requests, to: stack.url)
            let nanoseconds = CPUClock.processNanoseconds() - start
            guard alone.result == count, answered == count else {
                throw WrongResult(description: "\(name): not every lookup was answered")
            }
            without.append(Double(count) / Double(alone.nanoseconds) * 1e9)
            atPort.append(Double(count) / Double(nanoseconds) * 1e9)
        }
        try await stack.stop()
        let baseline = without.sorted()[without.count / 2]
        report.add(
            .init(
                name: name, unit: "1/s", samples: atPort, baselineName: "PIRService", baseline: baseline,
                target: 0.85 * baseline, largerIsBetter: true))
    }

    static func data() throws -> LiveData {
        try LiveData(
            list: (0..<entryCount).map { Array("host\($0).example/path".utf8)[...] },
            usecase: PIRDatabase.usecaseName, rlweParameters: PIRDatabase.defaultParameters, shardCount: 1,
            seed: 0)
    }

    /// - Returns: Requests that were answered with 200.
    private static func send(_ requests: [BinaryHTTPRequest], to url: String) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<clientCount {
                group.addTask {
                    var answered = 0
                    for number in stride(from: client, to: requests.count, by: clientCount)
                    where try await PortClient.send(requests[number], to: url).status == 200 { answered += 1 }
                    return answered
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
