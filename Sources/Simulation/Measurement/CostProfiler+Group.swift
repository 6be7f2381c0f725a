import Decoding
import Foundation
import Parties
import PrivateInformationRetrieval
package import RandomStreams
package import Statistics
import Timing

extension CostProfiler {
    private static let groups = 9

    /// CPU time that each lookup of a group adds after the first, over what it takes alone. It is the median
    /// over groups of ``PIRParty/groupLimit`` lookups of as many users. Each is set against the lookup that
    /// was answered alone just before, because a machine may change its speed.
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

    /// Watches the machine's speed, by lookups that are answered back to back.
    ///
    /// - Parameters:
    ///   - entries: As for ``measure(entries:rlweParameters:shardCount:)``.
    ///   - now: Seconds since 1970.
    ///   - wait: Lets so many seconds pass.
    /// - Returns: The phases, `nil` if it shows none, and the level of each calibration.
    package static func speed(
        entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String, shardCount: Int?,
        _ watch: SpeedWatch,
        now: () -> Double = { Date().timeIntervalSince1970 },
        wait: (Double) -> Void = { Thread.sleep(forTimeInterval: $0) },
        progress: (String) -> Void = { _ in }
    ) throws -> (phases: SpeedProcess?, calibrations: [SpeedDrift.Calibration]) {
        let shard = try PIRDatabase.representativeShard(
            named: PIRDatabase.usecaseName, entries: entries, rlweParameters: rlweParameters,
            shardCount: shardCount, seed: 1)
        let asked = try AskedLookups(
            shard.usecase, asking: shard.sample.first ?? Array("absent".utf8), users: 1)
        _ = try asked.answer(1)
        let begin = now()
        var blocks: [SpeedFit.Block] = []
        var levels: [SpeedDrift.Calibration] = []
        for number in 1...max(1, watch.calibrations) {
            if number > 1 { wait(watch.pause) }
            progress("calibrating the machine's speed, \(number) of \(watch.calibrations)")
            let start = now()
            var services: [(start: Double, seconds: Double)] = []
            while true {
                let instant = now()
                guard instant - start < watch.seconds else { break }
                services.append((instant - begin, Double(nanoseconds: try asked.answer(1))))
            }
            let block = SpeedFit.Block(services)
            blocks.append(block)
            if let level = block.level { levels.append(.init(time: start.rounded(), level: level)) }
        }
        return (SpeedFit(blocks)?.process, levels)
    }
}

/// How long and how often a machine's speed is watched.
package struct SpeedWatch: Sendable {
    /// Length of one calibration, in seconds.
    package var seconds: Double
    package var calibrations: Int
    /// Seconds between two of them.
    package var pause: Double

    package init(seconds: Double, calibrations: Int = 1, pause: Double = 60) {
        self.seconds = seconds
        self.calibrations = calibrations
        self.pause = pause
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
