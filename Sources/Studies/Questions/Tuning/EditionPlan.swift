import Experiment
import FleetModel
import Foundation
import RandomStreams

/// How often the list changes, and what follows from it for devices: downloads, and visits that come too early.
package struct EditionPlan: Codable, Equatable, Sendable {
    /// Seconds from one edition of the list to the next, and from one fetch of a device to the next.
    package var republishInterval: Double
    package var fetchInterval: Double
    /// Seconds from one fetch of the PIR configuration to the next.
    package var configurationRefetch: Double
    /// Mean seconds from the arrival of a prefilter to the next start of the app, exponential; 0: apps take it at once.
    package var appRestart: Double
    /// Share of the devices that are on, in the mean.
    package var activeShare: Double
    /// Share of the list that is new each day.
    package var dailyNewShare: Double
    /// Share of the visits to listed URLs that go to entries which live shortly, and how many seconds these live.
    package var shortLivedShare: Double
    package var shortLife: Double
    /// Full downloads of a device in a day, where the user knows them.
    package var givenDownloads: Double?

    package init(
        republishInterval: Double, fetchInterval: Double, configurationRefetch: Double, activeShare: Double,
        dailyNewShare: Double, appRestart: Double = 0, shortLivedShare: Double = 0,
        shortLife: Double = Self.usualShortLife, givenDownloads: Double?
    ) {
        self.republishInterval = republishInterval
        self.fetchInterval = fetchInterval
        self.configurationRefetch = configurationRefetch
        self.appRestart = appRestart
        self.activeShare = activeShare
        self.dailyNewShare = dailyNewShare
        self.shortLivedShare = shortLivedShare
        self.shortLife = shortLife
        self.givenDownloads = givenDownloads
    }

    /// Size of an answer that says that nothing has changed; as in the simulation.
    static let unchangedBytes = Double(PrefilterConfiguration.usualUnchangedByteCount)

    /// Full downloads of a device in a day: one for each edition, but no more than it fetches; none of a list that
    /// never changes.
    package var downloadsPerDay: Double {
        if let givenDownloads { return givenDownloads }
        return dailyNewShare > 0 ? activeShare * 86_400 / max(republishInterval, fetchInterval) : 0
    }

    /// Fetches that find nothing new.
    var unchangedPerDay: Double { max(0, activeShare * 86_400 / fetchInterval - downloadsPerDay) }

    /// Share of sites for phishing that live no longer than so many seconds (article "Workload", section "Block
    /// lists").
    package static let usualShortLivedShare = 0.6
    package static let usualShortLife = 600.0

    private var forecast: FreshnessForecast {
        FreshnessForecast(
            fetchInterval: fetchInterval, refetchInterval: configurationRefetch, reloadDelay: 0,
            appRestart: appRestart > 0 ? .exponential(mean: appRestart) : nil, changesConfiguration: true)
    }

    /// Seconds from the moment in which an entry is known to be bad to the one in which a device blocks it, in the
    /// mean: half a publication interval, and what the closed form says of devices.
    package var meanDelay: Double {
        republishInterval / 2 + (forecast.means?.toBlock ?? 0)
    }

    /// Share of the visits to listed URLs that come before the device blocks them: nearly all to entries that live
    /// shortly; of the others, new ones are visited as often as old ones.
    package var exposedShare: Double {
        let steady = min(1, dailyNewShare * meanDelay / 86_400)
        guard shortLivedShare > 0 else { return steady }
        let short = forecast.exposureOfShortLived(
            -republishInterval...shortLife, interval: republishInterval, life: shortLife)
        return shortLivedShare * (short ?? 0) / republishInterval + (1 - shortLivedShare) * steady
    }
}
