import Dispatch
import EventSimulation
import Synchronization
import URLFilter
import Workload

/// Makes the loads of one window of simulated time after the other, on as many threads as it is given.
///
/// The devices are divided into units, whose number depends on the fleet alone. What a unit makes of a window
/// depends on nothing but the unit and on which devices were known to have a prefilter when the window before was
/// handed over, so the result is the same for any number of threads and any order of work.
final class LoadProducer: Sendable {
    /// Length of a window. A page lasts as long at most, and there are 1440 a day.
    static let windowLength = SimulatedDuration.seconds(60)
    private static let unitsPerFleet = 32
    private static let smallestUnit = 256

    private let units: [Unit]
    private let past: PastLoads
    /// First days of the traces that groups replay.
    let pastTraces: [PastTrace]
    private let threads: Int
    private let duration: Int64
    /// A set of lenses for each thread that works at the moment.
    private let lenses = Mutex<[[PageLens]]>([])
    private let makeLenses: @Sendable () -> [PageLens]
    private let nextUnit = Atomic<Int>(0)
    private let helpers = DispatchGroup()

    private final class Unit: Sendable {
        let firstDevice: Int
        let deviceCount: Int
        let lens: Int
        let state: Mutex<State>

        init(_ state: sending State, firstDevice: Int, deviceCount: Int, lens: Int) {
            self.firstDevice = firstDevice
            self.deviceCount = deviceCount
            self.lens = lens
            self.state = Mutex(state)
        }
    }

    private struct State {
        var browsing: BrowsingUnit?
        var trace: TraceUnit?
        /// Other loads of the devices, besides browsing and trace.
        var side: SideLoads?
        var counts = LoadCounts()
        var output: Result<WindowLoads, any Error> = .success(WindowLoads())
    }

    /// Divides the devices of one group after the other into units.
    private struct Division {
        let configuration: FleetConfiguration
        private let unitSize: Int
        private(set) var units: [Unit] = []
        /// Pairs of list and web that pages are looked at with, one for each lens.
        private(set) var views: [(catalog: URLCatalog, web: SyntheticWeb)] = []
        /// One for each group; `nil` where it does not browse, and -1 for its lens.
        private(set) var groups: [BrowsingGroup?] = []
        private(set) var lenses: [Int] = []
        private(set) var pastTraces: [PastTrace] = []
        private var firstDevice = 0

        init(_ configuration: FleetConfiguration) {
            self.configuration = configuration
            unitSize = max(configuration.deviceCount / unitsPerFleet + 1, smallestUnit)
        }

        mutating func add(group number: Int, _ catalog: URLCatalog, _ settings: LoadSettings) {
            let group = configuration.groups[number]
            let startsCold = configuration.startsCold(group)
            var browsing: BrowsingGroup?
            var replay: TraceReplay?
            var lens = -1
            var size = unitSize
            switch group.workload {
            case .lookups: break
            case .trace(let trace):
                // It is read once.
                (replay, size) = (trace, max(group.count, 1))
                if let past = PastTrace(
                    group, trace, in: configuration, catalog: catalog, firstDevice: firstDevice,
                    settings: settings)
                {
                    pastTraces.append(past)
                }
            case .synthetic(let web, let habits):
                lens = self.lens(catalog, web)
                browsing = BrowsingGroup(
                    web: web, habits: habits, settings: settings, strayHits: catalog.strayHits,
                    usage: group.usage)
            }
            for first in stride(from: 0, to: group.count, by: size) {
                let (first, count) = (firstDevice + first, min(size, group.count - first))
                let browsing = browsing.map {
                    BrowsingUnit(firstDevice: first, deviceCount: count, group: $0, startsCold: startsCold)
                }
                let trace = replay.map {
                    TraceUnit(
                        replay: $0, catalog: catalog, firstDevice: first, deviceCount: count,
                        settings: settings, usage: group.usage, startsCold: startsCold)
                }
                let side = SideLoads(
                    configuration, group: number, firstDevice: first, deviceCount: count, settings: settings,
                    catalog: catalog)
                units.append(
                    Unit(
                        State(browsing: browsing, trace: trace, side: side), firstDevice: first,
                        deviceCount: count, lens: lens))
            }
            groups.append(browsing)
            lenses.append(lens)
            firstDevice += group.count
        }

        private mutating func lens(_ catalog: URLCatalog, _ web: SyntheticWeb) -> Int {
            if let known = views.firstIndex(where: { $0.catalog === catalog && $0.web === web }) {
                return known
            }
            views.append((catalog, web))
            return views.count - 1
        }
    }

    init(_ configuration: FleetConfiguration, catalogs: [URLCatalog], replication: UInt32, threads: Int) {
        self.threads = threads
        duration = configuration.duration.nanoseconds
        let common = LoadSettings(
            seed: configuration.seed, replication: replication, warmUp: configuration.warmUp.nanoseconds,
            duration: duration, interval: configuration.seriesInterval.nanoseconds,
            treatment: configuration.freshURLs)
        var division = Division(configuration)
        for (number, catalog) in catalogs.enumerated() {
            var settings = common
            settings.blind = BlindTimes(configuration, group: number)
            division.add(group: number, catalog, settings)
        }
        units = division.units
        pastTraces = division.pastTraces
        past = PastLoads(configuration, groups: division.groups, lenses: division.lenses)
        let (treatment, share) = (configuration.freshURLs, configuration.behaviour.blockingShare)
        let views = division.views
        makeLenses = {
            views.map { PageLens($0.catalog, web: $0.web, treatment: treatment, blockingShare: share) }
        }
        if threads > 1 { startHelpers(window: 0) }
    }

    /// The loads of the days before the start; see ``PastLoads/take(threads:borrow:_:)``.
    func takePast(_ use: (PastLoads.Part) -> Void) {
        past.take(
            threads: threads,
            borrow: { work in
                var mine = self.lenses.withLock { $0.popLast() } ?? self.makeLenses()
                work(&mine)
                let done = mine
                self.lenses.withLock { $0.append(done) }
            }, use)
    }

    /// The loads of a window, which is the one after the last that was taken.
    ///
    /// - Parameter ready: Devices that got their first prefilter since the last call.
    func take(window: Int, ready: [UInt32]) throws -> WindowLoads {
        if threads == 1 { nextUnit.store(0, ordering: .relaxed) }
        work(on: window)
        helpers.wait()
        var outputs: [WindowLoads] = []
        for unit in units {
            let output = unit.state.withLock { state in
                let output = state.output
                state.output = .success(WindowLoads())
                return output
            }
            outputs.append(try output.get())
        }
        tell(ready)
        if threads > 1, end(of: window) < duration { startHelpers(window: window + 1) }
        var merged = WindowLoads()
        merged.loads.reserveCapacity(outputs.reduce(0) { $0 + $1.loads.count })
        merged.hits.reserveCapacity(outputs.reduce(0) { $0 + $1.hits.count })
        merged.keys.reserveCapacity(outputs.reduce(0) { $0 + $1.keys.count })
        for output in outputs { merged.append(output) }
        return merged
    }

    func end(of window: Int) -> Int64 { Int64(window + 1) * Self.windowLength.nanoseconds }

    /// Returns what was counted without an event, unit by unit.
    func counts() -> [LoadCounts] { units.map { $0.state.withLock { $0.counts } } }

    private func tell(_ ready: [UInt32]) {
        for device in ready {
            let index = units.lastIndex { $0.firstDevice <= Int(device) }
            guard let index else { preconditionFailure("device \(device) belongs to no unit") }
            units[index].state.withLock { state in
                state.browsing?.noteReady(device)
                state.trace?.noteReady(device)
                state.side?.noteReady(device)
            }
        }
    }

    private func startHelpers(window: Int) {
        nextUnit.store(0, ordering: .relaxed)
        for _ in 1..<min(threads, units.count + 1) {
            DispatchQueue.global().async(group: helpers) { self.work(on: window) }
        }
    }

    /// Takes units until none is left.
    private func work(on window: Int) {
        var mine = lenses.withLock { $0.popLast() } ?? makeLenses()
        while true {
            let index = nextUnit.add(1, ordering: .relaxed).oldValue
            guard index < units.count else { break }
            let lens = units[index].lens
            units[index].state.withLock { state in
                let end = end(of: window)
                do {
                    var loads =
                        try state.trace?.generate(until: end, counts: &state.counts) ?? WindowLoads()
                    if lens >= 0, state.browsing != nil {
                        loads =
                            state.browsing?.generate(until: end, lens: &mine[lens], counts: &state.counts)
                            ?? loads
                        state.side?.addBackground(
                            until: end, lens: &mine[lens], counts: &state.counts, to: &loads)
                    }
                    state.side?.addLookups(until: end, counts: &state.counts, to: &loads)
                    state.side?.addCrowds(until: end, counts: &state.counts, to: &loads)
                    state.output = .success(loads)
                } catch {
                    state.output = .failure(error)
                }
            }
        }
        let done = mine
        lenses.withLock { $0.append(done) }
    }
}
