import RandomStreams
import Testing
import Workload

@Suite("Synthetic traces")
struct SyntheticTraceTests {
    private static let day: Int64 = 86_400_000_000_000

    private func trace(seed: UInt64 = 3, count: Int = 5) throws -> (
        SyntheticTrace, SyntheticWeb, BrowsingHabits
    ) {
        var parameters = WebParameters()
        parameters.requestsPerPage = QuantileCurve([.init(0.5, 5), .init(0.9, 12)], minimum: 1, maximum: 40)
        let web = try SyntheticWeb(parameters, seed: seed)
        let habits = try BrowsingHabits(.adult)
        return (
            SyntheticTrace(
                population: [.init(name: "homes", count: count, habits: habits)], web: web, seed: seed,
                origin: 1_000 * Self.day, duration: Self.day), web, habits
        )
    }

    @Test("Records come in order of time, inside the span, and again with the same seed")
    func order() throws {
        var (first, _, _) = try trace()
        var (second, _, _) = try trace()
        var last = Int64.min
        var count = 0
        while let record = first.next() {
            #expect(record == second.next())
            #expect(record.time >= last)
            #expect((1_000 * Self.day..<1_001 * Self.day).contains(record.time))
            last = record.time
            count += 1
        }
        #expect(second.next() == nil)
        #expect(count > 500)
    }

    @Test("A device opens the pages that a simulated device with the same stream opens")
    func sameAsTheBrowser() throws {
        var (trace, web, habits) = try trace()
        var documents: [Int64: String] = [:]
        var seen: Set<String> = []
        while let record = trace.next() {
            guard record.client == "homes-2", let page = record.page, seen.insert(page).inserted else {
                continue
            }
            documents[record.time - 1_000 * Self.day] = record.url
        }
        var stream = RandomStream(seed: 3, replication: 0, entity: 1, purpose: StreamPurpose("browsing"))
        var browser = Browser(using: &stream)
        var now: Int64 = 0
        var count = 0
        while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream),
            visit.time < Self.day
        {
            now = visit.time
            count += 1
            let document = web.mainObject(site: visit.site, page: visit.page)
            #expect(documents[visit.time] == web.url(of: document, token: 0))
        }
        #expect(count == documents.count && count > 0)
    }

    @Test("Unique pages make returns rare, front pages and sub-domains follow their shares")
    func shares() throws {
        func visits(_ change: (inout WebParameters) -> Void) throws -> (pages: Int, fronts: Int, www: Int) {
            var parameters = WebParameters()
            parameters.requestsPerPage = QuantileCurve(
                [.init(0.5, 1), .init(0.9, 1)], minimum: 1, maximum: 1)
            change(&parameters)
            let web = try SyntheticWeb(parameters, seed: 5)
            var stream = RandomStream(seed: 5, replication: 0, entity: 0, purpose: StreamPurpose("pages"))
            var pages: Set<String> = []
            var (fronts, www) = (0, 0)
            for _ in 0..<2_000 {
                let site = web.chooseSite(using: &stream)
                let document = web.mainObject(site: site, page: web.choosePage(of: site, using: &stream))
                let url = web.url(of: document, token: 0)
                pages.insert(url)
                if document.isFront { fronts += 1 }
                if url.hasPrefix("https://www.") { www += 1 }
            }
            return (pages.count, fronts, www)
        }
        let plain = try visits { _ in }
        #expect(plain.fronts > 100)
        #expect(try visits { $0.uniquePageShare = 1 }.pages > 1_900)
        #expect(try visits { $0.frontPageShare = 0 }.fronts == 0)
        #expect(try visits { $0.subdomainShare = 1 }.www == 0)
        #expect(plain.www > 1_700)
    }
}
