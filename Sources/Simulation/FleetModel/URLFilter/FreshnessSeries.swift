package import EventSimulation
import URLFilter

/// How the devices followed one update of the list, from its publication on.
package struct FreshnessSeries: Codable, Hashable, Sendable {
    /// The update's edition, and when it was published.
    package let edition: UInt32
    package let published: SimulatedTime
    /// Time from one point to the next; the first is at the publication.
    package let step: SimulatedDuration
    /// Devices looked at: all, or a regular sample of a large fleet.
    package let deviceCount: Int
    package internal(set) var points: [Point] = []

    /// Shares of the devices. Each of the first five requires the ones before it.
    package struct Point: Codable, Hashable, Sendable {
        /// The device has fetched the update's prefilter or a later one.
        package var fetched = 0.0
        /// And its app has started since.
        package var started = 0.0
        /// And the PIR servers answer from the update.
        package var loaded = 0.0
        /// And the device has the configuration of that database.
        package var configured = 0.0
        /// And no cached answer, and no inactive filter, keeps it from blocking a new entry.
        package var blocks = 0.0
        /// The PIR servers answer from the update, and the device has the configuration of that database.
        package var asksUpdate = 0.0
        /// And no cached answer still says that a removed entry is listed.
        package var hearsUpdate = 0.0
        /// That, or the app uses a prefilter without the entry: a removed entry no longer blocks.
        package var allows = 0.0
    }
}

extension FreshnessSeries {
    /// - Parameter counts: Numbers of devices.
    mutating func append(_ counts: Point) {
        let scale = 1 / Double(max(deviceCount, 1))
        points.append(
            Point(
                fetched: counts.fetched * scale, started: counts.started * scale,
                loaded: counts.loaded * scale,
                configured: counts.configured * scale, blocks: counts.blocks * scale,
                asksUpdate: counts.asksUpdate * scale, hearsUpdate: counts.hearsUpdate * scale,
                allows: counts.allows * scale))
    }

    /// Seconds from the publication until a share of the devices has come so far, between two points by a straight
    /// line.
    ///
    /// - Returns: `nil` if fewer devices did before the end of the run.
    package func seconds(untilShare share: Double, of value: (Point) -> Double) -> Double? {
        guard let index = points.firstIndex(where: { value($0) >= share }) else { return nil }
        guard index > 0 else { return 0 }
        let (before, after) = (value(points[index - 1]), value(points[index]))
        return (Double(index - 1) + (share - before) / (after - before)) * step.seconds
    }

    /// Seconds over which the devices were watched.
    package var watchedSeconds: Double { Double(max(points.count - 1, 0)) * step.seconds }
}
