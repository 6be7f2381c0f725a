import EventSimulation
import Foundation
import RandomStreams
import Timing

/// CPU time of one timed event: the models of the issue, the event set over sizes and patterns.
///
/// The engine runs as a model uses it: from another module, with stations, a
/// histogram and the fingerprint. The baseline is the same model as a bare loop
/// over a binary heap; `engine.limit` is that loop over the engine's event set.
enum EngineBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        try station("engine.mm1", servers: 1, load: 0.8, target: 25, selection, &report)
        try station("engine.mm16", servers: 16, load: 0.9, target: 40, selection, &report)
        try pipe(selection, &report)
        hold(selection, &report)
        limits(selection, &report)
        random(selection, &report)
    }

    private static func station(
        _ name: String, servers: Int, load: Double, target: Double, _ selection: Selection,
        _ report: inout BenchmarkReport
    ) throws {
        guard selection.includes(name) else { return }
        let customers = selection.quick ? 20_000 : 2_000_000
        var kernel = Kernel(model: StationModel(load: load, servers: servers, seed: 1))
        let step = SimulatedDuration.seconds(Double(customers) / (load * Double(servers)))
        let cost = measureEvents(name) { kernel.advance(by: step) }
        guard let utilization = kernel.model.station.utilization(to: kernel.now),
            abs(utilization - load) < (selection.quick ? 0.1 : 0.01)
        else { throw WrongResult(description: "\(name): the servers were not busy \(load) of the time") }
        let baseline = try measureEvents("binary heap") {
            var loop = BareLoop<BinaryHeap>()
            let mean = loop.station(load: load, servers: servers, customers: customers)
            let expected = kernel.model.timeInSystem.mean?.seconds ?? 0
            guard abs(mean / expected - 1) < (selection.quick ? 0.5 : 0.1) else {
                throw WrongResult(description: "\(name): bare loop \(mean) s, engine \(expected) s")
            }
            return 2 * customers
        }
        report.add(cost, baseline: baseline, unit: "ns", target: target)
    }

    private static func pipe(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        let name = "engine.pipe"
        guard selection.includes(name) else { return }
        let requests = selection.quick ? 20_000 : 300_000
        var kernel = Kernel(model: PipeModel())
        kernel.run(until: SimulatedTime.start.advanced(by: .seconds(3)))
        let step = SimulatedDuration.seconds(Double(requests) * PipeModel.meanGap)
        let cost = measureEvents(name) { kernel.advance(by: step) }
        let mean = kernel.model.timeInSystem.mean?.seconds ?? 0
        guard abs(mean / PipeModel.meanSojourn - 1) < (selection.quick ? 0.1 : 0.01) else {
            throw WrongResult(description: "\(name): a request takes \(mean) s")
        }
        let baseline = measureEvents("binary heap") {
            var loop = BareLoop<BinaryHeap>()
            _ = loop.pipe(requests: requests)
            return 10 * requests
        }
        report.add(cost, baseline: baseline, unit: "ns", target: 60)
    }

    /// Exponential delays have targets; the other patterns show what depends on them.
    private static func hold(_ selection: Selection, _ report: inout BenchmarkReport) {
        let targets = ["engine.hold.exponential.1e5": 55.0, "engine.hold.exponential.1e6": 100]
        for pattern in DelayPattern.allCases {
            for digits in 3...(selection.quick ? 4 : 7) {
                let name = "engine.hold.\(pattern.rawValue).1e\(digits)"
                guard selection.includes(name) else { continue }
                let pending = (0..<digits).reduce(1) { product, _ in product * 10 }
                let steps = selection.quick ? 10_000 : 2_000_000
                // Equal delays make every event happen in the same instant, once a second.
                let length = Double(steps) / Double(pending)
                let step = SimulatedDuration.seconds(pattern == .equal ? max(1, length) : length)
                var kernel = Kernel(model: HoldModel(pending: pending, pattern: pattern))
                _ = kernel.advance(by: .seconds(pattern == .bimodal ? 10 : 3))
                let cost = measureEvents(name) { kernel.advance(by: step) }
                var loop = BareLoop<BinaryHeap>()
                var delays = Delays(pattern)
                loop.fill(pending: pending, delays: &delays)
                loop.hold(steps: 2 * pending, delays: &delays)
                let baseline = measureEvents("binary heap") {
                    loop.hold(steps: steps, delays: &delays)
                    return steps
                }
                report.add(cost, baseline: baseline, unit: "ns", target: targets[name])
            }
        }
    }

    /// One exponential draw, on its own and from a buffer; the baseline takes its logarithm from the C library.
    private static func random(_ selection: Selection, _ report: inout BenchmarkReport) {
        guard selection.includes("engine.random") || selection.only.hasPrefix("engine.random") else { return }
        let draws = selection.quick ? 20_000 : 2_000_000
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("draws"))
        var buffer = SampleBuffer(.exponential(mean: 1), from: stream)
        var sum = 0.0
        let library = measureEvents("library log") {
            for _ in 0..<draws { sum -= log(stream.uniform()) }
            return draws
        }
        let single = measureEvents("engine.random.exponential") {
            for _ in 0..<draws { sum += stream.exponential(mean: 1) }
            return draws
        }
        let buffered = measureEvents("engine.random.exponential.buffered") {
            for _ in 0..<draws { sum += buffer.next() }
            return draws
        }
        precondition(sum > 0, "draws are positive")
        for cost in [single, buffered] where selection.includes(cost.name) {
            report.add(cost, baseline: library, unit: "ns")
        }
    }

    /// The bare loops over the engine's own event set: what is left is the price of everything else.
    private static func limits(_ selection: Selection, _ report: inout BenchmarkReport) {
        let customers = selection.quick ? 20_000 : 2_000_000
        let requests = selection.quick ? 20_000 : 300_000
        let loops: [(name: String, body: () -> Int)] = [
            (
                "mm1",
                {
                    var loop = BareLoop<BareWheel>()
                    _ = loop.station(load: 0.8, servers: 1, customers: customers)
                    return 2 * customers
                }
            ),
            (
                "mm16",
                {
                    var loop = BareLoop<BareWheel>()
                    _ = loop.station(load: 0.9, servers: 16, customers: customers)
                    return 2 * customers
                }
            ),
            (
                "pipe",
                {
                    var loop = BareLoop<BareWheel>()
                    _ = loop.pipe(requests: requests)
                    return 10 * requests
                }
            ),
        ]
        for (name, body) in loops where selection.includes("engine.limit.\(name)") {
            report.add(measureEvents("engine.limit.\(name)", body), unit: "ns")
        }
    }
}

extension Kernel {
    /// Runs on; returns how many events happened.
    fileprivate mutating func advance(by step: SimulatedDuration) -> Int where Model.Failure == Never {
        let before = eventCount
        run(until: now.advanced(by: step))
        return eventCount - before
    }
}
