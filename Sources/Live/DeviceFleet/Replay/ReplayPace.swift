import RandomStreams

/// The rule by which loads begin.
package struct ReplayPace: Hashable, Sendable {
    package enum Arrivals: Hashable, Sendable {
        /// Starts as in the trace, so many times as fast.
        case trace(speed: Double)
        /// Starts in the order of the trace, at random times of this mean rate per second (a Poisson process: people do
        /// not wait for each other).
        case rate(Double)
    }

    package var arrivals: Arrivals
    /// Seconds in which the rate rises from 0, evenly. Only with a rate.
    package var ramp = 0.0
    /// Seconds after the ramp that are not measured.
    package var warmUp = 0.0
    /// Seconds that are measured.
    package var duration: Double
    package var seed: UInt64 = 1
    /// Gives each load to the next device, instead of that of the trace's client.
    package var usesDevicesInTurn = false
    /// Evaluation keys that devices replace, each the next device's, per second. Only with devices in turn, as one that
    /// replaces its key gets no load.
    package var keysPerSecond = 0.0

    package init(_ arrivals: Arrivals, duration: Double) {
        self.arrivals = arrivals
        self.duration = duration
    }

    /// Seconds from the start at which the measurement begins.
    package var measuredFrom: Double { ramp + warmUp }
    package var end: Double { ramp + warmUp + duration }

    /// Seconds from the start at which each load begins; a trace that is too short for a rate starts again.
    package func starts(of trace: ReplayTrace, limit: Int) -> AnyIterator<(offset: Double, load: Int)> {
        var random = RandomStream(
            seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("replay arrivals"))
        var events = 0.0
        var number = 0
        return AnyIterator { () -> (offset: Double, load: Int)? in
            guard number < limit, !trace.loads.isEmpty else { return nil }
            let offset: Double
            switch arrivals {
            case .trace(let speed):
                guard number < trace.loads.count else { return nil }
                offset = Double(trace.loads[number].time) / 1e9 / speed
            case .rate(let rate):
                events += random.exponential(mean: 1)
                offset = time(ofEvents: events, rate: rate)
            }
            guard offset < end else { return nil }
            defer { number += 1 }
            return (offset, number % trace.loads.count)
        }
    }

    /// The time by which so many loads are expected: the inverse of rate·t²/(2·ramp), then a line.
    private func time(ofEvents events: Double, rate: Double) -> Double {
        let inRamp = rate * ramp / 2
        return events < inRamp ? (2 * events * ramp / rate).squareRoot() : ramp + (events - inRamp) / rate
    }
}
