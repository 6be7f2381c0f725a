import LiveValidation
import RandomStreams
import Testing

struct LoadComparisonTests {
    typealias Group = LiveObservation.Group

    /// A period of 100 s with lookups of 1 to 1000 ms in random order, and a core that was busy for a given share.
    private func observation(
        busy: Double, cpuShare: Double = 1, lateness: Double = 0
    ) -> LiveObservation {
        var random = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test order"))
        var milliseconds = Array(1...1_000)
        for place in milliseconds.indices {
            milliseconds.swapAt(place, place + random.index(below: milliseconds.count - place))
        }
        let service = busy / 10
        return LiveObservation(
            window: 0...100,
            lookups: milliseconds.enumerated().map { place, latency in
                .init(offset: Double(place) / 10, latency: Double(latency) / 1_000, lateness: lateness)
            },
            groups: (0..<1_000).map { place in
                let start = Double(place) / 10
                return Group(
                    arrived: [start], started: start, ended: start + service, cpu: service * cpuShare)
            })
    }

    private func comparison(
        _ live: LiveObservation, error: Double, rateError: Double = 0, cpu: Double = 0.05,
        calibrationNoise: [String] = []
    ) -> LoadComparison {
        let calibration = StackCalibration(
            services: [0.05], meanCPU: cpu, waysTo: [0.001], waysBack: [0.001], followerShare: 1, lookups: 1)
        // Two simulations on either side of the value, so that there is an interval.
        func replications(_ error: Double) -> [ModelRun.Replication] {
            [0.999, 1.001].map { side in
                ModelRun.Replication(
                    quantiles: [0.5, 0.95, 0.99].map { $0 * (1 + error) * side },
                    answeredPerSecond: 10 * (1 + rateError), utilization: 0.5)
            }
        }
        return LoadComparison(
            load: 0.5, rate: 10, live: live, calibration: calibration,
            calibrationNoise: calibrationNoise, model: replications(error),
            ownModel: replications(error / 2), margins: LiveMargins())
    }

    @Test func belowEightyPercentTenPercentPass() {
        let good = comparison(observation(busy: 0.5), error: 0.09)
        #expect(good.rows.map(\.quantity) == [.p50, .p95, .p99, .throughput])
        #expect(good.rows.allSatisfy { $0.verdict == .pass } && good.noise.isEmpty)
        #expect(good.rows.map(\.margin) == [0.1, 0.1, 0.1, 0.05])
        #expect(zip(good.rows, [0.5, 0.95, 0.99]).allSatisfy { abs($0.live.value - $1) < 1e-9 })
        #expect(good.rows.prefix(3).allSatisfy { abs($0.relativeError - 0.09) < 1e-9 })
        #expect(good.rows.prefix(3).allSatisfy { abs($0.ownError - 0.045) < 1e-9 })
        #expect(
            good.rows.prefix(3).allSatisfy { row in
                (row.live.low ?? 9)...(row.live.high ?? 9) ~= row.live.value
            })
        let bad = comparison(observation(busy: 0.5), error: -0.11)
        #expect(bad.rows.map(\.verdict) == [.miss, .miss, .miss, .pass])
    }

    @Test func betweenEightyAndNinetyFivePercentTwentyPass() {
        #expect(
            comparison(observation(busy: 0.9), error: 0.19, cpu: 0.09).rows.allSatisfy { $0.verdict == .pass }
        )
        #expect(comparison(observation(busy: 0.9), error: 0.21, cpu: 0.09).rows[0].verdict == .miss)
    }

    @Test func pastSaturationOnlyTheThroughputIsJudged() {
        let rows = comparison(observation(busy: 0.99), error: 5, rateError: 0.04, cpu: 0.099).rows
        #expect(rows.map(\.quantity) == [.throughput] && rows[0].verdict == .pass)
        #expect(
            comparison(observation(busy: 0.99), error: 0, rateError: 0.06, cpu: 0.099).rows[0].verdict
                == .miss)
    }

    @Test func aDisturbedRunIsNotJudged() {
        let robbed = comparison(observation(busy: 0.5, cpuShare: 0.9), error: 0, cpu: 0.045)
        #expect(robbed.rows.allSatisfy { $0.verdict == .tooNoisy } && robbed.noise.count == 1)
        let late = comparison(observation(busy: 0.5, lateness: 0.03), error: 0)
        #expect(late.rows.allSatisfy { $0.verdict == .tooNoisy })
        #expect(late.noise == ["one load in a hundred began more than 30.0 ms too late"])
    }

    @Test func aMachineThatChangedItsSpeedIsNotJudged() {
        let faster = comparison(observation(busy: 0.5), error: 0, cpu: 0.06)
        #expect(faster.rows.allSatisfy { $0.verdict == .tooNoisy })
        #expect(
            faster.noise == [
                "the machine changed its speed: the same work took 16.7 % less CPU time than in the calibration"
            ])
        #expect(comparison(observation(busy: 0.5), error: 0, cpu: 0.051).noise.isEmpty)
        let inherited = comparison(observation(busy: 0.5), error: 0, calibrationNoise: ["x"])
        #expect(inherited.noise == ["the calibration was disturbed"])
    }

    @Test func theDriftOfTheServiceTimeIsTold() {
        // 60 ms against 50 ms in the calibration.
        let comparison = comparison(observation(busy: 0.6), error: 0)
        #expect(abs(comparison.speedDrift - 0.2) < 1e-9)
        #expect(abs(comparison.service - 0.06) < 1e-9)
        #expect(abs(comparison.serviceDrift - 0.2) < 1e-9)
        #expect(abs(comparison.liveUtilization - 0.6) < 1e-9)
        #expect(comparison.meanGroup == 1)
    }
}

struct LiveEstimateTests {
    @Test func neighboursThatAreAlikeMakeABatchInterval() throws {
        var random = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("test series"))
        let independent = (0..<2_000).map { _ in random.uniform() }
        let free = try #require(LiveEstimate.quantile(0.5, of: independent))
        #expect(free.method == "order statistics")
        // A level that changes every hundred samples.
        let levels = (0..<2_000).map { place in independent[place] / 10 + independent[place / 100] }
        let batched = try #require(LiveEstimate.quantile(0.5, of: levels))
        #expect(batched.method == "10 batches")
        let naive = levels.sorted()[960...1_040]
        let low = try #require(batched.low)
        let high = try #require(batched.high)
        #expect(high - low > (naive.last ?? 0) - (naive.first ?? 0))
    }

    @Test func fewSamplesHaveNoInterval() throws {
        let few = try #require(LiveEstimate.quantile(0.99, of: [0.3, 0.1, 0.2]))
        #expect(few.value == 0.3 && few.low == nil && few.high == nil)
        #expect(LiveEstimate.quantile(0.5, of: []) == nil)
    }
}
