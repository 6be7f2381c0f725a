package import EventSimulation

/// How many instances a service has, by its load: the target tracking of clouds and of Kubernetes, which want
/// instances x utilization / target of them.
package struct ScalingRule: Hashable, Sendable {
    /// Utilization of the instances that is aimed at, in `0...1`.
    package var target: Double
    package var minimum: Int
    package var maximum: Int
    /// Time from one look at the utilization since the last to the next.
    package var period: SimulatedDuration
    /// After a change none are taken away for so long.
    package var coolDown: SimulatedDuration
    /// The load that is looked at is as old as that.
    package var metricDelay = SimulatedDuration.zero
    /// Instances stay where the load is off the target by no more than this share of it.
    package var tolerance = 0.0
    /// None are taken away that any look in this time wanted to keep.
    package var stabilization = SimulatedDuration.zero
    /// Instances that one look starts at most.
    package var mostStarts = Int.max
    /// Time from the decision until a new instance takes requests; `nil`: `boot`, and the time for the database.
    private let fixedStartDelay: SimulatedDuration?
    private let boot: SimulatedDuration
    /// Bytes of the database that an instance loads per second; `nil` for a service without one.
    private let loadRate: Double?
    /// Bytes of the database; known when its costs are.
    package var databaseBytes = 0

    package init(
        target: Double, minimum: Int, maximum: Int, period: SimulatedDuration, coolDown: SimulatedDuration,
        startDelay: SimulatedDuration?, boot: SimulatedDuration = .zero, loadRate: Double? = nil
    ) {
        precondition(target > 0 && target <= 1, "a target is a share above 0, got \(target)")
        precondition(minimum >= 1 && maximum >= minimum, "from \(minimum) to \(maximum) are no instances")
        self.target = target
        self.minimum = minimum
        self.maximum = maximum
        self.period = period
        self.coolDown = coolDown
        fixedStartDelay = startDelay
        self.boot = boot
        self.loadRate = loadRate
    }

    /// Time from the decision until a new instance takes requests.
    package var startDelay: SimulatedDuration {
        if let fixedStartDelay { return fixedStartDelay }
        guard let loadRate else { return boot }
        return boot + .seconds(Double(databaseBytes) / loadRate)
    }
}

/// Decides by a rule how many instances there are.
struct Scaler {
    let rule: ScalingRule
    /// Instances that take requests, and those that start.
    private(set) var active: Int
    private(set) var starting = 0
    private var lastChange = SimulatedTime.start
    /// Looks that the next ones still need: when, the utilization then, and the instances that it wanted.
    private var looks: [(time: SimulatedTime, utilization: Double)] = []
    private var wishes: [(time: SimulatedTime, wanted: Int)] = []

    init(_ rule: ScalingRule, instances: Int) {
        self.rule = rule
        active = min(max(instances, rule.minimum), rule.maximum)
    }

    /// - Parameter utilization: Of the active instances since the last decision.
    /// - Returns: Instances to start now. Those to stop are no longer active.
    mutating func decide(utilization: Double, at now: SimulatedTime) -> Int {
        guard let seen = see(utilization, at: now) else { return 0 }
        let isNear = abs(seen / rule.target - 1) <= rule.tolerance && rule.tolerance > 0
        let ideal = isNear ? Double(active) : (Double(active) * seen / rule.target - 1e-9).rounded(.up)
        let wanted = Int(min(max(ideal, Double(rule.minimum)), Double(rule.maximum)))
        let kept = keep(wanted, at: now)
        let missing = min(wanted - active - starting, rule.mostStarts)
        if missing > 0 {
            starting += missing
            lastChange = now
            return missing
        }
        if kept < active, starting == 0, now - lastChange >= rule.coolDown {
            active = kept
            lastChange = now
        }
        return 0
    }

    /// The utilization that is known now: of the last period that ended so long ago; `nil` before the first of them.
    private mutating func see(_ utilization: Double, at now: SimulatedTime) -> Double? {
        guard rule.metricDelay > .zero else { return utilization }
        looks.append((now, utilization))
        guard let newest = looks.lastIndex(where: { now - $0.time >= rule.metricDelay }) else { return nil }
        looks.removeFirst(newest)
        return looks[0].utilization
    }

    /// The most instances that any look within the stabilization wanted.
    private mutating func keep(_ wanted: Int, at now: SimulatedTime) -> Int {
        guard rule.stabilization > .zero else { return wanted }
        wishes.removeAll { now - $0.time > rule.stabilization }
        wishes.append((now, wanted))
        return wishes.reduce(wanted) { max($0, $1.wanted) }
    }

    mutating func started(_ instances: Int) {
        starting -= instances
        active += instances
    }
}

extension Fleet {
    mutating func evaluateScaling(of station: Int, _ agenda: inout Agenda<Event>) throws {
        guard let rule = world.stations[station].settings.scaling else { return }
        let instances = world.stations[station].active
        let (missing, slots) = world.stations[station].evaluateScaling(at: agenda.now)
        for slot in slots { try serve(slot, &agenda) }
        try emptyMemories(of: station)
        if world.stations[station].active < instances {
            world.note(
                station, change: "\(world.stations[station].active) instances instead of \(instances)",
                at: agenda.now)
        }
        if missing > 0 {
            world.note(station, change: "\(missing) more instances start", at: agenda.now)
            agenda.schedule(
                .world(.instancesStart(station: UInt32(station), count: UInt32(missing))),
                after: rule.startDelay)
        }
        if world.isOpen(agenda.now.advanced(by: .nanoseconds(1))) {
            agenda.schedule(.world(.scaling(station: UInt32(station))), after: rule.period)
        }
    }

    mutating func startInstances(_ count: Int, of station: Int, _ agenda: inout Agenda<Event>) throws {
        for slot in world.stations[station].start(count, at: agenda.now) { try serve(slot, &agenda) }
        try emptyMemories(of: station)
        world.note(station, change: "\(count) more instances take requests", at: agenda.now)
    }
}
