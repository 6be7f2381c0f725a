import RandomStreams
import Testing
import Workload

@Suite struct PlannedVisitsTests {
    private func stream(_ device: UInt32) -> RandomStream {
        RandomStream(seed: 9, replication: 0, entity: device, purpose: StreamPurpose("browsing"))
    }

    /// The plan is what the browser then does, as long as the day is long enough.
    @Test func theBrowserDoesWhatWasPlanned() throws {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .uniform(lower: 0, upper: 12)
        profile.activeDayShare = 0.7
        profile.hourWeights = (0..<24).map { $0 < 12 ? 1 : 0.001 }
        let habits = try BrowsingHabits(profile)
        var sites = TextTable(name: "list")
        try sites.append(Array("listed.example".utf8))
        let web = try SyntheticWeb(WebParameters(), seed: 1, entries: sites)
        var same = 0
        for device in 0..<300 {
            var first = stream(UInt32(device))
            let planned = habits.plannedVisits(onDayOf: 0, using: &first)
            var second = stream(UInt32(device))
            var browser = Browser(using: &second)
            var visits = 0
            var now: Int64 = 0
            while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &second),
                visit.time < 86_400_000_000_000
            {
                visits += 1
                now = visit.time
            }
            #expect(visits <= planned)
            same += visits == planned ? 1 : 0
        }
        // Sessions at the very end of the day are cut off.
        #expect(same > 280, "\(same) of 300 devices")
    }

    @Test("the expectation is that of many devices", arguments: ["adult", "school-day", "office"])
    func expectation(name: String) throws {
        let habits = try BrowsingHabits(try #require(BrowsingProfile.preset(named: name)))
        let expected = habits.expectedVisits(onDayOf: 0)
        var sum = 0.0
        var squares = 0.0
        let count = 40_000.0
        for device in 0..<Int(count) {
            var stream = stream(UInt32(device))
            let planned = Double(habits.plannedVisits(onDayOf: 0, using: &stream))
            sum += planned
            squares += planned * planned
        }
        let mean = sum / count
        let error = ((squares / count - mean * mean) / count).squareRoot()
        #expect(abs(mean - expected) < 4 * error, "\(mean) ± \(error), expected \(expected)")
    }

    @Test func atomsAreRoundedLikeTheDraws() throws {
        var profile = BrowsingProfile.adult
        profile.activeDayShare = 1
        profile.visitsPerActiveDay = .constant(2.5)
        profile.weekdayWeights = [1, 1, 1, 1, 1, 1, 1]
        let habits = try BrowsingHabits(profile)
        var stream = stream(1)
        #expect(habits.plannedVisits(onDayOf: 0, using: &stream) == 3)
        #expect(habits.expectedVisits(onDayOf: 0) == 3)
    }
}
