import Decoding
package import EventSimulation
package import Scenarios

/// A scenario whose parts do not fit each other, or one of its files.
package enum PreparationError: InputFault, Equatable, CustomStringConvertible {
    case noDuration
    case warmUpTooLong(SimulatedDuration, duration: SimulatedDuration)
    case faultTooLate(SimulatedDuration, duration: SimulatedDuration)
    case seriesTooLong(points: Double)
    case updatesAreNotReal
    case updatesTooLarge(changes: Int, updates: Int, entries: Int)
    case memoryTooSmall(Int, database: Int, key: Int)
    case faultOfNothing(String, architecture: ArchitectureChoice)
    /// On the weekdays that are simulated, from Monday.
    case nobodyBrowses
    case traceEmpty(String)
    case traceTooLong(String, seconds: Double)

    package var description: String {
        func text(_ duration: SimulatedDuration) -> String { "\((duration.seconds * 1e3).rounded() / 1e3) s" }
        switch self {
        case .faultOfNothing(let fault, let architecture):
            return
                "the fault '\(fault)' has no effect with architecture \(architecture.rawValue), which has no such part;"
                + " an outage of 'decider' means the server that decides, whatever the architecture; or leave it out"
                + " with --set faults=null"
        case .noDuration:
            return "duration is missing; only a trace implies one, write for example 'duration: 24h'"
        case .warmUpTooLong(let warmUp, let duration):
            return "warmUp is \(text(warmUp)); it must be less than the duration, \(text(duration))"
        case .faultTooLate(let begin, let duration):
            return
                "a fault begins at \(text(begin)); it must begin before the end of the run, \(text(duration))"
        case .seriesTooLong(let points):
            return
                "seriesInterval would make \(Int(saturating: min(points, 1e18))) points; at most 1000000 are kept"
        case .updatesAreNotReal:
            return
                "updates.churn, add and remove need fidelity: calibrated; the real database stays as it is"
        case .updatesTooLarge(let changes, let updates, let entries):
            return
                "updates (churn, or add and remove) change \(changes) entries \(updates) times; the list has"
                + " \(entries), and each of them may come or go once"
        case .memoryTooSmall(let memory, let database, let key):
            return
                "services.pir.memory is \(memory) bytes; the processed database takes \(database) and one evaluation"
                + " key \(key), raise it to \(database + 1000 * key) at least, for 1000 devices"
        case .nobodyBrowses:
            return
                "nobody browses on the simulated days: their weekday has weight 0 in browsing.weekdayWeights; set"
                + " browsing.weekdayOfDayZero to a day that has some (0 is Monday), or a longer duration"
        case .traceEmpty(let file): return "\(file): no usable record"
        case .traceTooLong(let file, let seconds):
            return "\(file): spans \(seconds) s; at most 1e9 s, divided by compression, can be simulated"
        }
    }
}
