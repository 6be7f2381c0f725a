import RandomStreams

/// How often the visits of a group led to lookups, in the days before the start whose pages were made.
///
/// Who visits much on a day has more in the caches and asks less each time, so that it is told by how many loads of a
/// day have hits.
struct LookupLaw {
    /// A load with a hit before the start, whose caches were as they are in the run.
    struct Load {
        /// Local day.
        let day: Int64
        var lookups = 0
    }

    /// Loads with a hit, and what they asked.
    private struct Tally {
        var asking = 0
        var lookups = 0

        mutating func add(_ load: Load) {
            asking += 1
            lookups += load.lookups
        }

        /// Lookups of one of them.
        var mean: Double { asking > 0 ? Double(lookups) / Double(asking) : 0 }
    }

    /// Loads, and those with a hit.
    private var loads = 0
    private var loadsWithHits = 0
    /// Loads of days on which caches were as they are in the run.
    private var all = Tally()
    /// Tallies by the binary logarithm of the loads with hits of a day.
    private var byHits: [Tally] = []
    /// Lookups of one load that made some: the first ones, their sum, and the number of all of them.
    private var sizes: [Int32] = []
    private var bursts = 0
    private static let mostSizes = 4_096
    /// Loads with hits that days need for being told apart by half. Assumption.
    private static let enoughLoads = 64.0
    /// Lookups of its own that a device needs for being told apart by half. Assumption.
    private static let enoughLookups = 4.0

    mutating func add(loads: Int, withHits: Int) {
        self.loads += loads
        loadsWithHits += withHits
    }

    /// - Parameter loads: Of one device, by time.
    mutating func add(_ loads: [Load]) {
        for day in loads.chunked() {
            let place = Self.place(hits: Double(day.count))
            while byHits.count <= place { byHits.append(Tally()) }
            for load in day {
                all.add(load)
                byHits[place].add(load)
                guard load.lookups > 0 else { continue }
                bursts += 1
                if sizes.count < Self.mostSizes { sizes.append(Int32(clamping: load.lookups)) }
            }
        }
    }

    private static func place(hits: Double) -> Int { hits >= 2 ? Int(hits.exponent) : 0 }

    /// Lookups of a load with a hit on a day with so many of them.
    private func perLoad(hits: Double) -> Double {
        let place = min(Self.place(hits: hits), byHits.count - 1)
        guard place >= 0 else { return 0 }
        let known = byHits[place]
        return (Double(known.lookups) + Self.enoughLoads * all.mean)
            / (Double(known.asking) + Self.enoughLoads)
    }

    /// How much more a device asks than the law says, as far as its own loads are enough to tell.
    ///
    /// - Parameter loads: Of the device, by time.
    func factor(_ loads: [Load]) -> Double {
        var (own, expected) = (Self.enoughLookups, Self.enoughLookups)
        for day in loads.chunked() {
            own += Double(day.reduce(0) { $0 + $1.lookups })
            expected += Double(day.count) * perLoad(hits: Double(day.count))
        }
        return own / expected
    }

    /// Mean lookups of one visit of a day with so many.
    func perVisit(ofDay visits: Int) -> Double {
        guard loads > 0 else { return 0 }
        let share = Double(loadsWithHits) / Double(loads)
        return share * perLoad(hits: share * Double(visits))
    }

    /// Adds the times of the lookups of a session, which are `count` visits spread evenly over `length`.
    ///
    /// - Parameter rate: Mean lookups of one visit.
    func draw(
        visits count: Int, rate: Double, from start: Int64, length: Int64, to times: inout [Int64],
        using stream: inout RandomStream
    ) {
        guard !sizes.isEmpty, rate > 0 else { return }
        let chance = rate * Double(bursts) / Double(all.lookups)
        guard let skip = try? GeometricSkip(probability: min(chance, 1)) else { return }
        var visit = skip.sample(using: &stream)
        while visit < count {
            let time = start + Int64(Double(length) * Double(visit) / Double(count))
            // Of those that ask with every visit, each asks more.
            let size = Double(sizes[stream.index(below: sizes.count)]) * max(chance, 1)
            let lookups = chance > 1 ? Int(size + stream.uniform()) : Int(size)
            for _ in 0..<lookups { times.append(time) }
            visit += 1 + min(skip.sample(using: &stream), count)
        }
    }
}

extension [LookupLaw.Load] {
    /// Those of each day.
    fileprivate func chunked() -> [ArraySlice<LookupLaw.Load>] {
        var days: [ArraySlice<LookupLaw.Load>] = []
        var start = startIndex
        for index in indices where index + 1 == endIndex || self[index + 1].day != self[index].day {
            days.append(self[start...index])
            start = index + 1
        }
        return days
    }
}
