import EventSimulation
import RandomStreams
import Workload

/// The browsing of some devices of one group, from window to window.
///
/// Nothing that browsing does depends on what becomes of its lookups, so units run ahead of the servers and beside
/// each other. 60 bytes per device at rest, and 64 more while a device knows the sites of its last hour.
struct BrowsingUnit: Sendable {
    let firstDevice: Int
    let deviceCount: Int
    private let group: BrowsingGroup

    /// A page that a device of the unit opens, and when.
    private struct Opened {
        let visit: Visit
        let device: Int
        /// Universal, nanoseconds.
        let time: Int64
    }

    /// Universal time of the next visit, nanoseconds; `.max` for never.
    private var nextVisits: [Int64] = []
    private var browsers: [Browser.Rest] = []
    private var browsingPositions: [UInt32] = []
    /// Strings with a fresh token that will miss before the next one hits.
    private var freshMisses: [Int64] = []
    private var freshPositions: [UInt32] = []
    /// Place of the sites of the last hour, plus 1; 0 for none.
    private var historyPlaces: [UInt32] = []
    private var histories: [Browser.History] = []
    private var freeHistories: [UInt32] = []
    /// Empty when every device had its prefilter from the start.
    private var hasPrefilter: [Bool] = []

    init(
        firstDevice: Int, deviceCount: Int, group: BrowsingGroup, startsCold: Bool
    ) {
        self.firstDevice = firstDevice
        self.deviceCount = deviceCount
        self.group = group
        if startsCold { hasPrefilter = Array(repeating: false, count: deviceCount) }
    }

    mutating func noteReady(_ device: UInt32) {
        if !hasPrefilter.isEmpty { hasPrefilter[Int(device) - firstDevice] = true }
    }

    /// All loads that begin before `end`, by device.
    mutating func generate(until end: Int64, lens: inout PageLens, counts: inout LoadCounts) -> WindowLoads {
        if nextVisits.isEmpty { start() }
        var output = WindowLoads()
        for device in 0..<deviceCount {
            while nextVisits[device] < end { visit(device, lens: &lens, counts: &counts, to: &output) }
        }
        return output
    }

    private mutating func start() {
        nextVisits.reserveCapacity(deviceCount)
        historyPlaces = Array(repeating: 0, count: deviceCount)
        for device in 0..<deviceCount {
            let number = firstDevice + device
            var stream = group.stream(number, .browsing, 0)
            var browser = Browser(using: &stream)
            // The same person, whose days before the start leave the draws of the run alone.
            if group.past > 0 { stream = group.stream(number, group.browsing, 0) }
            let begin = group.settings.activation(of: number, group.usage)
            let time = browser.nextVisitTime(
                after: group.local(begin, number), habits: group.habits, stream: &stream)
            browsers.append(browser.rest)
            browsingPositions.append(UInt32(truncatingIfNeeded: stream.position))
            nextVisits.append(group.universal(time, number))
            var fresh = group.stream(number, group.freshHits, 0)
            freshMisses.append(Int64(group.strayHits.sample(using: &fresh)))
            freshPositions.append(UInt32(truncatingIfNeeded: fresh.position))
        }
    }

    private mutating func visit(
        _ device: Int, lens: inout PageLens, counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        let time = nextVisits[device]
        var stream = group.stream(firstDevice + device, group.browsing, browsingPositions[device])
        let place = historyPlaces[device]
        var browser = Browser(browsers[device], history: place > 0 ? histories[Int(place - 1)] : nil)
        let local = group.local(time, firstDevice + device)
        let visit = browser.open(at: local, habits: group.habits, web: group.web, stream: &stream)
        let participation = group.participation(firstDevice + device, at: time)
        let opened = Opened(visit: visit, device: device, time: time)
        if participation == .honours {
            load(opened, lens: &lens, counts: &counts, to: &output)
        } else {
            pass(opened, participation, lens: &lens, counts: &counts, to: &output)
        }
        let next = browser.nextVisitTime(after: local, habits: group.habits, stream: &stream)
        nextVisits[device] = group.universal(next, firstDevice + device)
        browsers[device] = browser.rest
        browsingPositions[device] = UInt32(truncatingIfNeeded: stream.position)
        let isRemembered = next.map { browser.rest.remembersSites(at: $0) } ?? false
        keep(isRemembered ? browser.history : nil, device: device)
    }

    /// Only a device that goes on within the hour needs its history.
    private mutating func keep(_ history: Browser.History?, device: Int) {
        let place = historyPlaces[device]
        guard let history else {
            if place > 0 { freeHistories.append(place) }
            historyPlaces[device] = 0
            return
        }
        if place > 0 {
            histories[Int(place - 1)] = history
        } else if let free = freeHistories.popLast() {
            histories[Int(free - 1)] = history
            historyPlaces[device] = free
        } else {
            histories.append(history)
            historyPlaces[device] = UInt32(histories.count)
        }
    }

    /// Whether a URL without a hit is allowed without further ado.
    private func isReady(_ device: Int, at time: Int64) -> Bool {
        (hasPrefilter.isEmpty || hasPrefilter[device])
            && !group.settings.blind.contains(time, device: firstDevice + device)
    }

    /// A load none of whose strings hits.
    private mutating func loadQuietly(
        _ page: PageDigest, device: Int, at time: Int64, counts: inout LoadCounts,
        to output: inout WindowLoads
    ) {
        freshMisses[device] -= Int64(page.freshStringCount)
        counts.count(page.objectCount, inInterval: Int(time / group.settings.interval))
        let isReady = isReady(device, at: time)
        if group.settings.counts(time) {
            counts.countBrowsed(page.objectCount)
            counts.urls.strings += page.stringCount
            if isReady { counts.urls.allowedByPrefilter += page.objectCount }
        }
        guard !isReady else { return }
        output.loads.append(
            .init(
                time: time, device: UInt32(firstDevice + device), firstHit: UInt32(output.hits.count),
                hitCount: 0, misses: UInt32(page.objectCount)))
    }

    /// A load about which the filter decides nothing. Only its listed URLs are passed on.
    private mutating func pass(
        _ opened: Opened, _ participation: Participation, lens: inout PageLens, counts: inout LoadCounts,
        to output: inout WindowLoads
    ) {
        let (visit, time) = (opened.visit, opened.time)
        if let page = lens.quietDigest(site: visit.site, page: visit.page) {
            counts.count(page.objectCount, inInterval: Int(time / group.settings.interval))
            guard group.settings.counts(time) else { return }
            counts.countBrowsed(page.objectCount)
            return counts.countNotAsked(page.objectCount, participation)
        }
        let page = lens.record(site: visit.site, page: visit.page)
        let parsed = page.objectCount - page.unparseableCount
        counts.count(parsed, inInterval: Int(time / group.settings.interval))
        let firstHit = output.hits.count
        append(page, to: &output) { hit in
            hit.isMeant || page.keys(of: hit).contains(where: \.isListed)
        }
        let listed = output.hits.count - firstHit
        if group.settings.counts(time) {
            counts.countBrowsed(parsed, unparseable: page.unparseableCount)
            counts.countNotAsked(parsed - listed, participation)
        }
        guard listed > 0 else { return }
        output.loads.append(
            .init(
                time: time, device: UInt32(firstDevice + opened.device), firstHit: UInt32(firstHit),
                hitCount: UInt32(listed), misses: 0, participation: participation))
    }

    /// Counts the URLs of a page in bulk; only those that hit are passed on.
    private mutating func load(
        _ opened: Opened, lens: inout PageLens, counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        let (visit, device, time) = (opened.visit, opened.device, opened.time)
        if group.settings.treatment == .bulk, let page = lens.quietDigest(site: visit.site, page: visit.page),
            freshMisses[device] >= Int64(page.freshStringCount)
        {
            return loadQuietly(page, device: device, at: time, counts: &counts, to: &output)
        }
        let page = lens.record(site: visit.site, page: visit.page)
        let parsed = page.objectCount - page.unparseableCount
        counts.count(parsed, inInterval: Int(time / group.settings.interval))
        let firstHit = output.hits.count
        append(page, to: &output)
        switch group.settings.treatment {
        case .bulk: addStrayHits(of: page, device: device, since: firstHit, to: &output)
        case .tested:
            testFreshURLs(of: page, visit: visit, device: device, since: firstHit, lens: &lens, to: &output)
        }
        let hitCount = output.hits.count - firstHit
        let isReady = isReady(device, at: time)
        if group.settings.counts(time) {
            counts.countBrowsed(parsed, unparseable: page.unparseableCount)
            counts.urls.strings += page.stringCount
            if isReady { counts.urls.allowedByPrefilter += parsed - hitCount }
        }
        guard hitCount > 0 || !isReady else { return }
        output.loads.append(
            .init(
                time: time, device: UInt32(firstDevice + device), firstHit: UInt32(firstHit),
                hitCount: UInt32(hitCount), misses: isReady ? 0 : UInt32(parsed - hitCount)))
    }

    /// - Parameter isWanted: Whether a URL is passed on.
    private func append(
        _ page: PageRecord, to output: inout WindowLoads,
        where isWanted: (PageRecord.ObjectHits) -> Bool = { _ in true }
    ) {
        let firstKey = UInt32(output.keys.count)
        for hit in page.hits where isWanted(hit) {
            output.hits.append(
                .init(
                    offset: hit.offset, firstKey: firstKey + hit.firstKey, keyCount: hit.keyCount,
                    blocks: hit.blocks, isMeant: hit.isMeant))
        }
        output.keys.append(contentsOf: page.keys)
    }

    /// Draws which of the page's strings with a fresh token hit, by the distance from hit to hit.
    private mutating func addStrayHits(
        of page: PageRecord, device: Int, since firstHit: Int, to output: inout WindowLoads
    ) {
        var remaining = Int64(page.freshStringCount)
        guard freshMisses[device] < remaining else {
            freshMisses[device] -= remaining
            return
        }
        var stream = group.stream(firstDevice + device, group.freshHits, freshPositions[device])
        var position = 0
        while freshMisses[device] < remaining {
            position += Int(freshMisses[device])
            remaining -= freshMisses[device] + 1
            let object = page.object(ofFreshString: position)
            position += 1
            freshMisses[device] = Int64(group.strayHits.sample(using: &stream))
            let key = HitKey(digest: stream.next(), isListed: false)
            let outcome = URLOutcome(stringCount: 1, keys: [key])
            add(outcome, toObjectAt: page.timing.offset(ofObject: object), since: firstHit, to: &output)
        }
        freshMisses[device] -= remaining
        freshPositions[device] = UInt32(truncatingIfNeeded: stream.position)
    }

    /// Adds what is known of the object that starts at this offset. Two objects of a page start at the same nanosecond
    /// with a probability that no run notices.
    private func add(
        _ outcome: URLOutcome, toObjectAt offset: Int64, since firstHit: Int, to output: inout WindowLoads
    ) {
        var place = firstHit
        while place < output.hits.count, output.hits[place].offset < offset { place += 1 }
        var hit = WindowLoads.Hit(
            offset: offset, firstKey: UInt32(output.keys.count), keyCount: UInt16(outcome.keys.count),
            blocks: false, isMeant: outcome.isMeant)
        if place < output.hits.count, output.hits[place].offset == offset {
            let known = output.hits[place]
            let first = Int(known.firstKey)
            for index in first..<(first + Int(known.keyCount)) { output.keys.append(output.keys[index]) }
            hit.keyCount += known.keyCount
            hit.blocks = known.blocks
            if known.isMeant { hit.isMeant = true }
            output.hits[place] = hit
        } else {
            output.hits.insert(hit, at: place)
        }
        output.keys.append(contentsOf: outcome.keys)
    }

    /// Makes the URLs of this load and tests them, unchanging strings included.
    private mutating func testFreshURLs(
        of page: PageRecord, visit: Visit, device: Int, since firstHit: Int, lens: inout PageLens,
        to output: inout WindowLoads
    ) {
        guard !page.fresh.isEmpty else { return }
        var stream = group.stream(firstDevice + device, group.freshHits, freshPositions[device])
        lens.outline(site: visit.site, page: visit.page)
        for fresh in page.fresh {
            let object = lens.outline.object(at: fresh.object)
            let offset = page.timing.offset(ofObject: fresh.object)
            let tested = lens.outcome(of: object, token: stream.next())
            if let known = output.hits[firstHit...].firstIndex(where: { $0.offset == offset }) {
                output.hits.remove(at: known)
            }
            if tested.goesOn { add(tested, toObjectAt: offset, since: firstHit, to: &output) }
        }
        freshPositions[device] = UInt32(truncatingIfNeeded: stream.position)
    }
}
