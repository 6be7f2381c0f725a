import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// Loads of some devices of a group beside their browsing: the URLs of crowds, requests of apps in the background, and
/// lookups of devices whose browsing nobody knows.
struct SideLoads {
    private let firstDevice: Int
    private let deviceCount: Int
    private let usage: DeviceUsage
    private let settings: LoadSettings
    private let catalog: URLCatalog
    private var crowds: [OpenCrowd]
    private var lookups: LookupLoads?
    /// Time when each device makes its next background request, nanoseconds; empty without any.
    private var nextRequests: [Int64] = []
    /// Numbers drawn so far for each device's background requests.
    private var positions: [UInt32] = []
    /// Empty when every device had its prefilter from the start.
    private var hasPrefilter: [Bool] = []
    private var isOpen = false
    private var buffer = LookupStringBuffer()

    /// A crowd with its members among these devices, by time.
    private struct OpenCrowd {
        let number: Int
        let crowd: Crowd
        let isPage: Bool
        var members: [(time: Int64, device: Int)] = []
        var next = 0
    }

    /// One URL of one device.
    private struct Request {
        let device: Int
        let time: Int64
        /// The URL that the user asked for, and the page is nothing else.
        let isPage: Bool
        let participation: Participation
    }

    /// - Returns: `nil` for devices that load nothing besides their workload.
    init?(
        _ configuration: FleetConfiguration, group number: Int, firstDevice: Int, deviceCount: Int,
        settings: LoadSettings, catalog: URLCatalog
    ) {
        let group = configuration.groups[number]
        let isBrowsing = if case .synthetic = group.workload { true } else { false }
        crowds = configuration.crowds.enumerated().compactMap { place, crowd in
            guard crowd.group ?? group.name == group.name else { return nil }
            return OpenCrowd(number: place, crowd: crowd, isPage: isBrowsing)
        }
        if case .lookups(let traffic) = group.workload {
            lookups = LookupLoads(
                traffic, firstDevice: firstDevice, deviceCount: deviceCount, usage: group.usage,
                settings: settings, catalog: catalog, isNewEachRound: configuration.freshURLs == .bulk,
                isSteady: !configuration.startsCold(group))
        }
        guard !crowds.isEmpty || lookups != nil || group.usage.background != nil else { return nil }
        self.firstDevice = firstDevice
        self.deviceCount = deviceCount
        self.settings = settings
        self.catalog = catalog
        usage = group.usage
        if configuration.startsCold(group) {
            hasPrefilter = Array(repeating: false, count: deviceCount)
        }
    }

    mutating func noteReady(_ device: UInt32) {
        if !hasPrefilter.isEmpty { hasPrefilter[Int(device) - firstDevice] = true }
    }

    /// Adds the URLs of crowds that are opened before `end`.
    mutating func addCrowds(until end: Int64, counts: inout LoadCounts, to output: inout WindowLoads) {
        if !isOpen { open() }
        for place in crowds.indices { add(crowd: place, until: end, counts: &counts, to: &output) }
    }

    /// Adds the lookups that are made before `end`.
    mutating func addLookups(until end: Int64, counts: inout LoadCounts, to output: inout WindowLoads) {
        for moment in lookups?.take(until: end) ?? [] {
            guard let outcome = lookups?.outcome(of: moment.device) else { return }
            let request = Request(
                device: moment.device, time: moment.time, isPage: false,
                participation: settings.participation(moment.device, load: moment.time, usage))
            add(outcome, request, counts: &counts, to: &output)
        }
    }

    /// Adds the background requests that are made before `end`.
    ///
    /// - Parameter lens: Of the web that the devices browse.
    mutating func addBackground(
        until end: Int64, lens: inout PageLens, counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        if !isOpen { open() }
        guard let background = usage.background else { return }
        for place in nextRequests.indices {
            while nextRequests[place] < end {
                request(place, background, lens: &lens, counts: &counts, to: &output)
            }
        }
    }

    private mutating func open() {
        isOpen = true
        let devices = firstDevice..<(firstDevice + deviceCount)
        for place in crowds.indices {
            let crowd = crowds[place].crowd
            for device in devices {
                // Far more numbers for each crowd than a law takes.
                var stream = settings.stream(device, .crowd, UInt64(crowds[place].number) << 16)
                guard stream.uniform() < crowd.share else { continue }
                let delay = SimulatedDuration.seconds(crowd.delay.sample(using: &stream))
                let time = (crowd.begin + delay).nanoseconds
                guard time < settings.duration, time >= settings.activation(of: device, usage) else {
                    continue
                }
                crowds[place].members.append((time, device))
            }
            crowds[place].members.sort { ($0.time, $0.device) < ($1.time, $1.device) }
        }
        guard let background = usage.background else { return }
        for device in devices {
            var stream = settings.stream(device, .background)
            let start = settings.activation(of: device, usage)
            nextRequests.append(following(start, background, &stream))
            positions.append(UInt32(truncatingIfNeeded: stream.position))
        }
    }

    private mutating func add(
        crowd place: Int, until end: Int64, counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        guard crowds[place].next < crowds[place].members.count else { return }
        let url = Array(crowds[place].crowd.url.utf8)
        while crowds[place].next < crowds[place].members.count {
            let (time, device) = crowds[place].members[crowds[place].next]
            guard time < end else { return }
            crowds[place].next += 1
            // Visits have numbers from 0, background requests those below.
            let number = Int64.min + Int64(crowds[place].number)
            let request = Request(
                device: device, time: time, isPage: crowds[place].isPage,
                participation: settings.participation(device, load: number, usage))
            add(catalog.outcome(ofURL: url, buffer: &buffer), request, counts: &counts, to: &output)
        }
    }

    private mutating func request(
        _ place: Int, _ background: BackgroundRequests, lens: inout PageLens, counts: inout LoadCounts,
        to output: inout WindowLoads
    ) {
        let (device, time) = (firstDevice + place, nextRequests[place])
        var stream = settings.stream(device, .background, UInt64(positions[place]))
        if let outcome = lens.drawRequest(background, using: &stream) {
            let request = Request(
                device: device, time: time, isPage: false,
                participation: settings.participation(device, load: -1 - time, usage))
            add(outcome, request, counts: &counts, to: &output)
        }
        nextRequests[place] = following(time, background, &stream)
        positions[place] = UInt32(truncatingIfNeeded: stream.position)
    }

    /// Time when the request after one at `time` comes; `.max` for after the end.
    private func following(
        _ time: Int64, _ background: BackgroundRequests, _ stream: inout RandomStream
    ) -> Int64 {
        let gap = SimulatedDuration.seconds(stream.exponential(mean: 3600 / background.perHour))
        let next = time.addingReportingOverflow(max(gap.nanoseconds, 1))
        return !next.overflow && next.partialValue < settings.duration ? next.partialValue : .max
    }

    private func add(
        _ outcome: URLOutcome, _ request: Request, counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        let isCounted = settings.counts(request.time)
        guard outcome.stringCount > 0 else {
            if isCounted { counts.urls.unparseable += 1 }
            return
        }
        counts.count(1, inInterval: Int(request.time / settings.interval))
        let isReady = hasPrefilter.isEmpty || hasPrefilter[request.device - firstDevice]
        let isAsked = request.participation == .honours
        // Whether the URL of an app that does not ask is listed depends on the time.
        let goesOn =
            isAsked
            ? outcome.goesOn || !isReady : outcome.isNamed
        if isCounted {
            counts.urls.checked += 1
            if request.isPage { counts.countPage(of: 1) }
            if isAsked { counts.urls.strings += outcome.stringCount }
            if !goesOn, isAsked { counts.urls.allowedByPrefilter += 1 }
            if !goesOn, !isAsked { counts.countNotAsked(1, request.participation) }
        }
        guard goesOn else { return }
        output.append(outcome, at: request.time, device: request.device, request.participation)
    }
}

extension PageLens {
    /// The outcome of one background request; `nil` where the page has no object.
    fileprivate mutating func drawRequest(
        _ background: BackgroundRequests, using stream: inout RandomStream
    ) -> URLOutcome? {
        var site = web.chooseSite(using: &stream)
        let isListed = stream.uniform() < background.listedShare
        if isListed, let entry = web.chooseListedSite(using: &stream) { site = entry }
        let page = web.choosePage(of: site, using: &stream)
        outline(site: site, page: page)
        let index = stream.index(below: max(outline.objects.count, 1))
        guard index < outline.objects.count else { return nil }
        return outcome(of: outline.object(at: isListed ? 0 : index), token: stream.next())
    }
}
