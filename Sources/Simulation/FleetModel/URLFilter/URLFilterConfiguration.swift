package import EventSimulation
package import RandomStreams
package import URLFilter

/// Settings that a URL filter needs beside the world.
package struct URLFilterConfiguration: Sendable {
    package var device: DeviceConstants
    package var policy: FailurePolicy
    package var prefilter: PrefilterConfiguration

    package init(device: DeviceConstants, policy: FailurePolicy, prefilter: PrefilterConfiguration) {
        self.device = device
        self.policy = policy
        self.prefilter = prefilter
    }
}

/// How devices get their prefilter. It does not travel through the relay.
package struct PrefilterConfiguration: Sendable {
    /// Size of the prefilter on the wire, bytes.
    package var byteCount: Int
    /// Bytes for a device that is one edition behind, two, and so on, where these get the difference only; others
    /// download all.
    package var differenceByteCounts: [Int] = []
    /// Bytes of a "nothing new" answer.
    package var unchangedByteCount: Int
    /// Assumption: the headers of an answer 304.
    package static let usualUnchangedByteCount = 200
    /// Bandwidth of the origin, bytes per second, shared by all downloads in turn; `nil` for no limit.
    package var originBandwidth: Double?
    /// A new edition is published this often; `nil` for never. Every edition is downloaded once by each device and
    /// empties its verdict caches.
    package var republishInterval: SimulatedDuration?
    /// Time when the edition after the one that is there at the start is published; `nil`: after one interval.
    package var firstUpdate: SimulatedDuration?
    /// How devices follow an edition is recorded.
    package var isWatched = true
    /// Share of the list's entries that are new in each edition after the first: nobody is to be blocked before the
    /// edition is published. In `0...1`.
    package var newEntryShare: Double
    /// Share of the list's entries that each edition after the first no longer has: nobody is to be blocked from the
    /// publication on. In `0...1`.
    package var removedEntryShare: Double
    /// Entries of a list of threats, which are known before they are published, and live shortly. Needs
    /// ``republishInterval``.
    package var threats: ThreatEntries?
    /// Time from the publication of an edition until the PIR servers answer from it.
    package var reloadDelay: SimulatedDuration
    /// An edition comes with a new PIR configuration: a device asks the database of the configuration that it
    /// fetched last (article "Device", section "Caches and keys", [V]).
    package var changesConfiguration: Bool
    /// Configurations that the PIR servers keep a database for, the newest among them; a query with an older one is
    /// answered 410. At least 1. The example service keeps 2 (article "Device", section "Caches and keys", [V]).
    package var keptConfigurations: Int
    /// Seconds from the arrival of an edition to the next start of the app: a running app keeps the prefilter it
    /// began with (article "Device", section "Way of one URL", [F]). `nil`: apps take it at once.
    package var appRestart: Distribution?

    package init(
        byteCount: Int, unchangedByteCount: Int, originBandwidth: Double?,
        republishInterval: SimulatedDuration?, firstUpdate: SimulatedDuration? = nil,
        newEntryShare: Double = 0, removedEntryShare: Double = 0, appRestart: Distribution? = nil,
        reloadDelay: SimulatedDuration = .zero,
        changesConfiguration: Bool = false, keptConfigurations: Int = 2
    ) {
        precondition(keptConfigurations >= 1, "servers keep at least the newest configuration")
        self.byteCount = byteCount
        self.unchangedByteCount = unchangedByteCount
        self.originBandwidth = originBandwidth
        self.republishInterval = republishInterval
        self.firstUpdate = firstUpdate
        self.newEntryShare = newEntryShare
        self.removedEntryShare = removedEntryShare
        self.reloadDelay = reloadDelay
        self.changesConfiguration = changesConfiguration
        self.keptConfigurations = keptConfigurations
        self.appRestart = appRestart
    }

    /// Bytes that a device downloads.
    ///
    /// - Parameter edition: That it has; 0 for none.
    func byteCount(from edition: UInt32, to newest: UInt32) -> Int {
        guard edition > 0, newest > edition, Int(newest - edition) <= differenceByteCounts.count else {
            return byteCount
        }
        return differenceByteCounts[Int(newest - edition) - 1]
    }
}

extension ServiceConfiguration {
    package init(
        relay: RelayConfiguration, gateway: StationConfiguration, issuer: StationConfiguration,
        pir: StationConfiguration, backendDelay: Distribution, tokensPerUserPerDay: Int?
    ) {
        self.init(
            relay: relay, stations: [.gateway: gateway, .issuer: issuer, .pir: pir],
            backendDelay: backendDelay, tokensPerUserPerDay: tokensPerUserPerDay)
    }

    package var pir: StationConfiguration {
        get { self[.pir] }
        set { self[.pir] = newValue }
    }
}
