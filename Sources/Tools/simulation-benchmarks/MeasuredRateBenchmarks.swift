import FleetModel
import RandomStreams
import Timing

/// A day of a fleet that browses as much as was measured: 168 page views per active device and day in the median, 271
/// in the mean.
enum MeasuredRateBenchmarks: BenchmarkSuite {
    /// CPU time of a page load before pages had digests, in draws of a random number: 8.17 us beside 8.61 ns
    /// for 10⁴ devices.
    ///
    /// That law looked at a page whenever the newest 2¹⁸ pages did not have it. Its code is gone; what a draw costs
    /// tells how fast the machine is at the moment, so the ratio holds on a busy machine and on another one.
    private static let formerDraws = 949.0

    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        let sizes = (3...(selection.quick ? 3 : 6)).filter { selection.includes("fleet.measured.1e\($0)") }
        for digits in sizes {
            let devices = (0..<digits).reduce(1) { product, _ in product * 10 }
            let name = "fleet.measured.1e\(digits)"
            // The smaller the fleet, the larger the share of pages that nobody has met before. A town of its own has
            // met none.
            var (costs, baselines): ([Double], [Double]) = ([], [])
            for _ in 0..<(digits < 5 && !selection.quick ? 3 : 1) {
                let town = try FleetTown(entries: selection.quick ? 10_000 : 1_000_000, tolerance: 1e-4)
                let before = secondsPerDraw()
                let (clock, cpu) = (ContinuousClock.now, CPUClock.processNanoseconds())
                let record = try town.run(
                    try town.workload(visits: 168), devices: devices, hours: 24, threads: digits == 6 ? 2 : 1)
                let nanoseconds = Double(CPUClock.processNanoseconds() - cpu)
                let wall = (ContinuousClock.now - clock) / .seconds(1)
                try FleetBenchmarks.check(record, name)
                costs.append(nanoseconds * 1e-3 / Double(record.pageLoads))
                baselines.append((before + secondsPerDraw()) / 2 * formerDraws * 1e6)
                guard digits == 6 else { continue }
                report.add(.init(name: "\(name).wall", unit: "s", samples: [wall], target: 400))
                report.add(
                    .init(
                        name: "\(name).memory", unit: "MiB", samples: [try FleetTown.peakMemory],
                        target: 2048))
            }
            let baseline = baselines.sorted()[baselines.count / 2]
            report.add(
                .init(
                    name: "\(name).pageLoad", unit: "us", samples: costs,
                    baselineName: "before digests",
                    baseline: baseline, target: digits == 6 ? 0.25 * baseline : nil))
        }
    }

    /// CPU time of one number of a ``RandomStream``.
    private static func secondsPerDraw() -> Double {
        var stream = RandomStream(
            seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("benchmark yardstick"))
        let count = 1 << 20
        var sum = 0.0
        let start = CPUClock.processNanoseconds()
        for _ in 0..<64 {
            for _ in 0..<count { sum += stream.uniform() }
        }
        let time = Double(CPUClock.processNanoseconds() - start)
        return sum > 0 ? time * 1e-9 / Double(64 * count) : .infinity
    }
}
