import LiveStack
import TestSupport
import Testing

/// The one limit that reading of content and calls to the next party have.
@Suite struct TimeLimitTests {
    /// Ends when its task is cancelled, and never else.
    @Sendable private static func waitForCancellation() async throws -> Int {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await value in stream { return value }
        _ = continuation
        try Task.checkCancellation()
        return 0
    }

    @Test func whatEndsInTimeIsTheResult() async throws {
        #expect(try await withTimeLimit(Patience.ceiling) { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await withTimeLimit(Patience.ceiling) { () -> Int in throw CancellationError() }
        }
    }

    @Test(.timeLimit(.minutes(Patience.seconds / 60))) func whatTakesTooLongIsCancelled() async {
        await #expect(throws: CancellationError.self) {
            try await withTimeLimit(.milliseconds(1)) { try await Self.waitForCancellation() }
        }
    }

    @Test(.timeLimit(.minutes(Patience.seconds / 60))) func cancellingTheCallerCancelsTheWork() async {
        let caller = Task {
            try await withTimeLimit(Patience.ceiling) { try await Self.waitForCancellation() }
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }
}
