/// The time integrals of a station from the start of the run to one instant.
///
/// The difference of two of them belongs to the time between, for example
/// without the warm-up. All are exact, in units times nanoseconds.
package struct StationAreas: Hashable, Sendable {
    package let time: SimulatedTime
    /// Busy servers over time.
    package let busy: Int128
    /// Waiting jobs over time.
    package let waiting: Int128
    /// Jobs that were served along with another one, over time.
    package let followers: Int128
    /// Servers in operation over time.
    package let available: Int128

    /// Jobs at the station over time: by Little's law the sum of the times that
    /// jobs spent there, apart from those still there.
    package var present: Int128 { busy + followers + waiting }

    package init(
        time: SimulatedTime, busy: Int128, waiting: Int128, followers: Int128 = 0, available: Int128
    ) {
        self.time = time
        self.busy = busy
        self.waiting = waiting
        self.followers = followers
        self.available = available
    }

    /// Sum of two stations' areas at the same instant.
    package static func + (left: StationAreas, right: StationAreas) -> StationAreas {
        StationAreas(
            time: left.time, busy: left.busy + right.busy, waiting: left.waiting + right.waiting,
            followers: left.followers + right.followers, available: left.available + right.available)
    }

    /// Areas that were added since an earlier instant.
    package static func - (later: StationAreas, earlier: StationAreas) -> StationAreas {
        StationAreas(
            time: SimulatedTime(nanoseconds: (later.time - earlier.time).nanoseconds),
            busy: later.busy - earlier.busy, waiting: later.waiting - earlier.waiting,
            followers: later.followers - earlier.followers,
            available: later.available - earlier.available)
    }

    /// Mean share of the servers that was busy; `nil` if no server was in operation.
    ///
    /// Above 1 if services ended on servers that were taken away meanwhile.
    package var utilization: Double? {
        available > 0 ? Double(busy) / Double(available) : nil
    }

    /// Mean number of waiting jobs; `nil` if no time passed.
    package var meanQueueLength: Double? { mean(waiting) }

    private func mean(_ area: Int128) -> Double? {
        time > .start ? Double(area) / Double(time.nanoseconds) : nil
    }
}

extension ServiceStation {
    /// The integrals up to `time`, which is not before the last change.
    package func areas(until time: SimulatedTime) -> StationAreas {
        StationAreas(
            time: time, busy: busy.area(until: time), waiting: waiting.area(until: time),
            followers: following.area(until: time), available: available.area(until: time))
    }

    /// Mean share of the servers that was busy between two instants.
    ///
    /// - Parameters:
    ///   - earlier: What ``areas(until:)`` returned then; `nil` for the start of the run.
    ///   - end: Not before the last change.
    /// - Returns: `nil` if no server was in operation.
    package func utilization(from earlier: StationAreas? = nil, to end: SimulatedTime) -> Double? {
        let areas = areas(until: end)
        guard let earlier else { return areas.utilization }
        return (areas - earlier).utilization
    }
}
