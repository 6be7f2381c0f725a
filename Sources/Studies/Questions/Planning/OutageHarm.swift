import FleetModel

/// Harm of an outage by closed form, with what fails open and with what fails closed.
///
/// Visits come at one rate for as long as servers are missing: that of the hour in which it begins. Every visit that
/// would have asked and gets no verdict is the policy's. What is left out: lookups that are repeated, people who give
/// up, and caches that run empty.
package struct OutageHarm: Codable, Equatable, Sendable {
    /// Visits of the fleet.
    package struct Visits: Codable, Equatable, Sendable {
        package var devices: Int
        /// URLs that a device checks in an hour of the outage.
        package var urlsPerDeviceHour: Double
        /// Share of them that is listed, and that is not and hits the prefilter all the same.
        package var listedShare: Double
        package var strayShare: Double
        /// Share of the hits that no cache answers.
        package var askedShare: Double

        package init(
            devices: Int, urlsPerDeviceHour: Double, listedShare: Double, strayShare: Double,
            askedShare: Double
        ) {
            self.devices = devices
            self.urlsPerDeviceHour = urlsPerDeviceHour
            self.listedShare = listedShare
            self.strayShare = strayShare
            self.askedShare = askedShare
        }
    }

    /// Servers that are gone.
    package enum Extent: Equatable, Sendable {
        case everything
        /// One of so many regions with as many devices each.
        case region(of: Int)
        /// One of so many instances that keep the keys of their own users only.
        case instance(of: Int)

        /// Share of the devices that notice.
        package var share: Double {
            switch self {
            case .everything: 1
            case .region(let count), .instance(let count): 1 / Double(max(count, 1))
            }
        }
    }

    /// Seconds of the outage.
    package var length: Double
    /// Listed URLs that get through if it fails open.
    package var leaked: Double
    /// URLs that are not listed and are blocked all the same if it fails closed.
    package var blocked: Double
    /// Seconds for which a device of the lost servers has no answer, in the mean.
    package var unanswered: Double

    /// - Parameter law: Its length is that of the outage.
    package init(_ law: OutageLaw, _ visits: Visits, _ extent: Extent) {
        length = law.length
        unanswered = law.unanswered(extent)
        let asked =
            Double(visits.devices) * extent.share * visits.urlsPerDeviceHour / 3_600 * visits.askedShare
            * unanswered
        leaked = asked * visits.listedShare
        blocked = asked * visits.strayShare
    }
}

extension OutageLaw {
    /// Chance that a device of the lost servers gets no answer, so many seconds after the loss.
    package func failing(_ time: Double, _ extent: OutageHarm.Extent) -> Double {
        switch extent {
        // Nothing is left that could take over.
        case .everything: time >= 0 && time < length ? 1 : 0
        case .region: failing(time, after: .region)
        case .instance(let count): failing(time, after: .instance(of: count))
        }
    }

    /// Seconds after which every device has its answers again.
    package func end(_ extent: OutageHarm.Extent) -> Double {
        switch extent {
        case .everything: length
        case .region: length + detection + refetch
        case .instance: length + refetch
        }
    }

    /// Mean seconds without an answer of a device of the lost servers: the law over its whole time.
    package func unanswered(_ extent: OutageHarm.Extent) -> Double {
        let end = end(extent)
        let step = end / Double(Self.slices)
        return (0..<Self.slices).reduce(0) { sum, index in
            sum + failing((Double(index) + 0.5) * step, extent) * step
        }
    }

    private static let slices = 4_000
}
