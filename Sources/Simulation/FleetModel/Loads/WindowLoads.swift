/// Loads of devices in one window of time, as far as they are more than counting: the hits.
struct WindowLoads: Sendable {
    /// One page load, or one URL of a trace.
    struct Load: Sendable, BitwiseCopyable {
        /// Nanoseconds since the start.
        var time: Int64
        var device: UInt32
        var firstHit: UInt32
        var hitCount: UInt32
        /// URLs without a hit of a device that may have no prefilter yet: the policy may have to decide.
        var misses: UInt32
        /// Unless the app honours verdicts, the hits are those of listed and meant URLs.
        var participation = Participation.honours
    }

    /// One URL with hits, or one that an entry means that cannot match.
    struct Hit: Sendable, BitwiseCopyable {
        /// After the start of the load, nanoseconds.
        var offset: Int64
        var firstKey: UInt32
        var keyCount: UInt16
        /// Objects that the page loads later wait for this URL.
        var blocks: Bool
        /// See ``URLOutcome/isMeant``.
        var isMeant: Bool
    }

    var loads: [Load] = []
    /// Hits of one load are neighbours, by offset.
    var hits: [Hit] = []
    var keys: [HitKey] = []

    func keys(ofHit hit: Int) -> ArraySlice<HitKey> {
        let first = Int(hits[hit].firstKey)
        return keys[first..<(first + Int(hits[hit].keyCount))]
    }

    /// Adds the load of one URL.
    ///
    /// - Parameter outcome: Without hits for a URL that the policy may have to decide.
    mutating func append(_ outcome: URLOutcome, at time: Int64, device: Int, _ participation: Participation) {
        let isHit = outcome.goesOn
        loads.append(
            Load(
                time: time, device: UInt32(device), firstHit: UInt32(hits.count),
                hitCount: isHit ? 1 : 0, misses: isHit ? 0 : 1, participation: participation))
        guard isHit else { return }
        hits.append(
            Hit(
                offset: 0, firstKey: UInt32(keys.count), keyCount: UInt16(clamping: outcome.keys.count),
                blocks: true, isMeant: outcome.isMeant))
        keys.append(contentsOf: outcome.keys)
    }

    /// Adds another window's loads behind those that are here.
    mutating func append(_ other: WindowLoads) {
        let (firstHit, firstKey) = (UInt32(hits.count), UInt32(keys.count))
        loads.append(
            contentsOf: other.loads.lazy.map { load in
                var load = load
                load.firstHit += firstHit
                return load
            })
        hits.append(
            contentsOf: other.hits.lazy.map { hit in
                var hit = hit
                hit.firstKey += firstKey
                return hit
            })
        keys.append(contentsOf: other.keys)
    }
}

/// The part of a replication's counts that needs no event.
struct LoadCounts: Sendable {
    var urls = URLCounts()
    private(set) var pageLoads = 0
    /// URLs that no list names, of apps that do not let the filter see them.
    var notAsked = 0
    /// URLs among these whose apps asked for a verdict and got none.
    var unknown = 0
    /// URL checks per interval of the series, warm-up included.
    var series: [Int] = []

    /// Page loads of the observed period by their number of URLs.
    private(set) var pageSizes: [Int] = []

    /// Counts a page of so many URLs that a person opened.
    mutating func countBrowsed(_ urlCount: Int, unparseable: Int = 0) {
        countPage(of: urlCount)
        urls.checked += urlCount
        urls.unparseable += unparseable
    }

    mutating func countPage(of size: Int) {
        pageLoads += 1
        if size >= pageSizes.count {
            pageSizes.append(contentsOf: repeatElement(0, count: size - pageSizes.count + 1))
        }
        pageSizes[size] += 1
    }

    mutating func countNotAsked(_ number: Int, _ participation: Participation) {
        notAsked += number
        if participation == .unknown { unknown += number }
    }

    mutating func count(_ number: Int, inInterval index: Int) {
        if index >= series.count {
            series.append(contentsOf: repeatElement(0, count: index - series.count + 1))
        }
        series[index] += number
    }
}

/// Settings of the run that every unit of loads needs to know.
struct LoadSettings: Sendable {
    var seed: UInt64
    var replication: UInt32
    /// Start of the observed period and end of the run, nanoseconds.
    var warmUp: Int64
    var duration: Int64
    var interval: Int64
    var treatment: FreshURLTreatment
    var blind = BlindTimes()

    func counts(_ time: Int64) -> Bool { time >= warmUp && time < duration }
}
