import RandomStreams
import Testing
import Workload

@Suite("Parts of a URL")
struct AddressPartsTests {
    @Test("Lengths, depth and front pages are read off the bytes")
    func parts() {
        let parts = AddressParts("https://user@www.Example.com:8443/a/b/?x=1#top")
        #expect(parts.length == 46)
        #expect(parts.addressLength == 38)
        #expect(parts.queryLength == 4)
        #expect(parts.pathLength == 5)
        #expect(parts.pathDepth == 3)
        #expect(!parts.isFront)
        #expect(parts.host == AddressParts("http://www.example.com/").host)
        #expect(AddressParts("https://a.example").isFront)
        #expect(AddressParts("https://a.example/").isFront)
        #expect(!AddressParts("https://a.example/?q").isFront)
    }

    @Test(
        "A registrable domain is two labels, three below a country's co, and an address as a whole",
        arguments: [
            ("https://www.example.com/", "https://cdn.example.com/", true),
            ("https://a.example.com/", "https://a.example.org/", false),
            ("https://www.shop.co.uk/", "https://img.shop.co.uk/", true),
            ("https://one.co.uk/", "https://two.co.uk/", false),
            ("https://www.bbc.de/", "https://x.bbc.de/", true),
            ("http://10.0.0.1/", "http://10.0.0.2/", false),
            ("http://localhost/", "http://localhost:8080/", true),
        ])
    func domains(first: String, second: String, isSame: Bool) {
        #expect((AddressParts(first).domain == AddressParts(second).domain) == isSame)
    }

    @Test("Any bytes are split without a trap, and the parts fit together")
    func anyBytes() {
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("parts"))
        let alphabet = Array("ab.:/?#@09-%".utf8)
        for _ in 0..<20_000 {
            let count = stream.index(below: 24)
            let bytes = (0..<count).map { _ in alphabet[stream.index(below: alphabet.count)] }
            let parts = AddressParts(String(decoding: bytes, as: UTF8.self))
            #expect(parts.length == count)
            #expect(parts.addressLength + parts.queryLength <= parts.length)
            #expect(parts.pathLength <= parts.addressLength && parts.pathDepth >= 1)
        }
    }
}

@Suite("Samples and counters")
struct ValueSampleTests {
    @Test("Up to the limit, quantiles are of nearest rank and exact")
    func exact() {
        var sample = ValueSample()
        for value in stride(from: 100.0, through: 1, by: -1) { sample.add(value) }
        #expect(sample.mean == 50.5)
        #expect(sample.maximum == 100)
        #expect(sample.quantiles([0, 0.05, 0.5, 0.99, 1]) == [1, 5, 50, 99, 100])
        #expect(ValueSample().quantile(0.5).isNaN)
    }

    @Test("Beyond the limit, the sample stays bounded and fair")
    func bounded() {
        var sample = ValueSample()
        let count = 4 * ValueSample.limit
        for value in 0..<count { sample.add(Double(value)) }
        #expect(sample.values.count == ValueSample.limit)
        #expect(sample.count == count)
        let median = sample.quantile(0.5) / Double(count)
        #expect((0.49...0.51).contains(median), "got \(median)")
    }

    @Test("A full counter forgets the rare and keeps the frequent")
    func keyCounts() {
        var counts = KeyCounts()
        for _ in 0..<5 { for key in 0..<10 { counts.add(UInt64(key)) } }
        #expect(counts.isExact && counts.distinctCount == 10)
        for key in 0..<(KeyCounts.limit + 10) { counts.add(UInt64(1_000 + key)) }
        #expect(!counts.isExact)
        #expect(counts.distinctCount <= KeyCounts.limit)
        #expect(counts.sortedCounts.first == 5)
        #expect(counts.total == 50 + KeyCounts.limit + 10)
    }
}

@Suite("Describing a trace")
struct TraceStatisticsTests {
    private static let second: Int64 = 1_000_000_000
    /// Monday, 5 January 2026, 00:00 UTC.
    private static let monday: Int64 = 1_767_571_200

    private func describe(
        _ rows: [(seconds: Double, client: String, url: String, page: String?)],
        _ change: (inout DescriptionOptions) -> Void = { _ in }
    ) -> TraceStatistics {
        var options = DescriptionOptions()
        change(&options)
        var statistics = TraceStatistics(options)
        for row in rows {
            statistics.add(
                TraceRecord(
                    time: Self.monday * Self.second + Int64(row.seconds * 1e9), client: row.client,
                    url: row.url,
                    page: row.page), lookupStrings: 10)
        }
        statistics.finish()
        return statistics
    }

    @Test("Requests of one named page are one page view, however clients mix")
    func namedPages() {
        let statistics = describe([
            (0, "a", "https://s.example/", "a1"), (0.1, "b", "https://t.example/x", "b1"),
            (0.2, "a", "https://cdn.s.example/1", "a1"), (0.5, "a", "https://ads.example/2?u=1", "a1"),
            (0.7, "a", "https://ads.example/2?u=1", "a1"), (60, "a", "https://s.example/n", "a2"),
        ])
        #expect(statistics.views.count == 3)
        #expect(statistics.views.requests.values.sorted() == [1, 1, 4])
        #expect(statistics.views.hosts.maximum == 3)
        #expect(statistics.views.distinctShare.values.min() == 0.75)
        // By registrable domain, cdn.s.example is the site's own.
        #expect(statistics.visits.thirdPartyHosts.total == 2)
        #expect(statistics.visits.frontViews == 1)
        #expect(statistics.people.thinkSeconds.values.map { $0.rounded() } == [60])
        #expect(statistics.views.seconds.values.map { ($0 * 10).rounded() } == [7])
    }

    @Test("Without pages, a pause ends the page view; a gap of 0 makes each request one")
    func pauses() {
        let rows: [(seconds: Double, client: String, url: String, page: String?)] = [
            (0, "a", "https://s.example/", nil), (0.4, "a", "https://s.example/1", nil),
            (1.3, "a", "https://s.example/2", nil), (2.5, "a", "https://s.example/3", nil),
        ]
        #expect(describe(rows).views.requests.values == [3, 1])
        #expect(describe(rows) { $0.pageGapSeconds = 0 }.views.count == 4)
        #expect(describe(rows) { $0.pageGapSeconds = 2 }.views.count == 1)
    }

    @Test("A page named by its URL is the document, also when another request comes first")
    func pagesByAddress() {
        let statistics = describe([
            (0, "a", "https://cdn.example/1", "https://s.example/"),
            (1, "a", "https://s.example/2", "https://s.example/"),
        ])
        #expect(statistics.views.count == 1)
        #expect(statistics.visits.frontViews == 1)
        #expect(statistics.visits.thirdPartyHosts.total == 1)
    }

    @Test("Sessions end at the cut, days at local midnight")
    func sessions() {
        let hour = 3_600.0
        let statistics = describe(
            [
                (22.5 * hour, "a", "https://s.example/", nil), (22.6 * hour, "a", "https://s.example/1", nil),
                (23.5 * hour, "a", "https://t.example/", nil), (24.5 * hour, "a", "https://s.example/", nil),
            ]) { $0.zoneOffsetSeconds = 3_600 }
        #expect(statistics.people.sessionVisits.values == [2, 1, 1])
        // 23.5 h, 23.6 h | 0.5 h, 1.5 h by the local clock.
        #expect(statistics.people.dayVisits.values == [2, 2])
        #expect(statistics.people.daySessions.values == [1, 2])
        #expect(statistics.people.hours[23] == 2 && statistics.people.hours[0] == 1)
        #expect(statistics.people.weekdays == [2, 2, 0, 0, 0, 0, 0])
    }

    @Test("Revisits are counted within an hour, a day, ever, and per client")
    func revisits() {
        let hour = 3_600.0
        let statistics = describe([
            (0, "a", "https://s.example/1", nil), (10, "b", "https://s.example/1", nil),
            (0.5 * hour, "a", "https://s.example/1", nil), (5 * hour, "a", "https://s.example/2", nil),
            (50 * hour, "a", "https://s.example/1", nil),
        ])
        #expect(statistics.people.siteRevisits == [1, 2, 3])
        #expect(statistics.people.pageRevisits == [1, 1, 2])
        #expect(statistics.people.followedVisits == 5)
    }

    @Test("Relative times say nothing about people")
    func relativeTimes() {
        var statistics = TraceStatistics(DescriptionOptions())
        for index in 0..<200 {
            statistics.add(
                TraceRecord(
                    time: Int64(index) * 10 * Self.second, client: "a", url: "https://s.example/\(index)"),
                lookupStrings: nil)
        }
        statistics.finish()
        #expect(!statistics.hasClockTimes && !statistics.hasPeople)
        #expect(statistics.lookupStrings.count == 0)
    }
}
