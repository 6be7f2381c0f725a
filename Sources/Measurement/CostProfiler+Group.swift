import Parties
import PrivateInformationRetrieval
import RandomStreams
import Statistics
import Timing

extension CostProfiler {
    private static let groups = 9

    /// What each lookup of a group adds after the first, over what it takes alone: by the median over groups of
    /// ``PIRParty/groupLimit`` lookups of as many users, each against the lookup that was answered alone just before,
    /// because a machine may change its speed.
    ///
    /// - Returns: At most 1.
    static func followerShare(_ usecase: PIRUsecase, asking keyword: [UInt8]) throws -> Double {
        let asked = try AskedLookups(usecase, asking: keyword, users: PIRParty.groupLimit)
        func cpu(_ count: Int) throws -> Double {
            try Double(asked.answer(count))
        }
        _ = try cpu(PIRParty.groupLimit)
        let shares = try (0..<groups).map { _ in
            let alone = try cpu(1)
            return (try cpu(PIRParty.groupLimit) / alone - 1) / Double(PIRParty.groupLimit - 1)
        }
        let median = Percentile.nearestRank(0.5, sorted: shares.sorted()) ?? 1
        return min(max(median, 0), 1)
    }

    /// The phases of the machine, from lookups that are answered back to back.
    ///
    /// - Returns: `nil` if it shows none.
    static func speed(
        _ usecase: PIRUsecase, asking keyword: [UInt8], seconds: Double
    ) throws -> SpeedProcess? {
        let asked = try AskedLookups(usecase, asking: keyword, users: 1)
        _ = try asked.answer(1)
        let start = ContinuousClock.now
        var services: [(start: Double, seconds: Double)] = []
        while true {
            let now = (ContinuousClock.now - start).seconds
            guard now < seconds else { break }
            services.append((now, Double(try asked.answer(1)) * 1e-9))
        }
        return SpeedFit([SpeedFit.Block(services)])?.process
    }
}

/// Users whose keys a server knows, each with a lookup of one keyword.
private struct AskedLookups {
    private let service: PIRService
    private let requests: [(userIdentifier: String, body: [UInt8])]

    init(_ usecase: PIRUsecase, asking keyword: [UInt8], users: Int) throws {
        let service = PIRService(usecases: [usecase])
        var generator = SystemRandomNumberGenerator()
        var asked: [(userIdentifier: String, body: [UInt8])] = []
        for number in 0..<users {
            let user = "user \(number)"
            func answer(_ endpoint: PIRService.Endpoint, _ body: [UInt8]) throws -> [UInt8] {
                let reply = service.handle(endpoint, userIdentifier: user, body: body)
                guard reply.status == 200 else { throw CostProfilerError.wrongAnswer(endpoint.path) }
                return reply.body
            }
            var session = PIRSession(usecase: PIRDatabase.usecaseName, context: usecase.shards[0].context)
            let config = try answer(.config, WireCoding.bytes(of: session.configRequest()))
            _ = try session.receive(
                WireCoding.message(WireConfigResponse.self, from: config), using: &generator)
            _ = try answer(
                .key, WireCoding.bytes(of: try session.makeKeyUpload(timestamp: 1, using: &generator)))
            let message = try session.makeRequests([keyword], using: &generator).message
            asked.append((user, WireCoding.bytes(of: message)))
        }
        self.service = service
        requests = asked
    }

    /// - Returns: CPU nanoseconds for so many of them together.
    func answer(_ count: Int) throws -> Int64 {
        let (replies, nanoseconds) = CPUClock.measure {
            service.answerQueries(requests.prefix(count).map { ($0.userIdentifier, $0.body) })
        }
        guard replies.allSatisfy({ $0.status == 200 }) else {
            throw CostProfilerError.wrongAnswer("/queries")
        }
        return nanoseconds
    }
}
