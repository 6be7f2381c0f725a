import RandomStreams
import Testing
import Workload

private let hour: Int64 = 3_600_000_000_000
private let day: Int64 = 24 * hour

@Suite("Browser")
struct BrowserTests {
    private let web: SyntheticWeb

    init() throws {
        web = try SyntheticWeb(WebParameters(), seed: 1)
    }

    private func visits(
        _ profile: BrowsingProfile, device: UInt32 = 0, from start: Int64 = 0, days: Int64
    ) throws -> [Visit] {
        let habits = try BrowsingHabits(profile)
        var stream = RandomStream(seed: 9, replication: 0, entity: device, purpose: StreamPurpose("browsing"))
        var browser = Browser(using: &stream)
        var visits: [Visit] = []
        var now = start
        while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream),
            visit.time < start + days * day
        {
            visits.append(visit)
            now = visit.time
        }
        return visits
    }

    @Test func theStateIsSmall() {
        #expect(MemoryLayout<Browser>.stride <= 96)
        #expect(MemoryLayout<PageObject>.stride <= 24)
    }

    @Test func theSameStreamGivesTheSameVisits() throws {
        let one = try visits(.adult, device: 3, days: 5)
        let same = try visits(.adult, device: 3, days: 5)
        let other = try visits(.adult, device: 4, days: 5)
        #expect(one == same)
        #expect(one != other)
        #expect(!one.isEmpty)
    }

    @Test func aCopyWithItsStreamGoesOnAlike() throws {
        let habits = try BrowsingHabits(.adult)
        var stream = RandomStream(seed: 1, replication: 2, entity: 3, purpose: StreamPurpose("browsing"))
        var browser = Browser(using: &stream)
        var now: Int64 = 0
        for _ in 0..<100 {
            now = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream)?.time ?? now
        }
        var copy = browser
        var copyStream = RandomStream(
            seed: 1, replication: 2, entity: 3, purpose: StreamPurpose("browsing"), position: stream.position)
        for _ in 0..<100 {
            let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream)
            #expect(visit == copy.nextVisit(after: now, habits: habits, web: web, stream: &copyStream))
            now = visit?.time ?? now
        }
    }

    @Test(arguments: BrowsingProfile.presets)
    func visitsKeepToTheHoursAndDaysOfTheirProfile(profile: BrowsingProfile) throws {
        var count = 0
        for device in UInt32(0)..<40 {
            var last: Int64 = 0
            for visit in try visits(profile, device: device, days: 14) {
                #expect(visit.time > last)
                #expect(profile.hourWeights[Int(visit.time % day / hour)] > 0)
                #expect(profile.weekdayWeights[Int(visit.time / day % 7)] > 0)
                #expect(visit.page < web.pageCount(of: visit.site))
                last = visit.time
                count += 1
            }
        }
        #expect(count > 5_000)
    }

    @Test func aSchoolDayIsFromEightToThree() throws {
        let times = try (UInt32(0)..<20).flatMap { try visits(.schoolDay, device: $0, days: 5) }
        #expect(times.allSatisfy { (8 * hour..<15 * hour).contains($0.time % day) })
    }

    @Test func theWeekStartsOnTheChosenDay() throws {
        var profile = BrowsingProfile.office
        profile.weekdayOfDayZero = 5
        let days = Set(
            try (UInt32(0)..<10).flatMap { try visits(profile, device: $0, days: 9) }.map { $0.time / day })
        #expect(days == [2, 3, 4, 5, 6])
    }

    @Test func timesBeforeDayZeroAreLocalTimesToo() throws {
        var profile = BrowsingProfile.schoolDay
        profile.timeZoneOffsetSeconds = -8 * 3_600
        profile.weekdayOfDayZero = 1
        let habits = try BrowsingHabits(profile)
        let start = habits.localTime(universal: 0)
        #expect(start == -8 * hour && habits.universalTime(local: start) == 0)
        let times = try (UInt32(0)..<20).flatMap {
            try visits(profile, device: $0, from: start - 8 * hour, days: 1)
        }
        #expect(!times.isEmpty)
        // The eve of day 0 is a Monday, so there is school on it.
        #expect(times.contains { $0.time < 0 })
        #expect(times.allSatisfy { (8 * hour..<15 * hour).contains(($0.time + 7 * day) % day) })
    }

    @Test func aStartInTheEveningHasOnlyTheRestOfTheDay() throws {
        let whole = try (UInt32(0)..<200).map { try visits(.adult, device: $0, days: 1).count }.reduce(0, +)
        let evening = try (UInt32(0)..<200).map { device in
            try visits(.adult, device: device, from: 18 * hour, days: 1).count { $0.time < day }
        }.reduce(0, +)
        let share = Double(evening) / Double(whole)
        let expected = BrowsingProfile.adult.hourWeights[18...].reduce(0, +) / 0.998
        #expect(abs(share - expected) < 0.1, "share \(share), hours \(expected)")
    }

    @Test func reasonsTellTheTruth() throws {
        var sites: [SiteNumber: Int64] = [:]
        var pages: [UInt64: Int64] = [:]
        for visit in try visits(.adult, device: 1, days: 10) {
            let page = UInt64(visit.site.rawValue) << 16 | UInt64(visit.page)
            let siteAge = sites[visit.site].map { visit.time - $0 } ?? .max
            let pageAge = pages[page].map { visit.time - $0 } ?? .max
            switch visit.reason {
            case .samePage: #expect(siteAge <= hour + hour / 60 && pageAge <= hour + hour / 60)
            case .sameSite: #expect(siteAge <= hour + hour / 60)
            case .otherSite: #expect(!visit.isListed)
            case .listed: #expect(visit.isListed)
            }
            sites[visit.site] = visit.time
            pages[page] = visit.time
        }
    }

    @Test func aProfileThatNeverVisitsEnds() throws {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .constant(0)
        #expect(try visits(profile, days: 1_000_000).isEmpty)
    }

    @Test func aConstantProfileIsCountedExactly() throws {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .constant(50)
        profile.weekdayWeights = Array(repeating: 1, count: 7)
        profile.activeDayShare = 1
        profile.thinkSeconds = .constant(2)
        let all = try visits(profile, days: 200)
        // A session that crosses midnight moves its visits to the next day, and
        // one that is pushed past midnight is dropped.
        #expect(abs(Double(all.count) / 10_000 - 1) < 0.02)
        let gaps = zip(all.dropFirst(), all).map { $0.time - $1.time }
        #expect(gaps.allSatisfy { $0 == 2_000_000_000 || $0 >= hour / 2 })
    }
}
