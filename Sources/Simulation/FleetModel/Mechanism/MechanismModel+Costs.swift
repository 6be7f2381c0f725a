import Decoding
import EventSimulation
import RandomStreams

/// Costs that a mechanism adds to pages, servers and lines: from the mean page, and for times from draws of sizes and
/// delays.
extension MechanismModel {
    /// Pages whose added time is drawn: p99 has 20 above it.
    private static let sampleCount = 2_000

    func addCosts(to record: inout ReplicationRecord, traffic: [EndpointTraffic], in world: World) {
        let urls = record.urls
        let seen = urls.checked - (urls.notAsked?.count ?? 0)
        let share = urls.checked > 0 ? Double(seen) / Double(urls.checked) : 0
        let page = mechanism.path.page
        let pages = record.pageLoads > 0 ? Double(record.pageLoads) * share : Double(seen) / page.requests
        let configuration = world.configuration
        let shape = LoadShape(
            record.series, from: configuration.warmUp, observed: record.observedSeconds,
            hours: configuration.groups.first?.usage.coveredHours)
        let blockedPages = record.operations.blockedPages
        record.operations = OperationsRecord(
            pages: pages, page, mechanism.costs, busiest: (shape.busiest, shape.seconds))
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
        guard mechanism.question == nil else { return }
        let tunnels = mechanism.tunnel.map { TunnelUse($0, pages: pages, shape, configuration) }
        if let tunnels, let rules = mechanism.tunnel {
            record.operations.add(tunnels, rules, pages: pages, shape, page, mechanism.costs)
        }
        let queue = addServers(to: &record, pages: pages, shape, tunnels)
        addTimes(to: &record, coveredShare: share, shape, queue, tunnels, in: world)
        if let servers = record.servers, servers.unserved > 0 {
            // Of a trace, URLs.
            let count = record.pageLoads > 0 ? pages : Double(seen)
            record.breaks[.unserved, default: 0] += Int(
                saturating: (count * Double(servers.unserved) / Double(servers.pages)).rounded())
        }
    }

    /// - Parameters:
    ///   - pages: That go through the servers.
    ///   - tunnels: Whose handshakes they make.
    /// - Returns: `nil` for a mechanism without servers.
    private func addServers(
        to record: inout ReplicationRecord, pages: Double, _ shape: LoadShape, _ tunnels: TunnelUse?
    ) -> ServerQueue? {
        guard let servers = mechanism.servers else { return nil }
        let instances = servers.instances(for: record.operations.peakCores)
        let cores = instances * servers.cores
        let page = mechanism.path.page
        let (work, visits) = (
            pages * mechanism.costs.cpu(of: page), pages * mechanism.costs.workingVisits(of: page)
        )
        let handshakes = tunnels?.handshakes ?? shape.shares.map { _ in 0 }
        let each = mechanism.tunnel?.cpuPerHandshake ?? 0
        let queue = ServerQueue(
            work: zip(shape.shares, handshakes).map { $0 * work + $1 * each },
            visits: zip(shape.shares, handshakes).map { $0 * visits + (each > 0 ? $1 : 0) },
            seconds: shape.seconds, cores: cores, serviceVariability: servers.serviceVariability,
            patience: servers.patience.seconds)
        record.servers = ServersRecord(
            instances: instances, coresPerInstance: servers.cores,
            load: record.observedSeconds > 0
                ? record.operations.cpuSeconds / record.observedSeconds / Double(cores) : 0,
            peakLoad: queue.intervals.map(\.load).max() ?? 0)
        return queue
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
    private func addTimes(
        to record: inout ReplicationRecord, coveredShare share: Double, _ shape: LoadShape,
        _ queue: ServerQueue?, _ tunnels: TunnelUse?, in world: World
    ) {
        let configuration = world.configuration
        record.pageTimes = PageTimes()
        record.pageTimes.pages = Self.sampleCount
        let samplers = configuration.groups.map {
            PathSampler(path: mechanism.path, access: $0.access)
        }
        let count = max(configuration.deviceCount, 1)
        let sizes = PageSizes(world.loads.producer.counts())
        for number in 0..<Self.sampleCount {
            var stream = RandomStream(
                seed: configuration.seed, replication: world.replication, entity: UInt32(number),
                purpose: .pageTimes)
            let device = Int((Double(number) + 0.5) / Double(Self.sampleCount) * Double(count))
            let isCovered = stream.uniform() < share
            let group = world.group(of: min(device, count - 1))
            // Sizes, days and devices of their own, so that without a memory of delays all is as it was.
            var moment = RandomStream(
                seed: configuration.seed, replication: world.replication, entity: UInt32(number),
                purpose: .pageMoments)
            let page = mechanism.path.page.scaled(by: sizes.factor(at: moment.uniform()))
            let time = moment.uniform() * configuration.duration.seconds
            let path = world.path(
                of: min(device, count - 1), at: .start.advanced(by: .seconds(time)))
            let scores = samplers[group].scores(access: path, using: &moment)
            var added =
                samplers[group].addedTime(of: page, scores, using: &stream)
                + samplers[group].resendingTime(of: page, scores, using: &moment)
            if isCovered, queue != nil || tunnels != nil {
                // Draws of their own, so that without waiting all is as it was.
                var own = RandomStream(
                    seed: configuration.seed, replication: world.replication, entity: UInt32(number),
                    purpose: .serverWaits)
                let interval = shape.interval(using: &own)
                if let queue, let interval {
                    added += waiting(
                        of: page, in: queue, queue.intervals[interval], &record.servers, using: &own)
                }
                if let tunnels, let interval, let rules = mechanism.tunnel,
                    own.uniform() < tunnels.downShares[interval]
                {
                    added += samplers[group].time(of: rules.connect, scores, using: &own)
                }
            }
            if isCovered, added > 0 { record.pageTimes.added.record(.seconds(added)) }
            guard configuration.groups[group].usage.handOversPerDay > 0 else { continue }
            record.handOverTimes.record(.seconds(samplers[group].setUpTime(scores, using: &stream)))
        }
    }

    /// Seconds that the chain of one page waits at the servers: visit by visit, until one is not served.
    private func waiting(
        of page: PageShape, in queue: ServerQueue, _ interval: ServerQueue.Interval,
        _ servers: inout ServersRecord?,
        using stream: inout RandomStream
    ) -> Double {
        let backlog = queue.backlog(at: stream.uniform(), in: interval)
        servers?.pages += 1
        var (sum, left) = (0.0, mechanism.costs.visitsOfChain(of: page))
        // What rounding leaves of a whole number is no visit.
        while left > 1e-9 {
            servers?.visits += 1
            guard let wait = queue.wait(in: interval, backlog: backlog, using: &stream) else {
                servers?.unserved += 1
                return sum + queue.patience
            }
            if wait > 0 { servers?.waits.record(.seconds(wait)) }
            sum += min(left, 1) * wait
            left -= 1
        }
        return sum
    }
}

/// How many requests pages have, against their mean.
struct PageSizes {
    /// Pages of at most so many requests, by their number.
    private let sums: [Int]
    private let mean: Double

    init(_ counts: [LoadCounts]) {
        let longest = counts.map(\.pageSizes.count).max() ?? 0
        var (sums, total) = ([Int](), 0.0)
        for size in 0..<longest {
            let pages = counts.reduce(0) {
                $0 + ($1.pageSizes.indices.contains(size) ? $1.pageSizes[size] : 0)
            }
            sums.append((sums.last ?? 0) + pages)
            total += Double(size * pages)
        }
        mean = (sums.last ?? 0) > 0 ? total / Double(sums.last ?? 1) : 0
        self.sums = sums
    }

    /// 1 where no pages are known, as of a trace of URLs.
    ///
    /// - Parameter share: Of pages that are smaller, in `0..<1`.
    func factor(at share: Double) -> Double {
        guard mean > 0, let count = sums.last else { return 1 }
        let place = min(Int(share * Double(count)), count - 1)
        return Double(sums.firstIndex { $0 > place } ?? 0) / mean
    }
}

extension StreamPurpose {
    static let pageMoments = StreamPurpose("page sizes and moments")
    static let pageTimes = StreamPurpose("page times")
    static let serverWaits = StreamPurpose("mechanism server waits")
}
