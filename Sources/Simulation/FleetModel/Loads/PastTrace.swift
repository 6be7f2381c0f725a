import Decoding
import EventSimulation

/// The first day of a trace, for what its devices did on the days before it.
///
/// Nothing of it is counted with the run.
struct PastTrace: Sendable {
    static let day = Int64.days(1)
    private static let windowsOfDay: Int64 = 24

    /// Numbers of the fleet.
    let devices: Range<Int>
    private let makeUnit: @Sendable () -> TraceUnit

    /// - Returns: `nil` for a group of which nothing is known before the start.
    init?(
        _ group: DeviceGroup, _ replay: TraceReplay, in configuration: FleetConfiguration,
        catalog: URLCatalog,
        firstDevice: Int, settings: LoadSettings
    ) {
        guard configuration.start == .steady, configuration.history > .zero, !configuration.startsCold(group)
        else { return nil }
        devices = firstDevice..<(firstDevice + group.count)
        var own = settings
        // Copies of a client are shifted, if need be beyond the day.
        (own.warmUp, own.duration, own.blind) = (0, .max, BlindTimes())
        let (past, usage) = (own, group.usage)
        makeUnit = {
            TraceUnit(
                replay: replay, catalog: catalog, firstDevice: firstDevice, deviceCount: group.count,
                settings: past, usage: usage, startsCold: false)
        }
    }

    /// Hands over what is in the first 24 h of the trace, an hour at a time, which bounds memory.
    ///
    /// Times are nanoseconds from the start of the run.
    func take(_ use: (WindowLoads) -> Void) throws {
        var unit = makeUnit()
        var counts = LoadCounts()
        for window in 1...Self.windowsOfDay {
            use(try unit.generate(until: window * Self.day / Self.windowsOfDay, counts: &counts))
        }
    }
}
