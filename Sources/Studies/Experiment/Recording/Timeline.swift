import EventSimulation
import FleetModel
import Foundation
import RandomStreams

/// The slowest lookups of a replication and a sample of the others, with all that servers did for them, and how the
/// stations were meanwhile.
///
/// Holds at most twice ``size`` lookups, and for each station one reading per interval of the series and per change.
struct Timeline: Sendable {
    /// Lookups of each kind: slowest, and drawn.
    static let size = 100

    let configuration: FleetConfiguration
    private(set) var stations: [LoggedStation] = []
    /// Lookups with their places in the order of their ends.
    private var slowest: [(order: Int, lookup: LoggedLookup)] = []
    private var drawn: [(order: Int, lookup: LoggedLookup)] = []
    private var count = 0
    private var choices: RandomStream

    init(_ configuration: FleetConfiguration) {
        self.configuration = configuration
        choices = RandomStream(
            seed: configuration.seed, replication: 0, entity: 0, purpose: StreamPurpose("timeline"))
    }

    /// Slowest and drawn lookups in the order of their beginnings.
    var lookups: [LoggedLookup] {
        let slow = Set(slowest.map(\.order))
        return (slowest + drawn.filter { !slow.contains($0.order) })
            .sorted { ($0.lookup.started, $0.order) < ($1.lookup.started, $1.order) }.map(\.lookup)
    }

    mutating func add(_ station: LoggedStation) { stations.append(station) }

    /// Reservoir sampling for the drawn ones (Vitter 1985, algorithm R).
    mutating func add(_ lookup: LoggedLookup) {
        defer { count += 1 }
        if slowest.count < Self.size || lookup.duration > slowest[slowest.count - 1].lookup.duration {
            let place = slowest.firstIndex { $0.lookup.duration < lookup.duration } ?? slowest.count
            slowest.insert((count, lookup), at: place)
            if slowest.count > Self.size { slowest.removeLast() }
        }
        if drawn.count < Self.size {
            drawn.append((count, lookup))
        } else {
            let place = choices.index(below: count + 1)
            if place < Self.size { drawn[place] = (count, lookup) }
        }
    }
}
