import EventSimulation
import RandomStreams
import TestSupport
import Testing

struct EventOrderTests {
    @Test(
        "events happen in order of time and scheduling", arguments: DelayPattern.allCases,
        [1, 40, 700, 20_000])
    func sortedReference(pattern: DelayPattern, initial: Int) {
        for seed in UInt64(1)...3 {
            let script = RandomScript(pattern: pattern, initial: initial, steps: 30_000, seed: seed)
            var kernel = Kernel(model: script)
            kernel.run(until: .distantFuture)
            #expect(kernel.model.happened == kernel.model.expected)
            #expect(kernel.eventCount == kernel.model.happened.count)
            #expect(kernel.pendingCount == 0)
        }
    }

    /// Far more than one slot of the wheel holds, at every distance.
    @Test("order holds with many events pending", arguments: DelayPattern.allCases)
    func manyPending(pattern: DelayPattern) {
        var kernel = Kernel(model: RandomScript(pattern: pattern, initial: 200_000, steps: 100_000))
        kernel.run(until: .distantFuture)
        #expect(kernel.model.happened == kernel.model.expected)
    }

    /// The fingerprint of a list of all events ever scheduled, sorted: no queue, no wheel, no kernel.
    @Test("the fingerprint is that of a sorted list", arguments: DelayPattern.allCases)
    func referenceFingerprint(pattern: DelayPattern) {
        let script = RandomScript(pattern: pattern, initial: 500, steps: 5000)
        var kernel = Kernel(model: script)
        kernel.run(until: .distantFuture)
        var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
        for record in kernel.model.expected {
            let rotated = fingerprint << 29 | fingerprint >> 35
            let event = UInt64(record.time) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(record.number)
            fingerprint = rotated ^ event &* 0xD6E8_FEB8_6659_FD93
        }
        #expect(kernel.fingerprint == fingerprint)
    }

    @Test("stopping and continuing changes nothing", arguments: DelayPattern.allCases)
    func stopAndContinue(pattern: DelayPattern) {
        let script = RandomScript(pattern: pattern, initial: 300, steps: 20_000)
        var whole = Kernel(model: script)
        whole.run(until: .distantFuture)
        var parts = Kernel(model: script)
        var pauses = testStream(9)
        var step: Int64 = 100
        while parts.now < .distantFuture {
            let length = SimulatedDuration.nanoseconds(Int64(pauses.index(below: Int(step))))
            parts.run(until: parts.now.advanced(by: length))
            if step < Int64.max / 4 { step += step / 20 + 1 }
        }
        #expect(parts.model.happened == whole.model.happened)
        #expect(parts.fingerprint == whole.fingerprint)
        #expect(parts.eventCount == whole.eventCount)
    }

    @Test func theEndIsIncludedAndNothingBeyondIt() {
        var kernel = Kernel(model: RandomScript(pattern: .equal, initial: 3, steps: 1_000_000))
        kernel.run(until: SimulatedTime(nanoseconds: 999))
        #expect(kernel.eventCount == 0)
        #expect(kernel.pendingCount == 3)
        #expect(kernel.now == SimulatedTime(nanoseconds: 999))
        kernel.run(until: SimulatedTime(nanoseconds: 1_000))
        #expect(kernel.eventCount == 3)
        kernel.run(until: SimulatedTime(nanoseconds: 500))
        #expect(kernel.now == SimulatedTime(nanoseconds: 1_000))
    }

    /// A hundred thousand events at one instant, each followed by another at
    /// the same instant: quadratic work would not end within the time limit.
    @Test(.timeLimit(.minutes(Patience.seconds / 60)))
    func manyEventsAtOneInstantAreNotSlow() {
        for pattern in [DelayPattern.immediate, .equal] {
            var kernel = Kernel(model: RandomScript(pattern: pattern, initial: 100_000, steps: 300_000))
            kernel.run(until: .distantFuture)
            #expect(kernel.model.happened == kernel.model.expected)
        }
    }

    @Test func theFingerprintTellsTrajectoriesApart() {
        func fingerprint(seed: UInt64) -> UInt64 {
            var kernel = Kernel(
                model: RandomScript(pattern: .exponential, initial: 10, steps: 100, seed: seed))
            kernel.run(until: .distantFuture)
            return kernel.fingerprint
        }
        #expect(fingerprint(seed: 1) == fingerprint(seed: 1))
        #expect(Set((1...50).map(fingerprint(seed:))).count == 50)
    }
}

struct EventProbeTests {
    struct Recorder: EventProbe {
        var events: [Int32] = []
        var mostPending = 0

        mutating func observe(_ event: Int32, at now: SimulatedTime, pending: Int) {
            events.append(event)
            mostPending = max(mostPending, pending)
        }
    }

    @Test func aProbeSeesEveryEventAndChangesNothing() {
        let script = RandomScript(pattern: .bimodal, initial: 300, steps: 5000)
        var plain = Kernel(model: script)
        plain.run(until: .distantFuture)
        var watched = Kernel(model: script)
        var recorder = Recorder()
        watched.run(until: SimulatedTime(nanoseconds: 1_000_000_000), observedBy: &recorder)
        watched.run(until: .distantFuture, observedBy: &recorder)
        #expect(recorder.events == plain.model.happened.map(\.number))
        #expect(recorder.mostPending >= 200)
        #expect(watched.fingerprint == plain.fingerprint)
        #expect(watched.eventCount == plain.eventCount)
    }
}

struct SimulatedTimeTests {
    @Test func conversionsRoundAndSaturate() {
        #expect(SimulatedDuration.seconds(1.5).nanoseconds == 1_500_000_000)
        #expect(SimulatedDuration.milliseconds(0.0000006).nanoseconds == 1)
        #expect(SimulatedDuration.milliseconds(-0.0000006).nanoseconds == -1)
        #expect(SimulatedDuration.microseconds(0.0004).nanoseconds == 0)
        #expect(SimulatedDuration.seconds(1e300).nanoseconds == .max)
        #expect(SimulatedDuration.seconds(-.infinity).nanoseconds == .min)
        #expect(SimulatedDuration.hours(1) == .minutes(60))
        // Whole seconds print as such.
        #expect((1...1000).allSatisfy { SimulatedDuration.seconds(Double($0)).seconds == Double($0) })
        #expect("\(SimulatedTime(nanoseconds: 30_000_000_000).seconds)" == "30.0")
    }

    @Test func sumsSaturate() {
        let long = SimulatedDuration.nanoseconds(.max)
        #expect(long + .nanoseconds(1) == long)
        #expect(SimulatedDuration.nanoseconds(.min) - .nanoseconds(1) == .nanoseconds(.min))
        #expect(long * 2 == long)
        #expect(long * -2 == .nanoseconds(.min))
        #expect(SimulatedDuration.seconds(2) * 0.25 == .milliseconds(500))
        #expect(SimulatedTime(nanoseconds: 5).advanced(by: long) == .distantFuture)
        #expect(SimulatedTime(nanoseconds: 5) - .start == .nanoseconds(5))
        #expect(SimulatedDuration.seconds(3) / .seconds(2) == 1.5)
    }
}
