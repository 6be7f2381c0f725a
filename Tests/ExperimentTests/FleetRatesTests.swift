import FleetModel
import Foundation
import Questions
import Testing

/// Demand and harm from rates that are typed, against what a pencil says.
@Suite struct FleetRatesTests {
    private var rates: FleetDemand.Rates {
        var rates = FleetDemand.Rates(
            devices: 20_000, lookupsPerDeviceDay: 120, peakOverMean: 4, percentile: 0.99, way: 0.25)
        (rates.pirSeconds, rates.gatewaySeconds, rates.issuerSeconds) = (0.005, 3e-4, 1e-4)
        (rates.bytesUpPerLookup, rates.bytesDownPerLookup) = (50_000, 20_000)
        return rates
    }

    @Test func loadsAreRatesTimesTime() throws {
        let demand = FleetDemand(rates)
        let pir = try #require(demand.regions.first?[.pir])
        // 20 000 * 120 / 86 400 lookups a second, 5 ms each.
        #expect(abs(pir.meanCores - 2_400_000 * 0.005 / 86_400) < 1e-12)
        #expect(abs(pir.peakCores - 4 * pir.meanCores) < 1e-12)
        #expect(abs(pir.series.reduce(0, +) / 288 - pir.meanCores) < 1e-9)
        #expect(abs((pir.series.max() ?? 0) / pir.peakCores - 1) < 1e-6)
        #expect(demand.egressBytesPerDay == 2_400_000 * 20_000)
    }

    @Test func ratesComeBackFromTheirDemand() throws {
        let back = try #require(FleetDemand.Rates(FleetDemand(rates), percentile: 0.99))
        #expect(back.devices == rates.devices && back.way == rates.way)
        for path in [
            \FleetDemand.Rates.lookupsPerDeviceDay, \.peakOverMean, \.pirSeconds, \.gatewaySeconds,
            \.issuerSeconds, \.bytesUpPerLookup,
        ] {
            #expect(abs(back[keyPath: path] / rates[keyPath: path] - 1) < 1e-9)
        }
    }

    @Test(arguments: [1.0, 1.2, 2, 4, 12])
    func theBusiestTimeIsSoManyTimesTheMean(_ peak: Double) {
        let shape = DayShape(peakOverMean: peak).values
        #expect(abs(shape.reduce(0, +) / Double(shape.count) - 1) < 1e-9)
        #expect(abs((shape.max() ?? 0) / peak - 1) < 1e-4)
    }

    @Test func regionsShareTheDevices() {
        var rates = rates
        (rates.regions, rates.detour) = (3, 0.12)
        let geography = rates.geography
        #expect(geography.devices.reduce(0, +) == 20_000)
        #expect(geography.shares(among: [0, 1, 2]) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        #expect(abs(geography.detour(to: 0, among: [0]) - 0.12) < 1e-12)
    }

    /// Away for L: none has a key elsewhere before its fetch, R apart; back, L / R have a key that is not known here.
    @Test func anOutageHurtsForAsLongAsTheLawSays() {
        var law = OutageLaw(detection: 25, refetch: 21_600, healthyFailures: 0.05, failsOpen: true)
        law.length = 3_600
        #expect(abs(law.unanswered(.everything) - 3_600) < 1)
        let (l, r) = (3_600.0, 21_600.0)
        #expect(abs(law.unanswered(.region(of: 2)) - (25 + 2 * l - l * l / r)) < 5)
        // An instance's keys are gone with it: R / 2 more.
        #expect(abs(law.unanswered(.instance(of: 4)) - (l - l * l / (2 * r) + r / 2)) < 5)
    }

    @Test func harmIsVisitsTimesShares() {
        var law = OutageLaw(detection: 25, refetch: 21_600, healthyFailures: 0.05, failsOpen: true)
        law.length = 1_200
        let visits = OutageHarm.Visits(
            devices: 1_000, urlsPerDeviceHour: 90, listedShare: 0.001, strayShare: 0.02, askedShare: 0.5)
        let harm = OutageHarm(law, visits, .everything)
        // 1 000 * 90 / 3 visits in 20 minutes, half of whose hits are asked.
        #expect(abs(harm.leaked - 30_000 * 0.5 * 0.001) < 0.01)
        #expect(abs(harm.blocked - 30_000 * 0.5 * 0.02) < 0.2)
        let part = OutageHarm(law, visits, .region(of: 4))
        #expect(abs(part.leaked / part.blocked - 0.05) < 1e-9)
        #expect(OutageHarm.Extent.instance(of: 4).share == 0.25)
    }
}
