import FleetModel
import LiveValidation
import Testing
import Workload

struct LookupTraceTests {
    private func trace(
        rate: Double = 100, end: Double = 100, bursts: (count: Int, size: Int) = (0, 0), urls: Int = 4_096,
        seed: UInt64 = 1, number: UInt32 = 0
    ) throws -> LookupTrace {
        try LookupTrace(
            rate: rate, end: end, bursts: bursts, deviceCount: 40, urlCount: urls, seed: seed, number: number)
    }

    @Test func loadsArriveAsAPoissonProcess() throws {
        let loads = try trace().loads
        // Mean 10 000: five standard deviations are 500.
        #expect((9_500...10_500).contains(loads.count))
        #expect(loads.first?.time == 0)
        let gaps = zip(loads, loads.dropFirst()).map { Double($1.time - $0.time) / 1e9 }
        #expect(gaps.allSatisfy { $0 >= 0 })
        // Exponential gaps of mean 1/100 have a second moment of 2/100².
        let secondMoment = gaps.map { $0 * $0 }.reduce(0, +) / Double(gaps.count)
        #expect(abs(secondMoment * 100 * 100 - 2) < 0.3)
        let byDevice = Dictionary(grouping: loads, by: \.device)
        #expect(byDevice.count == 40)
        // Mean 250 each: five standard deviations are 79.
        #expect(byDevice.values.allSatisfy { (171...329).contains($0.count) })
    }

    @Test func noDeviceLoadsAURLTwice() throws {
        let trace = try trace(urls: 350)
        for (device, loads) in Dictionary(grouping: trace.loads, by: \.device) {
            #expect(Set(loads.map(\.url)).count == loads.count, "device \(device)")
        }
        #expect(trace.loads.allSatisfy { (0..<350).contains($0.url) })
        #expect(trace.mostPerDevice <= 350)
    }

    @Test func aListThatIsTooShortIsRefused() throws {
        #expect(throws: LiveValidationError.self) { try trace(urls: 100) }
    }

    @Test func burstsFollowAtOneInstantEach() throws {
        let trace = try trace(end: 10, bursts: (3, 12))
        let late = trace.loads.filter { $0.time > 10_000_000_000 }
        #expect(late.count == 3 * 13)
        let times = Dictionary(grouping: late, by: \.time).mapValues(\.count)
        #expect(
            times == [
                11_000_000_000: 1, 11_250_000_000: 12, 11_500_000_000: 1, 11_750_000_000: 12,
                12_000_000_000: 1, 12_250_000_000: 12,
            ])
        #expect(abs(trace.length - 12.25) < 1e-9)
    }

    @Test func aSeedAndANumberAreATrace() throws {
        let first = try trace(end: 5).loads
        #expect(try trace(end: 5).loads == first)
        #expect(try trace(end: 5, seed: 2).loads != first)
        #expect(try trace(end: 5, number: 1).loads != first)
    }

    @Test func theModelReadsWhatTheFleetReplays() throws {
        let trace = try trace(end: 5)
        let urls = (0..<4_096).map { "https://listed\($0).example/a,b" }
        let reader = try trace.replay(urls: urls).trace.open()
        var read: [TraceRecord] = []
        while let record = try reader.next() { read.append(record) }
        #expect(read == trace.records(urls: urls))
        #expect(trace.replay(urls: urls).clientCount == Set(trace.loads.map(\.device)).count)
    }
}
