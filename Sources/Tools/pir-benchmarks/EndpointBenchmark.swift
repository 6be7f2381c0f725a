import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Timing

/// Cost of a lookup at the PIR server's port over the bare response: the same requests without any server.
///
/// The client runs in the same process, so its HTTP work is charged to the server: the port does a little better than
/// the figure says. Once with lookups waiting, as many at a time as there are clients; once one by one, with nothing in
/// the caches before each, as on a machine that did something else meanwhile. Bare responses are made in the same
/// state.
enum EndpointBenchmark {
    static let entryCount = 50_000
    private static let clientCount = 4
    /// CPU time at the port over that of the bare response.
    private static let allowedRatio = 1.1
    private static let (busyName, coldName) = ("endpoint.queries.50k", "endpoint.cold.50k")

    static func run(_ selection: Selection, into report: inout BenchmarkReport) async throws {
        guard [busyName, coldName].contains(where: selection.includes) else { return }
        let data = try data()
        let stack = try await RunningStack.start(LiveStackOptions(coreCount: 1)) { data }
        var client = PortClient(url: stack.url, data: data)
        let service = PIRService(usecases: data.versions.map(\.usecase))
        try await client.settle(service)
        let user = client.user
        func bare(_ request: BinaryHTTPRequest) throws {
            guard service.handle(.queries, userIdentifier: user, body: request.content).status == 200 else {
                throw WrongResult(description: "endpoint: a bare lookup was refused")
            }
        }
        if selection.includes(busyName) {
            var (atPort, without): ([Double], [Double]) = ([], [])
            let count = selection.quick ? 8 : 100
            for _ in 0..<(selection.quick ? 3 : 5) {
                let requests = try await client.requests(count)
                let alone = try CPUClock.measure { for request in requests { try bare(request) } }
                let nanoseconds = try await processTime { try await send(requests, to: stack.url) }
                without.append(Double(count) / Double(alone.nanoseconds) * 1e9)
                atPort.append(Double(count) / nanoseconds * 1e9)
            }
            let baseline = median(without)
            report.add(
                .init(
                    name: busyName, unit: "1/s", samples: atPort, baselineName: "PIRService",
                    baseline: baseline, target: baseline / allowedRatio, largerIsBetter: true))
        }
        if selection.includes(coldName) {
            let caches = CacheEviction()
            var (atPort, without): ([Double], [Double]) = ([], [])
            for request in try await client.requests(selection.quick ? 3 : 60) {
                caches.evict()
                without.append(Double(try CPUClock.measure { try bare(request) }.nanoseconds) * 1e-6)
                caches.evict()
                atPort.append(try await processTime { try await send([request], to: stack.url) } * 1e-6)
            }
            let baseline = median(without)
            report.add(
                .init(
                    name: coldName, unit: "ms", samples: atPort, baselineName: "PIRService",
                    baseline: baseline, target: allowedRatio * baseline))
        }
        try await stack.stop()
    }

    private static func median(_ samples: [Double]) -> Double { samples.sorted()[samples.count / 2] }

    /// - Returns: CPU nanoseconds of all threads.
    private static func processTime(_ body: () async throws -> Void) async rethrows -> Double {
        let start = CPUClock.processNanoseconds()
        try await body()
        return Double(CPUClock.processNanoseconds() - start)
    }

    /// Fills the caches of every core with something else.
    private struct CacheEviction {
        private let memory = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: (128 << 20) / 8)

        init() { memory.initialize(repeating: 1) }

        func evict() {
            let cores = ProcessInfo.processInfo.activeProcessorCount
            let (start, share) = (Int(bitPattern: memory.baseAddress), memory.count / cores)
            DispatchQueue.concurrentPerform(iterations: cores) { core in
                guard let first = UnsafeMutablePointer<UInt64>(bitPattern: start) else { return }
                for index in stride(from: core * share, to: (core + 1) * share, by: 8) { first[index] &+= 1 }
            }
        }
    }

    static func data() throws -> LiveData {
        try LiveData(
            list: (0..<entryCount).map { Array("host\($0).example/path".utf8)[...] },
            usecase: PIRDatabase.usecaseName, rlweParameters: PIRDatabase.defaultParameters, shardCount: 1,
            seed: 0)
    }

    private static func send(_ requests: [BinaryHTTPRequest], to url: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clientCount {
                group.addTask {
                    for number in stride(from: client, to: requests.count, by: clientCount)
                    where try await PortClient.send(requests[number], to: url).status != 200 {
                        throw WrongResult(description: "endpoint: a lookup was refused")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
