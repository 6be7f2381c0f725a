import DeviceFleet
import DeviceNetwork
import Foundation
import LiveStack
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import ServerTestSupport
import TestSupport
import Testing
import Timing

/// Sequences of good, damaged, repeated and simultaneous exchanges with all servers, directly and sealed.
///
/// What must hold whatever is sent: each answer can be read and is no failure of the server; a token is taken once;
/// what was acknowledged to one is not changed by another; and no more is kept than was acknowledged. Environment:
/// `URLFILTER_FUZZ_SECONDS`, CPU seconds instead of a few sequences; `URLFILTER_SEED`, which sequences.
@Suite(.serialized) struct ConversationFuzzTests {
    private static let shortRun = 150
    /// Sequences between two restarts.
    private static let sequencesPerServer = 30

    private static let entries = (0..<40).map { "blocked\($0).example" }

    @Test func theServersKeepTheirPromises() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["URLFILTER_FUZZ_SECONDS"].flatMap { Double($0) }
        let seed = environment["URLFILTER_SEED"].flatMap { UInt64($0) } ?? 1
        let data = try LiveData(
            list: Self.entries.map { Array($0.utf8)[...] }, usecase: PIRDatabase.usecaseName,
            rlweParameters: "n_4096_logq_27_28_28_logt_5", shardCount: 1, seed: 1)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var options = LiveStackOptions.patient(coreCount: 2)
        options.statePath = folder.path + "/state.sqlite"
        let caller = try HTTPCaller(.patient)
        var crowd = Crowd(usecase: data.versions[0].usecase, seed: seed)
        let start = CPUClock.processNanoseconds()
        func isOver() -> Bool {
            guard let seconds else { return crowd.tally.sequences >= Self.shortRun }
            return Double(CPUClock.processNanoseconds() - start) * 1e-9 >= seconds
        }
        while !isOver() {
            let stack = try await RunningStack.start(options) { data }
            do {
                try await crowd.enter(stack.url, caller)
                for _ in 0..<Self.sequencesPerServer where !isOver() { try await crowd.converse() }
                try await crowd.checkCounts()
            } catch {
                Issue.record("sequence \(crowd.tally.sequences), seed \(seed): \(error)")
                try? await stack.stop()
                break
            }
            try await stack.stop()
        }
        await caller.shutdown()
        if seconds != nil { print("fuzz conversations: \(crowd.tally)") }
        #expect(crowd.tally.refused > 0 && crowd.tally.lookups > 0)
    }
}
