import Decoding
import EventSimulation
import FleetModel
package import Scenarios

/// How long the PIR servers answer about an edition's configuration, against how long a device keeps it.
///
/// A configuration is served for V editions, the first of which a device meets at an age that is spread evenly over
/// the time E between two: it lives evenly between (V - 1) E and V E. The device fetches the next one after R, so that
/// its lookups meet 410 for the mean of what R is longer.
package struct ConfigurationLife: Codable, Equatable, Sendable {
    /// Seconds from one edition to the next.
    package var interval: Double
    /// Editions that are served at once.
    package var versions: Int
    /// Seconds from one fetch of the configuration to the next.
    package var refetch: Double

    package init(interval: Double, versions: Int, refetch: Double) {
        self.interval = interval
        self.versions = versions
        self.refetch = refetch
    }

    /// - Returns: `nil` where editions share one configuration.
    package init?(_ scenario: Scenario) {
        let updates = scenario.prefilter.updates
        guard scenario.architecture == .urlFilter, updates.changesConfiguration,
            let interval = updates.interval?.seconds, interval > 0
        else { return nil }
        self.init(
            interval: interval, versions: updates.versionCount,
            refetch: scenario.behaviour.configurationRefetch.seconds)
    }

    private var shortest: Double { Double(versions - 1) * interval }
    private var longest: Double { Double(versions) * interval }

    /// Share of the time in which the configuration that a device has is gone.
    package var goneShare: Double {
        guard refetch > shortest else { return 0 }
        guard refetch < longest else { return 1 - (shortest + longest) / 2 / refetch }
        let missing = (refetch - shortest) * (refetch - shortest) / (2 * interval)
        return missing / refetch
    }

    /// Editions of which none is gone while a device has its configuration.
    package var versionsNeeded: Int { Int(saturating: (refetch / interval).rounded(.up)) + 1 }

    /// Sentence on what is lost, with the settings that mend it.
    package var sentence: String {
        let share = Int(saturating: (100 * goneShare).rounded())
        return
            "PIR servers drop an edition's configuration after \(versions) × \(Self.time(interval)) at most,"
            + " and devices fetch one every \(Self.time(refetch)): \(share) % of their lookups get 410 and no"
            + " verdict; set updates.versionCount to \(versionsNeeded), or updates.changesConfiguration to false"
            + " where the database's parameters stay"
    }

    private static func time(_ seconds: Double) -> String {
        let (value, unit) =
            seconds < 60 ? (seconds, "s") : seconds < 3_600 ? (seconds / 60, "min") : (seconds / 3_600, "h")
        return "\((value * 100).rounded() / 100) \(unit)".replacing(".0 ", with: " ")
    }
}
