import LiveStack
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

/// What keeps tests from deciding by wall time.
struct PatienceTests {
    @Test func aWaitEndsWithWhatItWaitsForOrWithItsTask() async {
        let calls = Mutex(0)
        let isThird: @Sendable () -> Bool = {
            calls.withLock { calls in
                calls += 1
                return calls == 3
            }
        }
        #expect(await Patience.until { isThird() })
        #expect(calls.withLock { $0 } == 3)
        let waiting = Task { await Patience.until { false } }
        waiting.cancel()
        #expect(await !waiting.value)
    }

    /// The servers' own limits are no shorter than what a test waits for.
    @Test func patientServersSendNobodyAway() {
        let options = Fixture.options
        let limits = [
            options.queueTime, options.upstreamTime, options.limits.headTime, options.limits.keepAliveTime,
            options.limits.contentTime, options.limits.responseTime,
        ]
        #expect(limits.allSatisfy { $0 >= Patience.ceiling })
    }
}
