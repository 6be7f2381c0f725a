package import EventSimulation

/// The parts of a world that a way of filtering needs, and the ways of its messages.
struct WorldLayout: Sendable {
    /// Parts before all regions, then the roles that each region has.
    let shared: [Part]
    let regional: [Part]
    /// Roles with servers and a queue.
    let stations: [Part]
    /// Routes by kind of message, for one region after the other.
    let routes: @Sendable (_ regionCount: Int) -> [Route]

    func parts(regions: [String?]) -> [Part] {
        shared + regions.flatMap { region in regional.map { Part($0, region: region) } }
    }
}

/// A way of filtering: what devices and servers keep for it, and by which rules they act.
///
/// The world hands it the loads of the devices and the messages that come to a party; the filter decides what becomes
/// of a URL, and which messages it takes. It never looks at queues, links or faults of its own accord.
package protocol FilterArchitecture {
    /// Events of the filter, besides those of the world.
    associatedtype Event: BitwiseCopyable & Sendable
    typealias Future = Agenda<FleetEvent<Event>>

    /// Schedules what happens first.
    mutating func start(in world: inout World, _ agenda: inout Future) throws

    mutating func handle(_ event: Event, in world: inout World, _ agenda: inout Future) throws

    /// URLs without a hit of a device that may not be able to tell.
    ///
    /// - Returns: Whether they were blocked.
    mutating func takeMisses(_ misses: PendingMisses, in world: inout World, at now: SimulatedTime) -> Bool

    /// A URL is loaded that hits, or that an entry of the list means that cannot match.
    ///
    /// - Parameters:
    ///   - isMeant: See ``URLOutcome/isMeant``.
    ///   - load: Slot of the load that it belongs to.
    ///   - holds: The load goes on when this URL has its verdict; ``World/release(load:after:holds:_:)`` tells it.
    /// - Returns: Whether the URL waits for a verdict.
    mutating func check(
        _ keys: [HitKey], isMeant: Bool, load: Int, holds: Bool, in world: inout World,
        _ agenda: inout Future
    ) throws -> Bool

    /// The work that a server starts on now.
    mutating func work(
        on slot: Int, stage: UInt8, at server: ServerPlace, _ now: SimulatedTime, in world: inout World
    ) throws -> StageWork

    /// The device reads the answer.
    ///
    /// - Returns: CPU time in nanoseconds, and 0 or the status with which the message failed.
    mutating func read(_ slot: Int) throws -> (cpu: Int64, failure: Int?)

    /// A message is over for its device. For one that was given up, ``forget(_:)`` follows when it is over for the
    /// servers too.
    mutating func end(
        _ message: Message, slot: Int, in world: inout World, _ agenda: inout Future
    ) throws

    /// A message is gone, whose answer no device has read.
    mutating func forget(_ slot: Int)

    /// A device's download is there.
    ///
    /// - Parameter tag: With which the download began.
    mutating func takeDownload(_ tag: UInt32, device: Int, in world: inout World, _ agenda: inout Future)

    /// Servers of a part have lost what they keep in memory.
    ///
    /// - Parameter instances: `nil` for all of them.
    mutating func restart(_ part: Part, region: Int, instances: Range<Int>?) throws

    /// Adds what the filter knows to the record of the replication.
    ///
    /// - Parameter traffic: By kind of message.
    func finish(_ record: inout ReplicationRecord, traffic: [EndpointTraffic], in world: World)

    /// Tells the log of the world what is still under way.
    func finishLog(in world: World, at end: SimulatedTime)

    /// Laws of the filter's own; see ``ResourceCheck``.
    func resourceChecks(at end: SimulatedTime) -> [ResourceCheck]
}

/// A filter that sends no messages is never asked about one.
extension FilterArchitecture {
    package mutating func work(
        on slot: Int, stage: UInt8, at server: ServerPlace, _ now: SimulatedTime, in world: inout World
    ) throws -> StageWork {
        preconditionFailure("this filter has no servers")
    }

    package mutating func read(_ slot: Int) throws -> (cpu: Int64, failure: Int?) {
        preconditionFailure("this filter sends no messages")
    }

    package mutating func end(
        _ message: Message, slot: Int, in world: inout World, _ agenda: inout Future
    ) throws {}

    package mutating func forget(_ slot: Int) {}

    package mutating func restart(_ part: Part, region: Int, instances: Range<Int>?) throws {}

    package func finishLog(in world: World, at end: SimulatedTime) {}
}
