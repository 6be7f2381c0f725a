import Experiment
import Testing
import Workload

/// What is said of a trace that is no picture of the fleet.
struct TraceWarningsTests {
    /// - Parameter minutes: From the first record to the last.
    private func trace(
        records: Int = 200, clients: Int = 20, hosts: Int = 50, minutes: Double = 24 * 60
    ) throws -> RunResult.TraceSummary {
        var text = "epoch_seconds,client,url\n"
        for index in 0..<records {
            let time = 1_700_000_000 + minutes * 60 * Double(index) / Double(records - 1)
            text += "\(time),c\(index % clients),https://h\(index % hosts).example/\(index)\n"
        }
        let reader = try TraceReader(ByteSource(bytes: Array(text.utf8), name: "t.csv"))
        var summary = TraceSummary()
        while let record = try reader.next() { summary.add(record) }
        return RunResult.TraceSummary(reader.report, summary)
    }

    private func codes(
        _ trace: RunResult.TraceSummary, devices: Int = 20, duration: Double? = nil
    ) -> [String] {
        TraceWarnings(
            trace, devices: devices, seconds: (trace.seconds, duration ?? trace.seconds)
        ).all.map(\.code.rawValue)
    }

    @Test func aDayOfTheFleetIsFine() throws {
        #expect(try codes(trace()).isEmpty)
        #expect(try TraceWarnings(trace(), devices: 20, countsWholeDays: false).all.isEmpty)
    }

    @Test func eachFlawIsNamed() throws {
        let hour = 3600.0
        #expect(try codes(trace(hosts: 1)) == ["trace.oneHost"])
        #expect(try codes(trace(records: 50, hosts: 1)).isEmpty)
        #expect(try codes(trace(), devices: 201) == ["trace.fewClients"])
        #expect(try codes(trace(), duration: 48 * hour) == ["trace.short"])
        #expect(try codes(trace(minutes: 72 * 60), duration: 24 * hour) == ["trace.cut"])
        #expect(try codes(trace(minutes: 60)) == ["day.stretched"])
        #expect(try codes(trace(minutes: 60), duration: 24 * hour) == ["trace.short"])
    }

    /// A school's morning: a tuning and a run stretch it alike, and both say so.
    @Test func whatIsStretchedSaysByHowMuch() throws {
        let morning = try trace(minutes: 4.8 * 60)
        let sentence =
            "figures per day are stretched 5.0 times from t.csv, which has records in 6 of the 24 hours of a day"
        let tune = TraceWarnings(morning, devices: 20, countsWholeDays: false).all
        let run = TraceWarnings(morning, devices: 20, seconds: (morning.seconds, morning.seconds)).all
        for warnings in [tune, run] {
            #expect(warnings.map(\.code) == [.dayStretched])
            #expect(warnings.allSatisfy { $0.message.hasPrefix(sentence) })
        }
        #expect(TraceWarnings(morning, devices: 20, countsWholeDays: true).all.isEmpty)
    }
}
