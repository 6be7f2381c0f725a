import DeviceFleet
import Report
import Testing

struct DoctorTextTests {
    @Test func aFailingLineSaysWhatDevicesSeeAndWhatToDo() throws {
        var report = DoctorReport(
            service: "https://pir.example", issuer: "https://issuer.example", route: "direct",
            usecase: "com.example.url.filtering")
        report.lines = [
            .init(check: .reachable, title: "service and issuer answer", outcome: .pass, detail: "2 pages"),
            .init(
                check: .clock, title: "clock", outcome: .fail, detail: "300 s", fix: "use NTP",
                signature: "refused"),
            .init(check: .http2, title: "HTTP/2", outcome: .notChecked, detail: "plain \u{1B}[31m"),
        ]
        let text = DoctorText.render(report)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.contains("pass         service and issuer answer  2 pages"))
        #expect(lines.contains("FAIL         clock                      300 s"))
        #expect(lines.contains("             fix: use NTP"))
        #expect(lines.contains("             devices: refused"))
        #expect(lines.last == "1 pass, 1 FAIL, 1 not checked")
        #expect(!text.contains("\u{1B}"))
    }
}

struct ReplayTextTests {
    @Test func whatWasSeenIsShownWithItsIntervals() throws {
        var point = ReplayPoint(ramp: 0, warmUp: 2, duration: 10)
        point.rate = 5
        point.loads = 50
        point.lookups = 20
        point.offeredRate = 5
        point.answeredRate = 1.9
        point.verdicts = ["blockedByServer": 19, "allowedByPolicy": 1, "allowedByPrefilter": 30]
        point.policyCauses = ["queries: status 400": 1]
        point.latency = [
            .init(probability: 0.5, seconds: 0.010, low: 0.009, high: 0.011),
            .init(probability: 0.99, seconds: 0.2, low: nil, high: nil),
        ]
        point.serverCPU = 0.5
        point.seconds = (0..<90).map { ReplayPoint.Second(second: $0, loads: 1) }
        let text = ReplayText.render(result(point))
        for part in [
            "5.00 loads/s, 10.0 s measured after 2.00 s of ramp and warm-up",
            "blocked by server             19",
            "queries: status 400: 1", "10.0 ms  9.00 ms … 11.0 ms", "200 ms  too few for an interval",
            "servers: 0.500 CPU s",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        // Ninety seconds in at most thirty rows.
        let rows = text.split(separator: "\n").drop { !$0.contains("unanswered  wrong") }.dropFirst()
        #expect((15...30).contains(rows.count))
        #expect(ReplayText.secondsTable(result(point)).split(separator: "\n").count == 91)
    }

    private func result(_ point: ReplayPoint) -> ReplayResult {
        var result = ReplayResult(
            target: "http://localhost:1", route: "direct", usecase: "a.url.filtering",
            trace: .init(name: "t.csv", loads: 50, clients: 2, distinctURLs: 9),
            devices: .init(wanted: 2))
        result.points = [point]
        return result
    }
}
