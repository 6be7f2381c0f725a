import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// The replay of one group's trace, from window to window.
///
/// The file is opened with the first window, so that a missing file is an error of the run and not of the model's
/// construction.
struct TraceUnit {
    /// Fleet number of the first of all devices that replay the trace, and the places of this group's devices among
    /// them.
    private let firstDevice: Int
    private let own: Range<Int>
    private let deviceCount: Int
    private let replay: TraceReplay
    private let catalog: URLCatalog
    private let settings: LoadSettings
    private let usage: DeviceUsage
    /// Devices do everything when their trace says so, and every app asks. Known beforehand, for a URL costs less than
    /// asking.
    private let isPlain: Bool
    /// A copy, because a constant made from another module's is looked up on each use.
    private let firstHit = CompiledTrace.firstHit

    /// A record, and the simulated time at which its client loads it, nanoseconds.
    private struct Due {
        let record: CompiledTrace.Record
        let time: Int64
    }

    private var isOpen = false
    private var compiled: CompiledTrace?
    /// Next record of the compiled trace.
    private var next = 0
    private var reader: TraceReader?
    private var compiler: TraceCompiler
    /// The record that the reader gave last, not yet replayed.
    private var pending: CompiledTrace.Record?
    private var isAtEnd = false
    private var lastTime: Int64 = 0
    private var recordCount: Int64 = 0
    /// Shift of each device that replays a second or later copy of its client; -1 before it is drawn.
    private var shifts: [Int64] = []
    /// Empty when every device had its prefilter from the start.
    private var hasPrefilter: [Bool] = []

    init(
        replay: TraceReplay, catalog: URLCatalog, firstDevice: Int, deviceCount: Int, settings: LoadSettings,
        usage: DeviceUsage, startsCold: Bool
    ) {
        self.replay = replay
        self.catalog = catalog
        own = replay.part?.devices ?? 0..<deviceCount
        self.firstDevice = firstDevice - own.lowerBound
        self.deviceCount = replay.part?.of ?? deviceCount
        self.settings = settings
        self.usage = usage
        isPlain =
            usage.rollOut == .zero && usage.startSpread == nil && usage.allTakePart
            && usage.coveredHours == nil && settings.blind.isEmpty
        compiler = TraceCompiler(catalog)
        if startsCold { hasPrefilter = Array(repeating: false, count: self.deviceCount) }
        if self.deviceCount > replay.clientCount || replay.places != nil {
            shifts = Array(repeating: -1, count: self.deviceCount)
        }
    }

    mutating func noteReady(_ device: UInt32) {
        if !hasPrefilter.isEmpty { hasPrefilter[Int(device) - firstDevice] = true }
    }

    /// All loads whose records are due before `end`. Those of shifted copies may begin later.
    mutating func generate(until end: Int64, counts: inout LoadCounts) throws -> WindowLoads {
        if !isOpen {
            isOpen = true
            compiled = try replay.cache.trace(for: catalog, open: replay.open)
            if compiled == nil { reader = try replay.open() }
        }
        var output = WindowLoads()
        var meter = Meter(settings)
        while !isAtEnd, let record = try upcoming() {
            let time = max(time(of: record), lastTime)
            guard time < settings.duration else {
                isAtEnd = true
                break
            }
            guard time < end else { break }
            lastTime = time
            replay(Due(record: record, time: time), &meter, &counts, to: &output)
            advance()
        }
        meter.flush(&counts)
        return output
    }

    private mutating func upcoming() throws -> CompiledTrace.Record? {
        if let compiled {
            guard next < compiled.records.count else { return nil }
            return compiled.records[next]
        }
        if pending == nil, let record = try reader?.next() { pending = compiler.compile(record) }
        return pending
    }

    private mutating func advance() {
        recordCount += 1
        if compiled != nil { next += 1 } else { pending = nil }
    }

    /// Simulated time of a record, nanoseconds.
    private func time(of record: CompiledTrace.Record) -> Int64 {
        let (length, isTooLong) = record.time.subtractingReportingOverflow(replay.origin)
        guard !isTooLong else { return .max }
        if replay.compression == 1 { return max(length, 0) }
        let offset = Double(length) / replay.compression
        // A slowed-down trace may end later than any clock can tell.
        return offset < 0x1p63 ? Int64(max(offset, 0)) : .max
    }

    /// Lets every device of the record's client check the URL: device `d` replays client `d mod clients`; with
    /// fewer devices than clients, client `c` is replayed by device `c mod devices`.
    private mutating func replay(
        _ due: Due, _ meter: inout Meter, _ counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        let client = Int(due.record.client)
        guard let places = replay.places else {
            return self.replay(due, inPlace: client, isCopy: false, &meter, &counts, to: &output)
        }
        for (index, place) in places[client].enumerated() {
            self.replay(due, inPlace: place, isCopy: index > 0, &meter, &counts, to: &output)
        }
    }

    private mutating func replay(
        _ due: Due, inPlace place: Int, isCopy: Bool, _ meter: inout Meter, _ counts: inout LoadCounts,
        to output: inout WindowLoads
    ) {
        var device = place < deviceCount ? place : place % deviceCount
        var isCopy = isCopy
        while device < deviceCount {
            defer {
                device += replay.clientCount
                isCopy = true
            }
            guard own.contains(device) else { continue }
            let number = firstDevice + device
            let planned = isCopy ? due.time + shift(of: device) : due.time
            let start = isPlain ? planned : planned + settings.lateness(of: number, usage)
            if start < settings.duration, isPlain || start >= settings.activation(of: number, usage) {
                check(due.record, device: device, at: start, &meter, &counts, to: &output)
            }
        }
    }

    private mutating func shift(of device: Int) -> Int64 {
        if shifts[device] < 0 {
            var stream = RandomStream(
                seed: settings.seed, replication: settings.replication,
                entity: UInt32(firstDevice + device), purpose: .traceSpread)
            shifts[device] = (replay.spread * stream.uniform()).nanoseconds
        }
        return shifts[device]
    }

    /// Mutating although it changes nothing: else the whole unit is copied for each URL.
    @inline(__always)
    private mutating func check(
        _ record: CompiledTrace.Record, device: Int, at time: Int64, _ meter: inout Meter,
        _ counts: inout LoadCounts, to output: inout WindowLoads
    ) {
        // Nearly every URL of nearly every trace.
        if isPlain, hasPrefilter.isEmpty, record.outcome < firstHit {
            return meter.addAllowed(Int(record.outcome), at: time, &counts)
        }
        let number = firstDevice + device
        let isReady =
            (hasPrefilter.isEmpty || hasPrefilter[device]) && !settings.blind.contains(time, device: number)
        let participation: Participation =
            isPlain
            ? .honours
            : settings.isCovered(at: time, usage)
                ? settings.participation(number, load: recordCount, usage) : .neverAsks
        let isAsked = participation == .honours
        if record.outcome < firstHit {
            let strings = Int(record.outcome)
            meter.add(
                strings, at: time, isAsked ? isReady ? .allowed : .open : .notAsked(participation), &counts)
            if strings > 0, isAsked, !isReady {
                output.append(
                    URLOutcome(stringCount: strings, keys: []), at: time, device: firstDevice + device,
                    .honours)
            }
            return
        }
        let place = Int(record.outcome - firstHit)
        let outcome = compiled?.outcomes[place] ?? compiler.outcomes[place]
        let goesOn = isAsked || outcome.isNamed
        meter.add(
            outcome.stringCount, at: time,
            isAsked ? .open : goesOn ? .listed : .notAsked(participation), &counts)
        if goesOn {
            output.append(outcome, at: time, device: firstDevice + device, participation)
        }
    }

    /// Adds up URLs while they fall into one interval of the series and one side of the observed period.
    private struct Meter {
        private let settings: LoadSettings
        private var start: Int64 = 0
        private var end: Int64 = 0
        private var checked = 0
        private var strings = 0
        private var unparseable = 0
        private var allowed = 0
        private var notAsked = 0
        private var unknown = 0

        /// Fate of a URL that can be parsed.
        enum Fate: Equatable {
            case allowed
            /// Tested, and the model decides.
            case open
            /// Not tested, but named by some edition of the list.
            case listed
            case notAsked(Participation)
        }

        init(_ settings: LoadSettings) { self.settings = settings }

        mutating func add(_ stringCount: Int, at time: Int64, _ fate: Fate, _ counts: inout LoadCounts) {
            if time < start || time >= end { move(to: time, &counts) }
            guard stringCount > 0 else {
                unparseable += 1
                return
            }
            checked += 1
            switch fate {
            case .allowed: allowed += 1
            case .notAsked(let participation):
                notAsked += 1
                if participation == .unknown { unknown += 1 }
            case .open, .listed: break
            }
            if fate == .allowed || fate == .open { strings += stringCount }
        }

        mutating func addAllowed(_ stringCount: Int, at time: Int64, _ counts: inout LoadCounts) {
            if time < start || time >= end { move(to: time, &counts) }
            guard stringCount > 0 else {
                unparseable += 1
                return
            }
            checked += 1
            allowed += 1
            strings += stringCount
        }

        private mutating func move(to time: Int64, _ counts: inout LoadCounts) {
            flush(&counts)
            start = time / settings.interval * settings.interval
            end = start + settings.interval
            if time < settings.warmUp {
                end = min(end, settings.warmUp)
            } else {
                start = max(start, settings.warmUp)
            }
        }

        mutating func flush(_ counts: inout LoadCounts) {
            guard end > start else { return }
            counts.count(checked, inInterval: Int(start / settings.interval))
            if settings.counts(start) {
                counts.urls.checked += checked
                counts.urls.strings += strings
                counts.urls.unparseable += unparseable
                counts.urls.allowedByPrefilter += allowed
                counts.notAsked += notAsked
                counts.unknown += unknown
            }
            (checked, strings, unparseable, allowed, notAsked, unknown) = (0, 0, 0, 0, 0, 0)
        }
    }
}
