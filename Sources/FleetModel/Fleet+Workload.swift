import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// Where URL checks come from: synthetic browsing and replayed traces.
extension Fleet {
    mutating func startBrowsing(
        _ device: Int, _ workload: GroupWorkload, _ agenda: inout Agenda<FleetEvent>
    ) {
        guard case .synthetic(let web, let habits) = workload else {
            browsing.append(nil)
            return
        }
        var stream = RandomStream(
            seed: configuration.seed, replication: replication, entity: UInt32(device), purpose: .browsing)
        let browser = Browser(using: &stream)
        var state = BrowsingState(browser: browser, stream: stream, next: nil)
        state.next = state.browser.nextVisit(
            after: habits.localTime(universal: 0), habits: habits, web: web, stream: &state.stream)
        browsing.append(state)
        scheduleVisit(device, habits, &agenda)
    }

    private func scheduleVisit(
        _ device: Int, _ habits: BrowsingHabits, _ agenda: inout Agenda<FleetEvent>
    ) {
        guard let visit = browsing[device]?.next else { return }
        let time = SimulatedTime(nanoseconds: habits.universalTime(local: visit.time))
        if isOpen(time) { agenda.schedule(.visit(device: UInt32(device)), at: time) }
    }

    mutating func visit(_ device: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) throws {
        guard case .synthetic(let web, let habits) = configuration.groups[devices[device].group].workload,
            var state = browsing[device], let visit = state.next
        else { return }
        load(visit, web: web, device: device, at: now, &agenda)
        state.next = state.browser.nextVisit(
            after: visit.time, habits: habits, web: web, stream: &state.stream)
        browsing[device] = state
        scheduleVisit(device, habits, &agenda)
    }

    /// Counts the URLs of a page in bulk; only those that hit become events.
    private mutating func load(
        _ visit: Visit, web: SyntheticWeb, device: Int, at now: SimulatedTime,
        _ agenda: inout Agenda<FleetEvent>
    ) {
        let catalog = catalogs[devices[device].group]
        let outcome = catalog.outcome(
            ofPage: visit.page, site: visit.site, web: web, template: &template, buffer: &buffer)
        let counted = counts(now)
        let parsed = outcome.objectCount - outcome.unparseableCount
        record.series.update(at: now) { $0.urls += parsed }
        if counted {
            record.urls.checked += parsed
            record.urls.unparseable += outcome.unparseableCount
            record.urls.strings += outcome.stringCount
        }
        var hits = outcome.hits
        switch configuration.freshURLs {
        case .bulk: addStrayHits(of: outcome, device: device, to: &hits)
        case .tested: testFreshURLs(of: outcome, visit: visit, web: web, device: device, hits: &hits)
        }
        for hit in hits {
            let check = checks.insert(PendingCheck(device: device, hits: hit.hits, counted: counted))
            agenda.schedule(.check(UInt32(check)), after: SimulatedDuration(nanoseconds: hit.offset))
        }
        countMisses(parsed - hits.count, device: device, counted: counted, at: now)
    }

    /// URLs without a hit: allowed on the device, or left to the policy while there is no prefilter.
    mutating func countMisses(_ count: Int, device: Int, counted: Bool, at time: SimulatedTime) {
        guard count > 0 else { return }
        if devices[device].edition > 0 {
            if counted { record.urls.allowedByPrefilter += count }
            return
        }
        let verdict = Verdict(noAnswerUnder: configuration.policy)
        // A URL that hits nothing is on no list.
        if verdict.blocks { record.series.update(at: time) { $0.falselyBlocked += count } }
        guard counted else { return }
        record.urls.count(verdict, cause: .notReady, times: count)
        if verdict.blocks { record.urls.falselyBlocked += count }
    }

    /// Draws which of the page's strings with a fresh token hit, by the distance from hit to hit.
    private mutating func addStrayHits(
        of outcome: PageOutcome, device: Int, to hits: inout [PageOutcome.ObjectHits]
    ) {
        var remaining = outcome.freshStringCount
        var position = 0
        while devices[device].freshMisses < remaining {
            position += devices[device].freshMisses
            remaining -= devices[device].freshMisses + 1
            let index = position
            position += 1
            devices[device].freshMisses =
                catalogs[devices[device].group].strayHits.sample(using: &devices[device].freshness)
            var first = 0
            guard
                let object = outcome.fresh.first(where: { object in
                    first += Int(object.stringCount)
                    return index < first
                })
            else { preconditionFailure("a page's fresh strings belong to its fresh objects") }
            add(devices[device].freshness.next(), to: Int(object.object), offset: object.offset, in: &hits)
        }
        devices[device].freshMisses -= remaining
    }

    private func add(
        _ key: UInt64, to object: Int, offset: Int64, in hits: inout [PageOutcome.ObjectHits]
    ) {
        if let index = hits.firstIndex(where: { $0.object == object }) {
            hits[index].hits.keys.append(key)
            hits[index].hits.listed.append(false)
        } else {
            hits.append(.init(object: object, offset: offset, hits: HitSet(keys: [key], listed: [false])))
        }
    }

    /// Makes the URLs of this load and tests them, unchanging strings included.
    private mutating func testFreshURLs(
        of outcome: PageOutcome, visit: Visit, web: SyntheticWeb, device: Int,
        hits: inout [PageOutcome.ObjectHits]
    ) {
        guard !outcome.fresh.isEmpty else { return }
        let catalog = catalogs[devices[device].group]
        web.fill(&template, site: visit.site, page: visit.page)
        var url: [UInt8] = []
        for fresh in outcome.fresh {
            let object = template.objects[Int(fresh.object)]
            url.removeAll(keepingCapacity: true)
            web.appendURL(of: object, token: devices[device].freshness.next(), to: &url)
            let tested = catalog.test(url, buffer: &buffer)
            hits.removeAll { $0.object == Int(fresh.object) }
            if !tested.hits.isEmpty {
                hits.append(.init(object: Int(fresh.object), offset: object.offset, hits: tested.hits))
            }
        }
    }
}
