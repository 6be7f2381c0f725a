import Decoding
import Experiment
import Foundation
import Questions
import Report
import Testing
import URLFilter

/// What is declared to Apple, and what the sheet warns of.
@Suite struct DeclarationSheetTests {
    private func traffic(_ change: (inout ObservedTraffic) -> Void = { _ in }) throws -> ObservedTraffic {
        let point = try SampleResult.point()
        var traffic = try ObservedTraffic(try SampleResult.result(points: [point]), point)
        change(&traffic)
        return traffic
    }

    private func sheet(
        _ traffic: ObservedTraffic, cap: Int? = nil, responseCap: Int? = nil,
        hosts: [String] = ["a.example.com"]
    ) -> DeclarationSheet {
        DeclarationSheet(traffic, requestCap: cap, responseCap: responseCap, hosts: hosts)
    }

    private func codes(_ sheet: DeclarationSheet) -> [String] { sheet.warnings.map(\.code.rawValue) }

    @Test func continentsComeFirstAndAllOfThemLast() throws {
        let traffic = try traffic()
        #expect(traffic.regions.map(\.name) == ["EU", "NA", "all"])
        #expect(traffic.regions[0].perDay.value == 1500)
        #expect(traffic.regions[2].peakSecond.interval?.high == 14)
        #expect(traffic.regions[2].peakMinute.largest == 375)
        // 1000 requests in 50 minutes of observation.
        #expect(traffic.endpoints.map(\.name) == ["key", "queries"])
        #expect(traffic.endpoints[0].requestsPerDay == 28_800)
        #expect(
            traffic.endpoints[1].request == .init(mean: 30_453.15, p50: 29_003, p99: 43_504.5, max: 87_009))
    }

    /// Sizes of the sample: keys 426 212 B at most 639 318, queries 29 003 B to 87 009.
    @Test(arguments: [
        (700_000, []), (500_000, ["key rare"]), (100_000, ["key half"]),
        (80_000, ["key half", "queries rare"]),
        (40_000, ["key half", "queries few"]), (20_000, ["key half", "queries half"]),
    ])
    func aCapRefusesWhatIsLarger(cap: Int, refused: [String]) throws {
        let found = sheet(try traffic(), cap: cap).refused
        #expect(found.allSatisfy { $0.direction == .request })
        #expect(found.map { "\($0.endpoint) \($0.share)" } == refused)
    }

    @Test func responsesHaveACapOfTheirOwn() throws {
        let refused = sheet(try traffic(), responseCap: 3_000).refused
        #expect(refused.map(\.endpoint) == ["queries"])
        #expect(refused.map(\.direction) == [.response])
        #expect(!codes(sheet(try traffic(), responseCap: 3_000)).contains("cap.key"))
    }

    @Test func aMessageOfOneSizeIsRefusedAltogether() throws {
        let traffic = try traffic { $0.endpoints[0].request = .init(mean: 400, p50: 400, p99: 400, max: 400) }
        #expect(sheet(traffic, cap: 399).refused.first?.share == .all)
        #expect(sheet(traffic, cap: 400).refused.allSatisfy { $0.endpoint != "key" })
        #expect(codes(sheet(traffic, cap: 399)).contains("cap.key"))
    }

    @Test(arguments: [
        ("gateway.example.com", 0), ("https://gateway.example.com", 0), ("gateway.example.com/", 1),
        ("https://gateway.example.com/ohttp", 1), ("gateway.example.com:8443", 1),
        ("http://gateway.example.com:80/x", 3), ("192.0.2.1", 1), ("[2001:db8::1]", 2), ("localhost", 1),
        ("", 1),
        ("-a.example", 1), ("a..example", 1), ("ex ample.com", 1), ("bücher.example", 1),
    ])
    func hostsAreNamesAlone(host: String, problems: Int) throws {
        #expect(sheet(try traffic(), hosts: [host]).warnings.count { $0.code == .host } == problems)
    }

    @Test func knownTrapsAreNamed() throws {
        var traffic = try traffic()
        // The rows of the sample are not made from its total, which it says.
        #expect(traffic.remarks.count == 1)
        traffic.remarks = []
        #expect(
            codes(sheet(traffic, hosts: [])) == [
                "size.average", "host.unchecked", "day.extrapolated", "testEntry.missing", "launch.excluded",
            ])
        traffic.shards = 12
        #expect(codes(sheet(traffic)).contains("shards.notPowerOfTwo"))
        traffic.shards = 16_384
        #expect(codes(sheet(traffic)).contains("shards.tooMany"))
        #expect(!codes(sheet(traffic)).contains("shards.notPowerOfTwo"))
        traffic.regions.removeFirst(2)
        traffic.regions[0].peakSecond.observations = 1
        #expect(Set(codes(sheet(traffic))).isSuperset(of: ["continent.missing", "replications.one"]))
        #expect(codes(sheet(traffic, hosts: ["a.example.com", "A.example.com"])).contains("host.shared"))
        traffic.observedSeconds = 86_400
        traffic.hasTestEntry = true
        #expect(Set(codes(sheet(traffic))).isDisjoint(with: ["day.extrapolated", "testEntry.missing"]))
    }

    @Test func aResultWithoutCountsIsRefused() throws {
        var point = try SampleResult.point()
        point.metrics.removeAll { $0.name == "relay.requests" }
        #expect(throws: SheetError.noTraffic) {
            try ObservedTraffic(try SampleResult.result(points: [point]), point)
        }
    }

    @Test func textTableAndDocumentAgree() throws {
        let sheet = sheet(try traffic(), cap: 100_000)
        let text = SheetText.render([sheet])
        for line in [
            "REQUESTS              per day  busiest second  most seen  busiest minute  most seen",
            "  EU              1 500 ± 100          12 ± 2         18        250 ± 20        375",
            "  all continents  3 000 ± 100          12 ± 2         18        250 ± 20        375",
            "  evaluation keys to store: 23.7 MB (986 880 B for each device)",
            "  refuses /key requests: at least half of them (the largest has 639 318 B)",
        ] { #expect(text.contains(line), "\(line)") }
        for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
        let csv = SheetCSV.render([sheet])
        for row in [
            "1,region,EU,busiest second,requests,12.0,10.0,14.0,18.0\r\n",
            "1,endpoint,key,request p50,B,426212.0,,,\r\n",
            "1,refused,key,request,at least half of them,639318.0,,,\r\n",
        ] { #expect(csv.contains(row), "\(row)") }
        let document = SheetDocument(sheets: [sheet])
        let decoded = try JSONDecoder().decode(
            SheetDocument.self, from: Data(try JSONText.render(document).utf8))
        #expect(decoded == document)
        #expect(decoded.schema == "urlfilter.sheet/1")
    }

    @Test func severalSheetsStandSideBySide() throws {
        let small = sheet(try traffic())
        let large = sheet(try traffic { $0.endpoints[1].request.max = 1_212_790 })
        let text = SheetText.render([small, large], names: ["os iOS26", "os iOS27.3"])
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        let start = try #require(rows.firstIndex(of: "SIDE BY SIDE os iOS26 os iOS27.3"))
        #expect(rows[start...].contains("/queries request, largest, B 87 009 1 212 790"))
        #expect(rows[start...].contains("/key request, largest, B 639 318 639 318"))
        #expect(!SheetText.render([small], names: ["one"]).contains("SIDE BY SIDE"))
    }

    /// 999 days from 1 to 999 need no law; then quantile × growth, and the peaks × burst.
    @Test func whatIsDeclaredIsQuantileTimesGrowthTimesBurst() throws {
        let days = (1...999).map(Double.init)
        let traffic = try traffic { traffic in
            for place in traffic.regions.indices {
                traffic.regions[place].peakSecond = .init(value: 500, interval: nil, samples: days)
                traffic.regions[place].peakMinute = .init(value: 8, interval: nil, samples: [8, 8, 8])
                traffic.regions[place].perDay = .init(
                    value: 11, interval: nil, samples: [9, 10, 11, 12, 13])
            }
        }
        let region = sheet(traffic).recommendations[0]
        #expect(region.region == "EU")
        #expect(region.peakSecond.basis == .rank && region.peakSecond.quantile == 999)
        #expect(region.peakSecond.value == 1799 && region.peakSecond.mean == 500)
        // Student's t of four degrees of freedom, scipy.stats.t.ppf(0.999, 4), times √(5/2 · 6/5).
        #expect(region.perDay.basis == .normal)
        let quantile = 11 + 7.173182219782308 * 3.0.squareRoot()
        #expect(region.perDay.value == (1.2 * quantile).rounded(.up))
        #expect(region.peakMinute.value == nil && region.peakMinute.basis == .none)
        #expect(codes(sheet(traffic)).contains("declare.unknown"))
        let text = SheetText.render([sheet(traffic)])
        #expect(text.contains("cannot tell"))
        #expect(text.contains("--quantile, --growth,"))
    }

    @Test func otherKindsOfDaysAreRowsAndTheLargestCoversThem() throws {
        func day(_ kind: DayKind, _ peak: Double) throws -> DeclarationSheet {
            let traffic = try traffic { traffic in
                for place in traffic.regions.indices {
                    traffic.regions[place].peakSecond = .init(
                        value: peak, interval: nil, samples: Array(repeating: peak, count: 999))
                }
            }
            return DeclarationSheet(
                traffic, day: kind, requestCap: nil, responseCap: nil, hosts: ["a.example.com"],
                otherDays: [.ordinary, .launch, .restart])
        }
        let sheets = [try day(.ordinary, 10), try day(.launch, 100), try day(.restart, 50)]
        #expect(sheets.allSatisfy { !codes($0).contains("launch.excluded") })
        #expect(codes(try sheet(traffic())).contains("launch.excluded"))
        let cover = SheetDocument(sheets: sheets).declare
        #expect(cover.map(\.region) == ["EU", "NA", "all"])
        #expect(cover.allSatisfy { $0.peakSecond == 180 && $0.peakSheet == 2 })
        let rows = SheetText.render(sheets, names: sheets.compactMap { $0.day?.rawValue })
            .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        let start = try #require(rows.firstIndex { $0.hasPrefix("DECLARE") })
        for name in ["launch day", "the largest of all rows"] {
            let row = rows[start...].first { $0.hasPrefix("\(name) EU") }
            #expect(row?.contains(" 180 ") == true, "\(name)")
        }
    }

    /// Devices of all continents never ask less than those of one.
    @Test func allContinentsAreNotLessThanOne() throws {
        let traffic = try traffic { traffic in
            traffic.regions[0].peakSecond = .init(value: 20, interval: nil, samples: [10, 30])
            traffic.regions[2].peakSecond = .init(value: 30, interval: nil, samples: [29, 31])
        }
        let found = sheet(traffic).recommendations
        #expect(found[2].peakSecond.value == found[0].peakSecond.value)
    }
}
