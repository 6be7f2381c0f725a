import EventSimulation
import RandomStreams

/// What a mechanism adds to pages, servers and lines: from the mean page, and for times from draws of the delays.
extension MechanismModel {
    /// Pages whose added time is drawn: p99 has 20 above it.
    private static let sampleCount = 2_000

    func addCosts(to record: inout ReplicationRecord, traffic: [EndpointTraffic], in world: World) {
        let urls = record.urls
        let seen = urls.checked - (urls.notAsked?.count ?? 0)
        let share = urls.checked > 0 ? Double(seen) / Double(urls.checked) : 0
        let page = mechanism.path.page
        let pages = record.pageLoads > 0 ? Double(record.pageLoads) * share : Double(seen) / page.requests
        let points = record.series.points
        let all = points.reduce(0) { $0 + $1.urls }
        let busiest = Double(points.map(\.urls).max() ?? 0) / Double(max(all, 1))
        let interval = record.series.interval.seconds
        let blockedPages = record.operations.blockedPages
        record.operations = OperationsRecord(
            pages: pages, page, mechanism.costs, busiest: (busiest, min(interval, record.observedSeconds)))
        let isSimulated = mechanism.question != nil
        if isSimulated { record.operations = OperationsRecord(of: record) }
        add(isSimulated ? 0 : record.urlFilter.prefilter.bytes, traffic, to: &record.operations)
        record.operations.blockedPages = blockedPages
        record.operations.accessRequests = mechanism.requestShare.map { $0 * Double(blockedPages) }
        // A party that is only asked reads nothing of what is not asked.
        let read = isSimulated ? traffic.reduce(0) { $0 + $1.requests } : seen
        for (part, data) in mechanism.readers {
            for datum in data { record.operations.readings[part, default: [:]][datum] = read }
        }
        if mechanism.question == nil { addTimes(to: &record, coveredShare: share, in: world) }
    }

    /// The list that devices fetch, and questions.
    private func add(_ listBytes: Int, _ traffic: [EndpointTraffic], to operations: inout OperationsRecord) {
        let (up, down) = (
            traffic.reduce(0) { $0 + $1.requestBytes }, traffic.reduce(0) { $0 + $1.responseBytes }
        )
        operations.ingressBytes += Double(up)
        operations.egressBytes += Double(down + listBytes)
        operations.deviceBytes += Double(up + down + listBytes)
    }

    /// - Parameter share: Of pages whose way goes through the mechanism.
    private func addTimes(to record: inout ReplicationRecord, coveredShare share: Double, in world: World) {
        let configuration = world.configuration
        record.pageTimes = PageTimes()
        record.pageTimes.pages = Self.sampleCount
        let samplers = configuration.groups.map {
            PathSampler(path: mechanism.path, access: $0.access.oneWayDelay)
        }
        let count = max(configuration.deviceCount, 1)
        for number in 0..<Self.sampleCount {
            var stream = RandomStream(
                seed: configuration.seed, replication: world.replication, entity: UInt32(number),
                purpose: .pageTimes)
            let device = Int((Double(number) + 0.5) / Double(Self.sampleCount) * Double(count))
            let isCovered = stream.uniform() < share
            let group = world.group(of: min(device, count - 1))
            let added = samplers[group].addedTime(using: &stream)
            if isCovered, added > 0 { record.pageTimes.added.record(.seconds(added)) }
            guard configuration.groups[group].usage.handOversPerDay > 0 else { continue }
            record.handOverTimes.record(.seconds(samplers[group].setUpTime(using: &stream)))
        }
    }
}

extension StreamPurpose {
    static let pageTimes = StreamPurpose("page times")
}
