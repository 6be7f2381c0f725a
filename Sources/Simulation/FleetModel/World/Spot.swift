import Decoding
package import EventSimulation
import RandomStreams

/// Instances that the cloud may take back at any time, because they are cheap.
///
/// Each lives for an exponential time, whatever the others do. One that is taken back gets no more requests; what it
/// works on is finished, within the notice that clouds give, and what waits there is answered 503. Another one stands
/// there some time later, with an empty memory.
package struct SpotRule: Hashable, Sendable {
    /// Share of the instances, in `0...1`; their number is rounded.
    package var share: Double
    /// Mean time until one is taken back.
    package var meanLife: SimulatedDuration
    /// Time from then until another one takes requests.
    package var replacement: SimulatedDuration

    package init(share: Double, meanLife: SimulatedDuration, replacement: SimulatedDuration) {
        precondition((0...1).contains(share), "a share is in 0...1, got \(share)")
        precondition(meanLife > .zero, "instances live for some time, got \(meanLife)")
        self.share = share
        self.meanLife = meanLife
        self.replacement = replacement
    }

    func instances(of all: Int) -> Int { Int(saturating: (share * Double(all)).rounded()) }
}

/// Interruptions of one station's spot instances: a Poisson process as if all stood there, thinned by those that do.
struct SpotInstances {
    let rule: SpotRule
    /// Most instances that may be spot ones.
    private let most: Int
    /// Those that are gone now.
    private(set) var gone = 0
    private var random: RandomStream

    /// - Returns: `nil` if none can be taken back.
    init?(_ settings: StationConfiguration, random: RandomStream) {
        guard let rule = settings.spot else { return nil }
        most = rule.instances(of: settings.scaling?.maximum ?? settings.instances)
        guard most > 0 else { return nil }
        self.rule = rule
        self.random = random
    }

    /// Time from now to the next candidate.
    mutating func pause() -> SimulatedDuration {
        .seconds(random.exponential(mean: rule.meanLife.seconds / Double(most)))
    }

    /// - Parameter active: Instances that there are.
    /// - Returns: Whether one is taken back.
    mutating func interrupt(active: Int) -> Bool {
        let standing = max(0, rule.instances(of: active) - gone)
        guard random.uniform() * Double(most) < Double(standing) else { return false }
        gone += 1
        return true
    }

    mutating func replaced() { gone -= 1 }
}

extension Fleet {
    mutating func interrupt(_ station: Int, _ agenda: inout Agenda<Event>) throws {
        guard let rule = world.stations[station].settings.spot else { return }
        if world.stations[station].interrupt() {
            world.note(station, change: "a spot instance is taken back", at: agenda.now)
            try scale(world.stations[station].part, &agenda)
            agenda.schedule(.world(.spotReplaced(station: UInt32(station))), after: rule.replacement)
        }
        if world.isOpen(agenda.now) { scheduleInterruption(of: station, &agenda) }
    }

    mutating func scheduleInterruption(of station: Int, _ agenda: inout Agenda<Event>) {
        guard let pause = world.stations[station].spot?.pause() else { return }
        agenda.schedule(.world(.spotInterrupted(station: UInt32(station))), after: pause)
    }

    mutating func replaceSpot(of station: Int, _ agenda: inout Agenda<Event>) throws {
        world.stations[station].spot?.replaced()
        world.note(station, change: "a new spot instance takes requests", at: agenda.now)
        try scale(world.stations[station].part, &agenda)
    }
}
