import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import Scenarios
import TestSupport
import Testing
import Workload

/// Fits of logs whose law is known, because it is drawn here.
@Suite struct LoadCalibrationTests {
    /// Forty devices for two hours: bursts of 3 lookups on average with gaps of half a second, service times of 10 to
    /// 14 ms at one core; a third of the devices asks ten times as often.
    private static func made(
        line: (Double, Double, Int) -> String = { start, seconds, device in
            "\(1_795_255_200 + start),queries,200,25000,\(seconds * 1e3),d\(device)"
        }, header: String = "start,endpoint,status,bytes,duration_ms,device"
    ) -> String {
        var generator = SplitMix64(3)
        func uniform() -> Double { (Double(generator.next() >> 11) + 0.5) * 0x1p-53 }
        var starts: [(Double, Int)] = []
        for device in 0..<40 {
            let pause = device % 3 == 0 ? 60.0 : 600
            var time = -log(uniform()) * pause
            while time < 7_200 {
                var lookup = time
                repeat {
                    starts.append((lookup, device))
                    lookup -= log(uniform()) * 0.5
                } while uniform() > 1.0 / 3
                // No two bursts are so close that they are one.
                time -= log(uniform()) * pause
                time += 14
            }
        }
        var free = 0.0
        let lines = starts.filter { $0.0 < 7_200 }.sorted { $0.0 < $1.0 }.map { start, device in
            let end = max(start, free) + 0.010 + 0.004 * uniform()
            free = end
            return line(start, end - start, device)
        }
        return ([header] + lines).joined(separator: "\n") + "\n"
    }

    private static func scenario() throws -> SmallScenario {
        try SmallScenario(
            """
            start: steady
            devices: [{ name: pupils, count: 6, browsing: { trace: trace.csv } }]
            services: { pir: { cores: 1, grouping: { limit: 1 }, speed: none } }
            """)
    }

    private static func calibrate(
        _ small: SmallScenario, _ log: String, _ change: (inout LoadCalibration.Options) -> Void = { _ in }
    ) throws -> LoadCalibration {
        var options = LoadCalibration.Options()
        options.preparation.profile = small.folder.path + "/profile.json"
        options.preparation.threads = 2
        options.simulations = 4
        change(&options)
        return try LoadCalibration(
            ScenarioFile(path: small.folder.path + "/scenario.yaml"),
            observed: [small.folder.write(log, to: "server.csv")], options: options
        ) { _ in }
    }

    @Test func theLawIsFoundAndForeseesTheHeldOutPart() async throws {
        let small = try Self.scenario()
        let calibration = try Self.calibrate(small, Self.made())
        func value(_ name: String) throws -> LogFit.Value {
            try #require(calibration.fit.values.first { $0.name == name })
        }
        let size = try value("burstSize")
        // Three and a half standard errors: √6 / √1159 each.
        #expect(abs(size.value - 3) < 0.25, "\(size)")
        let service = try value("time of 'queries'")
        #expect(abs(service.value - 0.012) < 0.000_3, "\(service)")
        // 14 of 40 devices with 48.6 bursts an hour, 26 with 5.9: in a day 3 × 24 × 833 / 40.
        let rate = try value("lookups per device and day")
        #expect(try (#require(rate.low)...#require(rate.high)).contains(1_499), "\(rate)")
        #expect(try value("skewShape").value < 3)
        #expect(abs(try value("burstGap, median").value - 0.5 * log(2.0)) < 0.05)
        #expect(calibration.fit.notFitted.contains { $0.contains("all 24 hours") })

        let path = small.folder.path + "/fitted.yaml"
        _ = try calibration.write(to: path)
        let written = try ScenarioResolver.resolve(ScenarioFile(path: path))
        #expect(written.devices.map(\.count) == [40])
        let check = try await calibration.check(written: path) { _ in }
        for row in check.rows where row.unit == "s" {
            #expect(abs(row.error) < (row.figure.hasPrefix("p99") ? 0.2 : 0.03), "\(row)")
        }
        // Who asks how often is drawn anew in each simulation.
        let throughput = try #require(check.rows.first { $0.unit == "1/s" })
        #expect(
            abs(throughput.model - throughput.log) < 2 * (throughput.modelHalfWidth ?? 0), "\(throughput)")
        let busy = try #require(check.rows.first { $0.unit == "1" })
        #expect(abs(busy.error) < 0.02, "\(busy)")
    }

    /// Thirty devices that ask from 8 to 20 h, 40 times a day by chance. Batches of five hours are far apart, and the rate is
    /// as well known as its number of lookups makes it.
    @Test(arguments: [(days: 3.0, told: false), (4, true)])
    func theHoursOfADayAreNoDoubt(_ days: Double, told: Bool) throws {
        var generator = SplitMix64(11)
        let active = 43_200.0
        var starts: [(Double, Int)] = []
        for device in 0..<30 {
            var time = -log(generator.uniform()) * active / 40
            while time < active * days {
                let day = (time / active).rounded(.down)
                starts.append((day * 86_400 + 28_800 + time - day * active, device))
                time -= log(generator.uniform()) * active / 40
            }
        }
        let lines = starts.sorted { $0.0 < $1.0 }.map {
            "\(1_795_219_200 + $0),queries,200,25000,12,d\($1)"
        }
        let small = try Self.scenario()
        let calibration = try Self.calibrate(
            small, (["start,endpoint,status,bytes,duration_ms,device"] + lines).joined(separator: "\n") + "\n"
        )
        let rate = try #require(
            calibration.fit.values.first { $0.name == "lookups per device and day" })
        let (low, high) = (try #require(rate.low), try #require(rate.high))
        #expect((low...high).contains(40), "\(rate)")
        // Twice the standard error of so many independent lookups, and not much more.
        let least = 2 / Double(rate.samples).squareRoot()
        #expect((high / rate.value - 1) < 2.5 * least && (high / rate.value - 1) > 0.5 * least, "\(rate)")
        #expect(calibration.fit.notFitted.contains { $0.contains("from one day to the next") } != told)

        let path = small.folder.path + "/fitted.yaml"
        _ = try calibration.write(to: path)
        let written = try ScenarioResolver.resolve(ScenarioFile(path: path))
        let input = try #require(
            written.plausible.first { $0.settings.contains { $0.hasSuffix("browsing.lookups.perDay") } })
        guard case .between(let from, let to, _, _) = input.law else {
            Issue.record("\(input) is no range")
            return
        }
        #expect(abs(from / low - 1) < 1e-3 && abs(to / high - 1) < 1e-3)
    }

    /// A gateway's times have in them what lies behind it, which is not added once more.
    @Test func theLogOfAGatewayAloneWillDo() async throws {
        let small = try Self.scenario()
        let log = Self.made { "\(1_795_255_200 + $0),gateway,200,25000,\($1 * 1e3),d\($2)" }
        let calibration = try Self.calibrate(small, log)
        #expect(calibration.place == .gateway)
        let path = small.folder.path + "/fitted.yaml"
        _ = try calibration.write(to: path)
        for row in try await calibration.check(written: path, progress: { _ in }).rows where row.unit == "s" {
            #expect(abs(row.error) < (row.figure.hasPrefix("p99") ? 0.3 : 0.05), "\(row)")
        }
    }

    @Test func aWrongColumnIsRefusedWithTheFix() throws {
        let small = try Self.scenario()
        #expect(throws: ObservationProblem.self) {
            try Self.calibrate(
                small, Self.made(header: "start,endpoint,status,bytes,duration_s,device"))
        }
        let unit = Self.made(header: "start,endpoint,status,bytes,duration_us,device")
        let error = try #require(throws: ObservationProblem.self) { try Self.calibrate(small, unit) }
        #expect("\(error)".contains("--duration-unit one that is larger"), "\(error)")
        let status = Self.made { "\(1_795_255_200 + $0),queries,200,200,\($1 * 1e3),d\($2)" }
        #expect(throws: ObservationProblem.bytesAreNoSizes(200)) { try Self.calibrate(small, status) }
    }

    @Test func whatIsMissingIsNamed() throws {
        let small = try Self.scenario()
        let bare = Self.made(header: "start,endpoint,status,bytes,x,device")
        #expect(throws: ObservationProblem.noDuration) { try Self.calibrate(small, bare) }
        let short = Self.made().split(separator: "\n").prefix(15).joined(separator: "\n")
        #expect(throws: ObservationProblem.self) { try Self.calibrate(small, short) }
        let nameless = Self.made(header: "start,endpoint,status,bytes,duration_ms,x")
        let calibration = try Self.calibrate(small, nameless)
        #expect(calibration.fit.notFitted.contains { $0.contains("column 'device'") })
        #expect(calibration.fit.values.contains { $0.name == "burstSize" && $0.value > 1.5 })
    }
}
