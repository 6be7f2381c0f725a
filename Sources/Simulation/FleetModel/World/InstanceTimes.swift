import Decoding
import EventSimulation
import RandomStreams

/// How fast the lines of a station are at any time.
struct InstanceTimes {
    private let cpuFactor: Double
    private let coldStart: ColdStart?
    private let pauses: ServerPauses?
    /// Speed of each line; empty where machines are as fast all the time.
    private var speeds: [SpeedPath]
    /// Time at which each line began to take requests, if that was during the run; empty where it makes nothing slower.
    private var beginnings: [SimulatedTime?]
    /// Beginning of a pause of each line; empty where there are none.
    private let firstPauses: [SimulatedDuration]

    /// - Parameter random: For the speed and the pauses of each line, by its number.
    init(_ settings: StationConfiguration, random: (_ line: Int, StreamPurpose) -> RandomStream) {
        let lines = 0..<settings.lineCount
        cpuFactor = settings.cpuFactor
        coldStart = settings.coldStart
        pauses = settings.pauses
        speeds =
            settings.speed.map { process in lines.map { SpeedPath(process, random: random($0, .speed)) } }
            ?? []
        beginnings = settings.coldStart == nil ? [] : lines.map { _ in nil }
        firstPauses =
            settings.pauses.map { pauses in
                lines.map { line in
                    var stream = random(line, .pauses)
                    return .seconds(stream.uniform() * pauses.every)
                }
            } ?? []
    }

    /// Factor of the work of a request that begins now, but for faults.
    mutating func factor(line: Int, at now: SimulatedTime) -> Double {
        let warm =
            speeds.isEmpty
            ? cpuFactor : cpuFactor * speeds[line].factor(at: Double(nanoseconds: now.nanoseconds))
        guard let coldStart, let begin = beginnings[line] else { return warm }
        return warm * coldStart.factor(at: now - begin)
    }

    /// Time until work is done that begins now, with the pauses of its instance.
    func elapsed(of work: SimulatedDuration, line: Int, from now: SimulatedTime) -> SimulatedDuration {
        pauses.map { $0.elapsed(of: work, from: now, first: firstPauses[line]) } ?? work
    }

    /// The instance of a line has a cold memory.
    mutating func begin(_ line: Int, at now: SimulatedTime) {
        if coldStart != nil { beginnings[line] = now }
    }
}
