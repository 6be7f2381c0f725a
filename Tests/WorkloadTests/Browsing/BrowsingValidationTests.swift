import RandomStreams
import Testing
import Workload

@Suite("Browsing settings")
struct BrowsingValidationTests {
    private static let badParameters: [(setting: String, change: @Sendable (inout WebParameters) -> Void)] = [
        ("siteCount", { $0.siteCount = 0 }),
        ("siteCount", { $0.siteCount = -1 }),
        ("siteCount", { $0.siteCount = .max }),
        ("siteExponent", { $0.siteExponent = .nan }),
        ("siteExponent", { $0.siteExponent = -0.95 }),
        ("pagesPerSite", { $0.pagesPerSite.maximum = 1e9 }),
        ("pageExponent", { $0.pageExponent = .infinity }),
        ("thirdPartyHostCount", { $0.thirdPartyHostCount = 0 }),
        ("thirdPartyExponent", { $0.thirdPartyExponent = 0 }),
        ("requestsPerPage", { $0.requestsPerPage.knots = [] }),
        ("requestsPerPage", { $0.requestsPerPage.knots[1].probability = 0.2 }),
        ("requestsPerPage", { $0.requestsPerPage.knots[1].value = .nan }),
        ("requestsPerPage", { $0.requestsPerPage.minimum = 0 }),
        ("requestsPerPage", { $0.requestsPerPage.minimum = 3_000 }),
        ("hostsPerPage", { $0.hostsPerPage.knots[0].value = -15 }),
        ("thirdPartyShare", { $0.thirdPartyShare.maximum = 1.5 }),
        ("repeatedObjectShare", { $0.repeatedObjectShare = 1.01 }),
        ("sharedObjectShare", { $0.sharedObjectShare = -0.01 }),
        ("loadSeconds", { $0.loadSeconds.maximum = .infinity }),
        ("burstExponent", { $0.burstExponent = 0 }),
        ("firstObjectSeconds", { $0.firstObjectSeconds = 0 }),
        ("addressLength", { $0.addressLength.maximum = 1e12 }),
        ("queryLength", { $0.queryLength.minimum = 0 }),
        ("queryShare", { $0.queryShare = .nan }),
        ("queryShare", { $0.queryShare = 0.1 }),
        ("pathDepthWeights", { $0.pathDepthWeights = [] }),
        ("pathDepthWeights", { $0.pathDepthWeights = [0, 0] }),
        ("pathDepthWeights", { $0.pathDepthWeights = [1, -1] }),
        ("adHeavyPageShare", { $0.adHeavyPageShare = 2 }),
        ("adHeavyFreshShare", { $0.adHeavyFreshShare = -1 }),
        ("plainFreshShare", { $0.plainFreshShare = .infinity }),
        ("listed.visitShare", { $0.listed.visitShare = 1.5 }),
        ("listed.objectShare", { $0.listed.objectShare = .nan }),
        ("listed.exponent", { $0.listed.exponent = 0 }),
        ("listed.wwwShare", { $0.listed.wwwShare = -0.5 }),
    ]

    @Test(arguments: badParameters.indices)
    func anUnusableWebIsRefusedByName(index: Int) throws {
        let (setting, change) = Self.badParameters[index]
        var parameters = WebParameters()
        change(&parameters)
        let error = try #require(throws: BrowsingError.self) { try SyntheticWeb(parameters, seed: 1) }
        #expect(error.description.hasPrefix(setting), "\(error)")
    }

    private static let badProfiles: [(setting: String, change: @Sendable (inout BrowsingProfile) -> Void)] = [
        ("visitsPerActiveDay", { $0.visitsPerActiveDay = .exponential(mean: -1) }),
        ("maximumVisitsPerDay", { $0.maximumVisitsPerDay = 0 }),
        ("maximumVisitsPerDay", { $0.maximumVisitsPerDay = 70_000 }),
        ("sessionsPerActiveDay", { $0.sessionsPerActiveDay = 0 }),
        ("sessionsPerActiveDay", { $0.sessionsPerActiveDay = .nan }),
        ("thinkSeconds", { $0.thinkSeconds = .lognormal(mu: .nan, sigma: 1) }),
        ("thinkCutSeconds", { $0.thinkSeconds = .constant(5_000) }),
        ("thinkCutSeconds", { $0.thinkSeconds = .constant(-1) }),
        ("thinkCutSeconds", { $0.thinkCutSeconds = -1 }),
        ("activeDayShare", { $0.activeDayShare = 0 }),
        ("hourWeights", { $0.hourWeights = [1] }),
        ("hourWeights", { $0.hourWeights = Array(repeating: 0, count: 24) }),
        ("hourWeights", { $0.hourWeights[3] = -1 }),
        ("weekdayWeights", { $0.weekdayWeights[0] = .nan }),
        ("weekdayWeights", { $0.weekdayWeights.append(1) }),
        ("timeZoneOffsetSeconds", { $0.timeZoneOffsetSeconds = 100_000 }),
        ("weekdayOfDayZero", { $0.weekdayOfDayZero = 7 }),
        ("siteRevisitShare", { $0.siteRevisitShare = 1.2 }),
        ("pageRevisitShare", { $0.pageRevisitShare = 0.9 }),
        ("favouriteShare", { $0.favouriteShare = -0.1 }),
        ("favouriteCount", { $0.favouriteCount = 0 }),
    ]

    @Test(arguments: badProfiles.indices)
    func anUnusableProfileIsRefusedByName(index: Int) throws {
        let (setting, change) = Self.badProfiles[index]
        var profile = BrowsingProfile.adult
        change(&profile)
        let error = try #require(throws: BrowsingError.self) { try BrowsingHabits(profile) }
        #expect(error.description.hasPrefix(setting), "\(error)")
    }

    @Test func theMessageNamesTheValueAndTheRange() {
        let error = BrowsingError.outOfRange(setting: "siteCount", value: 0, allowed: "in 1...16777216")
        #expect(error.description == "siteCount is 0.0; it must be in 1...16777216")
    }

    @Test(arguments: ["", "a b", "a\nb", "a\u{7F}"])
    func anUnusableEntryIsRefused(text: String) {
        #expect(throws: BrowsingError.self) { try TextTable(name: "entries", ["good.test", text]) }
    }

    @Test(arguments: ["a/b", "a?b", "a#b", "user@host", "münchen.test", String(repeating: "a", count: 254)])
    func whatIsNotAHostIsRefusedAsASite(text: String) throws {
        var hosts = WebHosts()
        hosts.sites = try TextTable(name: "sites", ["good.test", text])
        let error = try #require(throws: BrowsingError.self) {
            try SyntheticWeb(WebParameters(), seed: 1, hosts: hosts)
        }
        guard case .unusableText("sites", 1, _) = error else {
            Issue.record("\(error)")
            return
        }
    }

    /// Entries of arbitrary bytes come from files; whatever they hold, pages
    /// can be made and URLs start with what the entry says.
    @Test func arbitraryEntriesMakeURLs() throws {
        var stream = RandomStream(seed: 4, replication: 0, entity: 0, purpose: StreamPurpose("entries"))
        let alphabet = Array("a./?#:@[]%wW1-_~\u{E9}".utf8)
        var entries = TextTable(name: "entries")
        for _ in 0..<500 {
            try entries.append(
                (0...stream.index(below: 12)).map { _ in alphabet[stream.index(below: alphabet.count)] })
        }
        let web = try SyntheticWeb(WebParameters(), seed: 1, entries: entries)
        for index in 0..<entries.count {
            let site = SiteNumber.listed(index)
            let page = web.page(site: site, page: web.pageCount(of: site) - 1)
            for object in page.objects.prefix(20) {
                var bytes: [UInt8] = []
                web.appendURL(of: object, token: 1, to: &bytes)
                #expect(!bytes.isEmpty)
                if object.isMain { #expect(bytes.contains(entries[index])) }
            }
        }
    }

    @Test func everySettingHasASource() {
        for profile in BrowsingProfile.presets {
            #expect(profile.sources.count == 15)
            #expect(profile.sources.allSatisfy { isSource($0.source) }, "\(profile.sources)")
        }
        let sources = WebParameters().sources
        #expect(sources.allSatisfy { isSource($0.source) })
        #expect(Set(sources.map(\.key)).count == sources.count)
    }

    @Test func aChangedValueIsNotVouchedForByTheSourceOfTheDefault() throws {
        var profile = BrowsingProfile.schoolDay
        profile.sessionsPerActiveDay = 5
        let sessions = try #require(profile.sources.first { $0.key == "sessionsPerActiveDay" })
        #expect(sessions.source == "set by the scenario" && sessions.value == "5.0")
        var parameters = WebParameters()
        parameters.siteCount = 10
        parameters.listed = ListedTraffic(visitShare: 0.5, objectShare: 0)
        let changed = parameters.sources.filter { $0.source == "set by the scenario" }.map(\.key)
        #expect(changed == ["siteCount", "listed"])
    }

    private func isSource(_ text: String) -> Bool {
        text.hasPrefix("article") || text.hasPrefix("assumption: ")
    }
}
