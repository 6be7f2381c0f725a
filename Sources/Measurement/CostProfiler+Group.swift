import Parties
import PrivateInformationRetrieval
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
        let service = PIRService(usecases: [usecase])
        var generator = SystemRandomNumberGenerator()
        var asked: [(userIdentifier: String, body: [UInt8])] = []
        for number in 0..<PIRParty.groupLimit {
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
        let requests = asked
        func cpu(_ count: Int) throws -> Double {
            let (replies, nanoseconds) = CPUClock.measure {
                service.answerQueries(requests.prefix(count).map { ($0.userIdentifier, $0.body) })
            }
            guard replies.allSatisfy({ $0.status == 200 }) else {
                throw CostProfilerError.wrongAnswer("/queries")
            }
            return Double(nanoseconds)
        }
        _ = try cpu(requests.count)
        let shares = try (0..<groups).map { _ in
            let alone = try cpu(1)
            return (try cpu(requests.count) / alone - 1) / Double(requests.count - 1)
        }
        let median = Percentile.nearestRank(0.5, sorted: shares.sorted()) ?? 1
        return min(max(median, 0), 1)
    }
}
