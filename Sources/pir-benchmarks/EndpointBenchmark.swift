import AsyncHTTPClient
import LiveStack
import NIOCore
import NIOHTTP1
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Timing

/// Lookups per second and core at the PIR server's port, beside the same requests without any server.
///
/// The client runs in the same process, so its HTTP work is charged to the server: the figure is a lower bound.
enum EndpointBenchmark {
    private static let entryCount = 50_000
    private static let clientCount = 4

    static func run(_ selection: Selection, into report: inout BenchmarkReport) async throws {
        let name = "endpoint.queries.50k"
        guard selection.includes(name) else { return }
        let count = selection.quick ? 8 : 100
        let data = try LiveData(
            list: (0..<entryCount).map { Array("host\($0).example/path".utf8)[...] },
            usecase: PIRDatabase.usecaseName, rlweParameters: "n_4096_logq_27_28_28_logt_5", shardCount: 1,
            seed: 0)
        let stack = try await RunningStack.start(LiveStackOptions(coreCount: 1)) { data }
        var client = Client(url: stack.url, data: data)
        let service = PIRService(usecases: data.versions.map(\.usecase))
        try await client.settle(service)
        var (atPort, without): ([Double], [Double]) = ([], [])
        for _ in 0..<(selection.quick ? 3 : 5) {
            let requests = try await client.requests(count)
            let alone = CPUClock.measure {
                requests.filter { request in
                    service.handle(.queries, userIdentifier: Client.user, body: request.content).status == 200
                }.count
            }
            let start = CPUClock.processNanoseconds()
            let answered = try await client.send(requests)
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

    /// One device whose requests are made before they are sent.
    private struct Client {
        static let user = "device-0"

        let url: String
        var device: DeviceClient
        var random = SystemRandomNumberGenerator()

        init(url: String, data: LiveData) {
            self.url = url
            let usecase = data.versions[0].usecase
            device = DeviceClient(number: 0, usecase: usecase.name, context: usecase.shards[0].context)
        }

        /// Up to the first lookup, with the key in `service` as well.
        mutating func settle(_ service: PIRService) async throws {
            try await exchange(device.directoryRequest())
            try await exchange(device.tokenKeyRequest())
            for _ in 0..<2 { try await exchange(device.issueRequest()) }
            try await exchange(device.configRequest())
            let (request, pending) = try device.keyRequest(second: 0, using: &random)
            _ = service.handle(.key, userIdentifier: Self.user, body: request.content)
            try await exchange((request, pending))
        }

        mutating func requests(_ count: Int) async throws -> [BinaryHTTPRequest] {
            var requests: [BinaryHTTPRequest] = []
            for number in 0..<count {
                try await exchange(device.issueRequest())
                let keyword = Array("host\(number * 97).example/path".utf8)
                requests.append(try device.queriesRequest([keyword], using: &random).0)
            }
            return requests
        }

        private mutating func exchange(
            _ made: (request: BinaryHTTPRequest, pending: DeviceClient.Pending)
        ) async throws {
            let (status, content) = try await Self.send(made.request, to: url)
            guard status == 200 else { throw WrongResult(description: "status \(status) while settling") }
            _ = try device.read(content, to: made.pending, second: 0, using: &random)
        }

        /// - Returns: Requests that were answered with 200.
        func send(_ requests: [BinaryHTTPRequest]) async throws -> Int {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in 0..<clientCount {
                    group.addTask {
                        var answered = 0
                        for number in stride(from: client, to: requests.count, by: clientCount)
                        where try await Self.send(requests[number], to: url).status == 200 { answered += 1 }
                        return answered
                    }
                }
                return try await group.reduce(0, +)
            }
        }

        private static func send(
            _ request: BinaryHTTPRequest, to url: String
        ) async throws -> (status: Int, content: [UInt8]) {
            var outgoing = HTTPClientRequest(url: url + request.path)
            outgoing.method = request.method == "GET" ? .GET : .POST
            for field in request.fields { outgoing.headers.add(name: field.name, value: field.text ?? "") }
            if request.method != "GET" { outgoing.body = .bytes(ByteBuffer(bytes: request.content)) }
            let response = try await HTTPClient.shared.execute(outgoing, timeout: .seconds(60))
            let content = try await response.body.collect(upTo: 1 << 20)
            return (Int(response.status.code), Array(content.readableBytesView))
        }
    }
}
