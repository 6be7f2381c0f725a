import Experiment
import RandomStreams
import Testing

/// Points whose means are known, with known noise.
struct ReplicationNoiseTests {
    /// 400 points with a variance of 4, and noise of variance 8 in each of 4 replications, so 2 in their means: 2 / 6 of what
    /// is seen. What a replication adds to all points is none of it.
    @Test(arguments: [0.0, 50.0])
    func theShareOfChanceIsFound(common: Double) throws {
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let days = (0..<4).map { _ in common * stream.standardNormal() }
        let values = (0..<400).map { _ in
            let point = 2 * stream.standardNormal()
            return days.map { point + $0 + 8.0.squareRoot() * stream.standardNormal() }
        }
        #expect(abs(try #require(ReplicationNoise.share(values)) - 1.0 / 3) < 0.05)
    }

    @Test func oneReplicationTellsNothing() {
        #expect(ReplicationNoise.share([[1], [2], [3]]) == nil)
        #expect(ReplicationNoise.share([[1, 1], [1, 1]]) == nil)
        #expect(ReplicationNoise.share([[1, 1], [2, 2]]) == 0)
    }
}
