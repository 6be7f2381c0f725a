import FleetModel
import Foundation
import Synchronization
import Timing

/// Replications on two cores against the same ones on one: how many times as fast, in wall time.
///
/// Replications share the list, the filter and the web, which nobody writes.
enum ReplicationBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        let name = "fleet.replications.twoCores"
        guard selection.includes(name), ProcessInfo.processInfo.activeProcessorCount >= 2 else { return }
        let town = try FleetTown(entries: selection.quick ? 10_000 : 1_000_000, tolerance: 1e-4)
        let devices = selection.quick ? 50 : 2_000
        let count = selection.quick ? 2 : 6
        func seconds(threads: Int) throws -> (wall: Double, fingerprints: [UInt64]) {
            let outcomes = Mutex<[Int: Result<UInt64, any Error>]>([:])
            let start = ContinuousClock.now
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for number in stride(from: thread, to: count, by: threads) {
                    let outcome = Result {
                        try town.run(
                            try town.workload(), devices: devices, hours: 24, replication: UInt32(number)
                        ).fingerprint
                    }
                    outcomes.withLock { $0[number] = outcome }
                }
            }
            let wall = (ContinuousClock.now - start) / .seconds(1)
            return (wall, try outcomes.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() })
        }
        var speedUps: [Double] = []
        for _ in 0..<(selection.quick ? 1 : 5) {
            let (one, two) = (try seconds(threads: 1), try seconds(threads: 2))
            guard one.fingerprints == two.fingerprints, Set(one.fingerprints).count == count else {
                throw WrongResult(description: "\(name): the replications depend on the threads")
            }
            speedUps.append(one.wall / two.wall)
        }
        report.add(
            .init(
                name: name, unit: "x", samples: speedUps, baselineName: "one core", baseline: 1, target: 1.9,
                largerIsBetter: true))
    }
}
