/// Work that many devices bring at once on top of what servers have to do anyway, by closed form.
///
/// A fluid: the ordinary load comes evenly, the storm's work evenly over its spread, and servers do as much as they
/// have cores. What comes beyond that waits, and what would wait longer than the servers let it is refused. Chance is
/// left out, which makes waits of a few requests more (``StationForm`` has those).
package struct StormLaw: Equatable, Sendable {
    /// Cores that are there, and of them those that are busy anyway.
    package var cores: Double
    package var base: Double
    /// Core seconds that come, and the seconds over which they do.
    package var work: Double
    package var spread: Double
    /// Seconds after which a request is refused, or the device does not wait any more.
    package var patience: Double

    package init(cores: Double, base: Double, work: Double, spread: Double, patience: Double) {
        self.cores = cores
        self.base = base
        self.work = work
        self.spread = spread
        self.patience = patience
    }

    /// Cores that it takes so that nobody waits.
    package var demand: Double { base + work / spread }

    /// Core seconds that come each second beyond what is done; 0 within the servers' cores.
    private var excess: Double { max(0, demand - cores) }

    /// Longest wait, seconds.
    package var longestWait: Double { cores > 0 ? min(patience, excess * spread / cores) : patience }

    /// Core seconds of what is refused.
    package var refused: Double { max(0, excess * spread - patience * cores) }

    /// Share of what comes during the storm.
    package var refusedShare: Double { demand > 0 ? refused / (demand * spread) : 0 }

    /// Seconds from the beginning until nobody waits; `nil`: the line never goes.
    package var length: Double? {
        guard excess > 0 else { return 0 }
        guard cores > base else { return nil }
        return spread + longestWait * cores / (cores - base)
    }

    /// Seconds over which the same work has to be spread for servers no busier than a share of their cores; `nil`: they
    /// are that busy anyway.
    package func leastSpread(utilization: Double) -> Double? {
        let room = utilization * cores - base
        return room > 0 ? work / room : nil
    }

    /// Cores that bear the storm as it is at that share.
    package func neededCores(utilization: Double) -> Double { demand / utilization }

    /// Means of a stretch of a minute, cores.
    package struct Minute: Codable, Equatable, Sendable {
        package var demand: Double
        package var done: Double
        package var refused: Double
        /// Seconds that what comes at its end has to wait.
        package var wait: Double
    }

    /// The storm and what it leaves, minute by minute: as many as it takes, at most a day.
    package func minutes(width: Double = 60) -> [Minute] {
        let steps = 60
        let step = width / Double(steps)
        var (minutes, waiting, number): ([Minute], Double, Int) = ([], 0, 0)
        repeat {
            var minute = Minute(demand: 0, done: 0, refused: 0, wait: 0)
            for index in 0..<steps {
                let begin = Double(number * steps + index) * step
                // The last step of the storm may be a part of one.
                let coming = base * step + work / spread * max(0, min(step, spread - begin))
                let done = min(waiting + coming, cores * step)
                let left = waiting + coming - done
                waiting = min(left, patience * cores)
                minute.demand += coming / width
                minute.done += done / width
                minute.refused += (left - waiting) / width
            }
            minute.wait = cores > 0 ? waiting / cores : patience
            minutes.append(minute)
            number += 1
        } while number < 1_440 && (Double(number) * width < spread || waiting > 1e-9)
        return minutes
    }
}
