import Foundation
import RandomStreams
import Testing

struct SpeedProcessTests {
    private static let process = SpeedProcess(spread: 0.3, time: 20, daily: 0.2)

    /// Factors of 4 000 machines at these seconds.
    private func factors(at seconds: [Double]) -> [[Double]] {
        (UInt32(0)..<4_000).map { entity in
            var path = SpeedPath(
                Self.process,
                random: RandomStream(
                    seed: 5, replication: 0, entity: entity, purpose: StreamPurpose("test speed")))
            return seconds.map { path.factor(at: $0) }
        }
    }

    private func covariance(_ first: [Double], _ second: [Double]) -> Double {
        let means = [first, second].map { $0.reduce(0, +) / Double($0.count) }
        return zip(first, second).reduce(0) { $0 + ($1.0 - means[0]) * ($1.1 - means[1]) }
            / Double(first.count - 1)
    }

    /// Mean 1 at any time, and the autocovariance of an Ornstein-Uhlenbeck process above a level: daily² +
    /// spread² exp(-lag / time).
    @Test func factorsHaveTheMomentsOfTheProcess() {
        let seconds = [0.0, 7, 7, 30, 500]
        let samples = factors(at: seconds)
        let columns = seconds.indices.map { column in samples.map { $0[column] } }
        for column in columns {
            let mean = column.reduce(0, +) / Double(column.count)
            // Four standard errors of a log-normal mean.
            #expect(abs(mean - 1) < 4 * ((exp(0.13) - 1) / 4_000).squareRoot())
        }
        #expect(columns[1] == columns[2])
        let logs = columns.map { $0.map { log($0) } }
        for (first, second) in [(0, 0), (0, 1), (1, 3), (3, 4)] {
            let lag = seconds[second] - seconds[first]
            let truth = 0.04 + 0.09 * exp(-lag / 20)
            // Four standard errors of a covariance of normal variables, at most sqrt(2 / n) of the variances.
            #expect(
                abs(covariance(logs[first], logs[second]) - truth) < 4 * 0.13 * (2.0 / 4_000).squareRoot(),
                "lag \(lag)")
        }
    }

    @Test func aMachineWithoutPhasesIsAlwaysAsFast() {
        var path = SpeedPath(
            SpeedProcess(spread: 0, time: 1),
            random: RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test speed")))
        #expect((0..<10).allSatisfy { path.factor(at: Double($0)) == 1 })
    }
}
