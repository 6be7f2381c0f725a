package import Experiment
import FleetModel
import Foundation
import Statistics

extension DeclarationMargin {
    /// Assumption: a declaration is renewed once a year.
    private static let renewal = 12

    /// The margin of a fleet that grows by a law every month: so many months of it, as much as ``quantile`` of what may
    /// come stays below. The usual share where nobody says how it grows.
    package init(growth law: GrowthLaw?) {
        self.init()
        guard let law else { return }
        growth = pow(1 + law.quantile(quantile), Double(Self.renewal)) - 1
        months = Self.renewal
    }
}

extension ObservedTraffic {
    /// Returns what a fleet sends, from what a sample of it sent.
    ///
    /// Sums grow with the number of devices. Peaks are calculated (``PeakLaw``): the rate of each time of the day grows
    /// with them, what all devices do at once included, and chance about it with their root. A crowd that comes from
    /// outside is neither; ``DeclarationMargin/burst`` is for that.
    ///
    /// - Parameters:
    ///   - fleet: Devices.
    ///   - arrivals: Of the sample.
    package func scaled(to fleet: Int, by arrivals: ArrivalResult) -> ObservedTraffic {
        let factor = Double(fleet) / Double(max(devices, 1))
        var traffic = self
        traffic.devices = fleet
        traffic.source += ", scaled from \(devices) devices"
        traffic.remarks.append(
            "peaks of the fleet are calculated from the rate at each time of the sample's day and from how its counts"
                + " scatter about it; seconds are taken as independent of each other")
        traffic.regions = regions.map { region in
            guard let intensity = arrivals.requests(Continent(rawValue: region.name)) else { return region }
            func calculated(_ law: PeakLaw, doubt: Double) -> Rate {
                let peak = CalculatedPeak(law, of: intensity)
                let mean = peak.mean
                return Rate(
                    calculated: peak,
                    interval: Interval(
                        low: mean * max(0, 1 - doubt), high: mean * (1 + doubt), confidence: 0.95,
                        method: "units of devices"))
            }
            let days = observedSeconds / 86_400
            let day = PeakLaw.Windows(
                mean: region.perDay.value * factor,
                variance: intensity.unitVariance * factor / (days * days), third: 0, count: 1)
            return Region(
                name: region.name, perDay: calculated(PeakLaw([day]), doubt: intensity.totalDoubt),
                peakSecond: calculated(
                    PeakLaw(intensity, width: 1, times: factor), doubt: intensity.peakDoubt(1)),
                peakMinute: calculated(
                    PeakLaw(intensity, width: 60, times: factor), doubt: intensity.peakDoubt(60)))
        }
        traffic.endpoints = endpoints.map { endpoint in
            var endpoint = endpoint
            endpoint.requestsPerDay *= factor
            return endpoint
        }
        return traffic
    }
}
