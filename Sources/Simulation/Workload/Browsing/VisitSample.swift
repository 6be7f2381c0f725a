import RandomStreams

/// The visit part of a ``BrowsingSummary``.
struct VisitSample {
    private var visits = 0
    private var listed = 0
    private var siteRevisits = [0, 0, 0]
    private var pageRevisits = [0, 0, 0]
    private var hours = Array(repeating: 0, count: 24)
    private var weekdays = Array(repeating: 0, count: 7)
    private var gaps: [Double] = []
    private var dayVisits: [Double] = []
    private var daySessions: [Double] = []
    private var daySites: [Double] = []
    private var dayPages: [Double] = []
    private var sessionVisits: [Double] = []
    private var siteCounts: [SiteNumber: Int] = [:]
    private var possibleDays = 0

    /// Sites and pages that one device has seen, to tell revisits. A listed page counts like any other.
    private struct Memory {
        var sites: [SiteNumber: Int64] = [:]
        var pages: [UInt64: Int64] = [:]
        var daySites: Set<SiteNumber> = []
        var dayPages: Set<UInt64> = []
        var day = Int64.min
        var visits = 0
        var sessions = 0
        var sessionVisits = 0
        var last = Int64.min
    }

    mutating func collect(
        web: SyntheticWeb, habits: BrowsingHabits, days: Int, stream: inout RandomStream
    ) {
        let end = Int64(days) * BrowsingHabits.nanosecondsPerDay
        var browser = Browser(using: &stream)
        var memory = Memory()
        var now: Int64 = 0
        while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream),
            visit.time < end
        {
            now = visit.time
            add(visit, habits: habits, &memory)
        }
        closeDay(&memory)
        if memory.sessionVisits > 0 { sessionVisits.append(Double(memory.sessionVisits)) }
        possibleDays += (0..<Int64(days)).count { habits.factor(ofDay: $0) > 0 }
    }

    private mutating func add(_ visit: Visit, habits: BrowsingHabits, _ memory: inout Memory) {
        let day = BrowsingHabits.day(of: visit.time)
        if day != memory.day {
            closeDay(&memory)
            memory.day = day
        }
        let isFirst = memory.last == .min
        let gap = isFirst ? 0 : Double(visit.time - memory.last) / 1e9
        if isFirst || gap > habits.profile.thinkCutSeconds {
            if memory.sessionVisits > 0 { sessionVisits.append(Double(memory.sessionVisits)) }
            memory.sessions += 1
            memory.sessionVisits = 0
        } else {
            gaps.append(gap)
        }
        memory.sessionVisits += 1
        memory.visits += 1
        memory.last = visit.time
        visits += 1
        if visit.isListed { listed += 1 }
        hours[
            Int((visit.time - day * BrowsingHabits.nanosecondsPerDay) / BrowsingHabits.nanosecondsPerHour)] +=
            1
        weekdays[Int((day + Int64(habits.profile.weekdayOfDayZero)) % 7)] += 1
        siteCounts[visit.site, default: 0] += 1
        let page = UInt64(visit.site.rawValue) << 16 | UInt64(visit.page)
        count(
            visit.time - (memory.sites.updateValue(visit.time, forKey: visit.site) ?? .min / 2), &siteRevisits
        )
        count(visit.time - (memory.pages.updateValue(visit.time, forKey: page) ?? .min / 2), &pageRevisits)
        memory.daySites.insert(visit.site)
        memory.dayPages.insert(page)
    }

    /// Revisits within an hour, a day, ever.
    private func count(_ age: Int64, _ counts: inout [Int]) {
        if age <= BrowsingHabits.nanosecondsPerHour { counts[0] += 1 }
        if age <= BrowsingHabits.nanosecondsPerDay { counts[1] += 1 }
        if age < .max / 4 { counts[2] += 1 }
    }

    private mutating func closeDay(_ memory: inout Memory) {
        guard memory.visits > 0 else { return }
        dayVisits.append(Double(memory.visits))
        daySessions.append(Double(memory.sessions))
        daySites.append(Double(memory.daySites.count))
        dayPages.append(Double(memory.dayPages.count))
        memory.visits = 0
        memory.sessions = 0
        memory.daySites.removeAll(keepingCapacity: true)
        memory.dayPages.removeAll(keepingCapacity: true)
    }

    func rows(_ web: SyntheticWeb, _ habits: BrowsingHabits) -> [BrowsingSummary.Row] {
        let profile = habits.profile
        let total = Double(visits)
        let sortedDays = dayVisits.sorted()
        let sortedGaps = gaps.sorted()
        let sortedSessions = sessionVisits.sorted()
        let quantile = BrowsingSummary.quantile
        var rows: [BrowsingSummary.Row] = []
        func row(_ name: String, _ target: Double?, _ observed: Double) {
            rows.append(.init(name: name, target: target, observed: observed))
        }
        row(
            "active day share", profile.activeDayShare, Double(dayVisits.count) / Double(max(possibleDays, 1))
        )
        row("visits per active day p50", nil, quantile(sortedDays, 0.5))
        row("visits per active day p95", nil, quantile(sortedDays, 0.95))
        row("visits per active day mean", nil, BrowsingSummary.mean(dayVisits))
        row("sessions per active day mean", profile.sessionsPerActiveDay, BrowsingSummary.mean(daySessions))
        row("visits per session p50", nil, quantile(sortedSessions, 0.5))
        row("visits per session p95", nil, quantile(sortedSessions, 0.95))
        row("think seconds p25", nil, quantile(sortedGaps, 0.25))
        row("think seconds p50", nil, quantile(sortedGaps, 0.5))
        row("think seconds p75", nil, quantile(sortedGaps, 0.75))
        row("think seconds mean", nil, BrowsingSummary.mean(gaps))
        for (index, name) in ["an hour", "a day", "ever"].enumerated() {
            let targets = index == 0 ? (profile.siteRevisitShare, profile.pageRevisitShare) : nil
            row("site revisits within \(name)", targets?.0, Double(siteRevisits[index]) / total)
            row("page revisits within \(name)", targets?.1, Double(pageRevisits[index]) / total)
        }
        row("sites per active day p50", nil, quantile(daySites.sorted(), 0.5))
        row("pages per active day p50", nil, quantile(dayPages.sorted(), 0.5))
        row("hours: total variation", 0, Self.distance(hours, profile.hourWeights))
        row("weekdays: total variation", 0, Self.distance(weekdays, profile.weekdayWeights))
        let counts = siteCounts.filter { !$0.key.isListed }.map(\.value)
        row(
            "site exponent", web.parameters.siteExponent,
            BrowsingSummary.exponent(of: counts, ranks: 1..<1_001))
        row("listed visit share", web.listedVisitShare, Double(listed) / total)
        return rows
    }

    /// Share of the visits that would have to move to make the shapes equal.
    private static func distance(_ counts: [Int], _ weights: [Double]) -> Double {
        let (total, sum) = (Double(counts.reduce(0, +)), weights.reduce(0, +))
        return zip(counts, weights).reduce(0) { $0 + abs(Double($1.0) / total - $1.1 / sum) } / 2
    }
}
