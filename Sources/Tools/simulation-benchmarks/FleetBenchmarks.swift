import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Timing
import URLFilter
import Workload

/// The fleet model: replay of a known trace, cost over the number of devices, a day of a million devices.
///
/// CPU time of all threads, except for the wall time of the day of a million devices on two threads.
/// Every run is checked for conservation before its time counts.
enum FleetBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        try replay(selection, &report)
        try days(selection, &report)
        try worlds(selection, &report)
    }

    /// URL checks per second of a trace whose distinct URLs were tested before. The baseline adds up the outcomes
    /// of the same URLs in an array.
    private static func replay(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        let name = "fleet.replay.seen"
        guard selection.includes(name) else { return }
        let trace = FleetTrace(records: selection.quick ? 20_000 : 1_000_000)
        let copies = 20
        let town = try FleetTown(entries: 10_000, tolerance: 1e-6)
        let replay = trace.replay()
        let checks = trace.recordCount * copies
        func once() throws {
            let record = try town.run(
                .trace(replay), devices: trace.clientCount * copies, hours: 24
            ) { $0.beQuiet() }
            guard record.urls.checked == checks, record.urls.allowedByPrefilter == checks else {
                throw WrongResult(
                    description: "\(name): \(record.urls.checked) of \(checks) URLs were checked")
            }
        }
        try once()
        let plain = trace.plainLoop(copies: copies)
        let baseline = try rates(of: checks) {
            guard plain() == checks else { throw WrongResult(description: "\(name): plain loop miscounts") }
        }
        report.add(
            .init(
                name: name, unit: "M URL/s", samples: try rates(of: checks, once),
                baselineName: "plain loop", baseline: baseline.sorted()[baseline.count / 2], target: 20,
                largerIsBetter: true))
    }

    private static func rates(of count: Int, _ body: () throws -> Void) throws -> [Double] {
        try (0..<5).map { _ in
            let start = CPUClock.processNanoseconds()
            try body()
            return Double(count) / Double(CPUClock.processNanoseconds() - start) * 1e3
        }
    }

    /// 24 h of 10³ to 10⁶ devices against a list of a million hosts: cost of one event and of one page load, and
    /// memory of one device at rest. A million devices make about 2·10⁹ URL checks.
    private static func days(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        let sizes = (3...(selection.quick ? 3 : 6)).filter { selection.includes("fleet.day.1e\($0)") }
        guard !sizes.isEmpty else { return }
        let town = try FleetTown(entries: selection.quick ? 10_000 : 1_000_000, tolerance: 1e-4)
        var reference: Double?
        for digits in sizes {
            let devices = (0..<digits).reduce(1) { product, _ in product * 10 }
            let name = "fleet.day.1e\(digits)"
            let clock = ContinuousClock()
            let (start, cpuStart) = (clock.now, CPUClock.processNanoseconds())
            let record = try town.run(
                try town.workload(), devices: devices, hours: 24, threads: digits == 6 ? 2 : 1)
            let wall = (clock.now - start) / .seconds(1)
            let cpu = Double(CPUClock.processNanoseconds() - cpuStart)
            try check(record, name)
            let perEvent = cpu / Double(record.eventCount)
            if digits == 4 { reference = perEvent }
            // The target of the largest fleet: at most twice what an event of 10⁴ devices costs.
            let known = digits == 6 ? reference : nil
            report.add(
                .init(
                    name: "\(name).event", unit: "ns", samples: [perEvent],
                    baselineName: known.map { _ in "1e4 devices" }, baseline: known,
                    target: known.map { 2 * $0 }))
            let loads = Double(max(record.pageLoads, 1))
            report.add(.init(name: "\(name).pageLoad", unit: "us", samples: [cpu * 1e-3 / loads]))
            // Smaller fleets drown in what all fleets share.
            if digits == 6 {
                let bytes = try town.bytesAtRest(devices: devices)
                report.add(.init(name: "\(name).bytesPerDevice", unit: "B", samples: [bytes], target: 200))
            }
            guard digits == 6 else { continue }
            report.add(.init(name: "\(name).wall", unit: "s", samples: [wall], target: 120))
            report.add(.init(name: "\(name).cpu", unit: "s", samples: [cpu * 1e-9]))
            report.add(
                .init(name: "\(name).memory", unit: "MiB", samples: [try FleetTown.peakMemory], target: 2048))
            report.add(
                .init(name: "\(name).urlChecks", unit: "1e9", samples: [Double(record.urls.checked) * 1e-9]))
            report.add(
                .init(name: "\(name).events", unit: "1e6", samples: [Double(record.eventCount) * 1e-6]))
        }
    }

    /// A day of the same fleet in one region and in three with all that a world may have: instances and balancing,
    /// scaling, memory, connections, shared lines, quotas, groups of lookups, retries and hedging.
    private static func worlds(_ selection: Selection, _ report: inout BenchmarkReport) throws {
        let sizes = (3...(selection.quick ? 3 : 6)).filter { selection.includes("fleet.world.1e\($0)") }
        for digits in sizes {
            let devices = (0..<digits).reduce(1) { product, _ in product * 10 }
            let name = "fleet.world.1e\(digits)"
            func perLoad(_ hasRegions: Bool) throws -> Double {
                let town = try FleetTown(entries: selection.quick ? 10_000 : 1_000_000, tolerance: 1e-4)
                let start = CPUClock.processNanoseconds()
                let record = try town.run(
                    try town.workload(), devices: devices, hours: 24, threads: digits == 6 ? 2 : 1
                ) { if hasRegions { $0.useAll() } }
                let cpu = Double(CPUClock.processNanoseconds() - start)
                try check(record, name)
                guard record.regions.count == (hasRegions ? 3 : 0) else {
                    throw WrongResult(description: "\(name): \(record.regions.count) regions")
                }
                return cpu * 1e-3 / Double(max(record.pageLoads, 1))
            }
            let samples = try (0..<(digits < 5 ? 3 : 1)).map { _ in
                (plain: try perLoad(false), all: try perLoad(true))
            }
            let plain = samples.map(\.plain).sorted()[samples.count / 2]
            report.add(
                .init(
                    name: "\(name).pageLoad", unit: "us", samples: samples.map(\.all),
                    baselineName: "one region",
                    baseline: plain, target: 1.5 * plain))
        }
    }

    static func check(_ record: ReplicationRecord, _ name: String) throws {
        let urls = record.urls
        let ended =
            urls.allowedByPrefilter + urls.allowedByServer + urls.blockedByServer + urls.allowedByPolicy
            + urls.blockedByPolicy + urls.unfinished
        let lookups = record.urlFilter.lookups
        let failed = lookups.failed.values.reduce(0, +)
        guard urls.checked == ended, urls.checked > 0, record.eventCount > 0,
            lookups.sent == lookups.answered + failed + lookups.unfinished
        else { throw WrongResult(description: "\(name): URLs or lookups got lost") }
    }
}
