import RandomStreams
import Workload

/// Common data of the browsing of all devices of one group. A class, because a copy per page view would cost more than
/// the view.
final class BrowsingGroup: Sendable {
    let web: SyntheticWeb
    let habits: BrowsingHabits
    let settings: LoadSettings
    let strayHits: GeometricSkip
    let usage: DeviceUsage
    /// How long before the start of the run the clock of the group begins, nanoseconds. Above 0 for the days before.
    let past: Int64

    init(
        web: SyntheticWeb, habits: BrowsingHabits, settings: LoadSettings, strayHits: GeometricSkip,
        usage: DeviceUsage, past: Int64 = 0
    ) {
        self.web = web
        self.habits = habits
        self.settings = settings
        self.strayHits = strayHits
        self.usage = usage
        self.past = past
    }

    var browsing: StreamPurpose { past > 0 ? .pastBrowsing : .browsing }
    var freshHits: StreamPurpose { past > 0 ? .pastFreshHits : .freshHits }

    func participation(_ device: Int, at time: Int64) -> Participation {
        guard settings.isCovered(at: time, usage) else { return .neverAsks }
        // What was before the start has numbers that nothing else has.
        return settings.participation(device, load: past > 0 ? .min / 2 + time : time, usage)
    }

    /// - Parameter device: Number in the fleet.
    func stream(_ device: Int, _ purpose: StreamPurpose, _ position: UInt32) -> RandomStream {
        settings.stream(device, purpose, UInt64(position))
    }

    /// Time by the clock that a device lives by.
    func local(_ universal: Int64, _ device: Int) -> Int64 {
        habits.localTime(universal: universal - past - settings.lateness(of: device, usage))
    }

    /// `.max` for a time after the end.
    func universal(_ local: Int64?, _ device: Int) -> Int64 {
        guard let local else { return .max }
        let time = habits.universalTime(local: local) + past + settings.lateness(of: device, usage)
        return time < settings.duration ? time : .max
    }
}
