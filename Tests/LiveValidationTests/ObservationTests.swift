import LiveValidation
import Testing

struct LiveObservationTests {
    typealias Group = LiveObservation.Group
    typealias Lookup = LiveObservation.Lookup

    /// Two lookups alone, then two that are answered in one go; the last group ends after the period.
    private let observation = LiveObservation(
        window: 1...11,
        lookups: [
            Lookup(offset: 2, latency: 0.5, lateness: 0), Lookup(offset: 4, latency: 0.6, lateness: 0.01),
            Lookup(offset: 6, latency: 1.2, lateness: 0), Lookup(offset: 6.1, latency: 1.1, lateness: 0),
        ],
        groups: [
            Group(arrived: [0.5], started: 0.5, ended: 1.25, cpu: 0.75),
            Group(arrived: [2.1], started: 2.1, ended: 2.4, cpu: 0.3),
            Group(arrived: [4.2], started: 4.2, ended: 4.5, cpu: 0.24),
            Group(arrived: [6.1, 6.2], started: 6.25, ended: 7, cpu: 0.6),
            Group(arrived: [10], started: 10.5, ended: 11.5, cpu: 1),
        ])

    @Test func utilizationIsTheShareOfThePeriod() {
        #expect(abs(observation.utilization - (0.25 + 0.3 + 0.3 + 0.75 + 0.5) / 10) < 1e-12)
        #expect(observation.answeredPerSecond == 0.5)
    }

    @Test func groupsCountAsTheirLookupsAlone() throws {
        let services = observation.services(followerShare: 0.5)
        #expect(services.count == 6)
        #expect(zip(services, [0.75, 0.3, 0.3, 0.5, 0.5, 1]).allSatisfy { abs($0 - $1) < 1e-12 })
        // The group of two is one and a half lookups; the last group is not of the period.
        let mean = try #require(observation.meanAlone(\.seconds, followerShare: 0.5))
        #expect(abs(mean - (0.75 + 0.3 + 0.3 + 0.75) / 4.5) < 1e-12)
        let cpu = try #require(observation.meanAlone(\.cpu, followerShare: 0.5))
        #expect(abs(cpu - (0.75 + 0.3 + 0.24 + 0.6) / 4.5) < 1e-12)
    }

    /// Only the first two lookups had the server for themselves.
    @Test func waysAreThoseOfLookupsThatWentAlone() {
        let ways = observation.ways
        #expect(ways.count == 2)
        #expect(zip(ways, [0.1, 0.2]).allSatisfy { abs($0.to - $1) < 1e-12 })
        #expect(ways.allSatisfy { abs($0.back - 0.1) < 1e-12 })
    }
}

struct StackCalibrationTests {
    typealias Group = LiveObservation.Group

    /// Forty lookups of 10 ms alone; then, on a machine half as fast, single ones and groups of four that take
    /// 20 · (1 + 3 · 0.8) ms.
    private var observation: LiveObservation {
        let alone = (0..<40).map { number in
            Group(
                arrived: [Double(number) + 0.001], started: Double(number) + 0.001,
                ended: Double(number) + 0.011, cpu: 0.01)
        }
        let bursts = (0..<5).flatMap { number in
            let start = 50 + Double(number)
            return [
                Group(arrived: [start], started: start, ended: start + 0.02, cpu: 0.02),
                Group(
                    arrived: Array(repeating: start + 0.25, count: 4), started: start + 0.25,
                    ended: start + 0.318, cpu: 0.068),
            ]
        }
        return LiveObservation(
            window: 0...40,
            lookups: (0..<40).map { .init(offset: Double($0), latency: 0.013, lateness: 0) },
            groups: alone + bursts)
    }

    @Test func serviceWayAndShareOfFollowersAreFound() throws {
        let calibration = try StackCalibration(observation, frontCores: 1)
        #expect(abs(calibration.meanService - 0.010) < 1e-9)
        #expect(abs(calibration.meanWay - 0.003) < 1e-9)
        #expect(abs(calibration.followerShare - 0.8) < 1e-9)
        #expect(abs(calibration.capacity - 4 / 0.034) < 1e-6)
        #expect(calibration.services.count == 40 && calibration.waysTo.count == 40)
    }

    @Test func tooFewLookupsCalibrateNothing() {
        var few = observation
        few.groups = Array(few.groups.prefix(9))
        #expect(throws: LiveValidationError.nothingCalibrated(lookups: 40)) {
            try StackCalibration(few, frontCores: 1)
        }
    }

    /// At 1 lookup a second, 2 ms of CPU in front of the PIR server leave 1 ms on either side, but for waits of 1 µs.
    @Test func whatTheFrontComputesIsNoWay() throws {
        var busy = observation
        busy.cpuPerLookup = busy.pirCPUPerLookup + 0.002
        let calibration = try StackCalibration(busy, frontCores: 1)
        #expect(abs(calibration.frontCPU - 0.002) < 1e-12)
        #expect(abs(calibration.waysTo[0]) < 1e-9)
        #expect(calibration.meanWay >= 0.002)
    }
}

struct MachineLoadTests {
    @Test func ticksThatNobodyUsedAreNotBusy() throws {
        let text = "cpu  100 10 50 4000 30 5 5 20 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
        let before = try #require(MachineLoad(stat: text, ticksPerSecond: 100, own: 1))
        #expect(abs(before.busy - 1.7) < 1e-12)
        let later = "cpu  400 10 50 9000 30 5 5 70 0 0\n"
        let after = try #require(MachineLoad(stat: later, ticksPerSecond: 100, own: 3))
        // Three seconds more, two of them our own, in five seconds.
        #expect(abs(after.others(since: before, seconds: 5) - 0.2) < 1e-12)
        // Half a second went to other machines.
        #expect(abs(after.stolen(since: before, seconds: 5) - 0.1) < 1e-12)
        #expect(MachineLoad(stat: "intr 1 2 3", ticksPerSecond: 100, own: 0) == nil)
        #expect(MachineLoad(stat: "cpu 1 2 x 4 5 6 7 8\n", ticksPerSecond: 100, own: 0) == nil)
    }
}
