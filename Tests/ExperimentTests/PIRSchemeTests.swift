import Experiment
import FleetModel
import Foundation
import Questions
import Scenarios
import Testing
import URLFilter

/// Schemes of PIR as papers' figures make them, against those figures and by hand.
@Suite struct PIRSchemeTests {
    private func scheme(_ identifier: String) throws -> PIRScheme {
        try #require(PIRScheme.all.first { $0.identifier == identifier })
    }

    /// Respire, table 1: seconds at 0.25, 1 and 8 GB.
    @Test(arguments: [
        ("simplepir", [0.024, 0.093, 0.772]), ("ypir", [0.17, 0.40, 1.71]),
        ("hintlesspir", [0.66, 1.24, 3.70]), ("spiral", [1.28, 2.94, 15.4]),
        ("respire", [1.26, 3.48, 20.8]),
    ])
    func theModelGoesThroughTheTable(_ identifier: String, _ seconds: [Double]) throws {
        let scheme = try scheme(identifier)
        for (size, time) in zip([0.25, 1, 8], seconds) {
            #expect(abs(scheme.cpu(gigabytes: size) - time) < 1e-9)
            #expect(scheme.isValid(gigabytes: size))
        }
        // Below, it is as much as at the smallest size, and no less than reading the database.
        #expect(
            !scheme.isValid(gigabytes: 0.016) && scheme.cpu(gigabytes: 0.016) == scheme.cpu(gigabytes: 0.25))
        #expect(scheme.leastCPU(gigabytes: 0.016) == scheme.linear * 0.016)
    }

    @Test func sizesGrowWithTheRootWhereTheSchemeSaysSo() throws {
        let simple = try scheme("simplepir")
        #expect(simple.uploadBytes(gigabytes: 4) == 128e3 && simple.hintBytes(gigabytes: 0.25) == 105.5e6)
        let spiral = try scheme("spiral")
        #expect(spiral.downloadBytes(gigabytes: 4) == 20e3 && spiral.hintBytes(gigabytes: 4) == 0)
        // 2^20 records of 64 bytes take a third of a second at each of two servers.
        #expect(abs(try scheme("dpf").cpu(gigabytes: 0.067) - 2.0 / 3) < 1e-12)
    }

    /// 61 entries; one of ours takes 5, 10 or 40 ms, 55 / 3 on average.
    @Test func theTableSaysWhereSchemesCross() throws {
        let small = try SmallScenario.calibrated()
        let profile = SmallScenario.profile(entries: 61, parameters: small.parameters)
        let result = try PIRComparison(profile, entries: 61)
        let ours = result.rows[0]
        #expect(abs(ours.cpuSeconds - 0.055 / 3) < 1e-12 && ours.uploadBytes == 30_000)
        // Against a server of 0.1 s they meet in SimplePIR's range: at 1.07 GB, 67 million entries.
        var slow = profile
        slow.endpoints["queries"]?.serviceAnswers = StageCost(samples: [100_000_000])
        let simple = try #require(try PIRComparison(slow, entries: 61).rows.first { $0.name == "SimplePIR" })
        let crossing = try #require(simple.crossingEntries)
        let seconds = try scheme("simplepir").cpu(gigabytes: crossing * PIRScheme.bytesPerEntry * 1e-9)
        #expect(abs(seconds - 0.1) < 1e-9 && abs(crossing / 67e6 - 1) < 0.02)
        // 0.28 s for the gigabyte that was measured: more than ours, and below nothing is known.
        let inspire = try #require(result.rows.first { $0.name == "InsPIRe" })
        #expect(inspire.crossingEntries == nil && abs(inspire.cpuSeconds - 0.28) < 1e-12)
        #expect(abs(inspire.leastCPUSeconds - 0.28 * 61 * 16e-9) < 1e-15)
        // 280 kB up are more than ours both ways: never fewer bytes.
        #expect(inspire.crossingLookups == nil)
        // Respire: 9.7 kB instead of 55 kB a lookup, for a key of 3.9 MB instead of 400 kB.
        let respire = try #require(result.rows.first { $0.name == "Respire" })
        #expect(abs((respire.crossingLookups ?? 0) - 3.5e6 / 45_300) < 1e-9)
    }

    @Test func aScenarioIsChargedByTheModelAndSaysSo() throws {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare("services.pir.implementation=simplepir")
        let scheme = try scheme("simplepir")
        let gigabytes = 61 * PIRScheme.bytesPerEntry * 1e-9
        let queries = try #require(preparation.costProfile?[.queries])
        #expect(
            queries.serviceAnswers.samples == [Int64((scheme.cpu(gigabytes: gigabytes) * 1e9).rounded())])
        #expect(preparation.profileSummary?.server.name == "SimplePIR (modelled)")
        #expect(preparation.profileSummary?.server.obtained?.contains("EXTRAPOLATED") == true)
        #expect(preparation.modelled.contains { $0.contains("modelled from papers") })
        let hint = Int(scheme.hintBytes(gigabytes: gigabytes).rounded())
        let plain = try small.prepare()
        #expect(
            preparation.configuration.urlFilter.prefilter.byteCount
                == plain.configuration.urlFilter.prefilter.byteCount + hint)
    }
}
