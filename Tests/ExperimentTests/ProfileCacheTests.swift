import Experiment
import FleetModel
import Foundation
import Scenarios
import Synchronization
import TestSupport
import Testing
import Workload

/// Profiles in the cache: measured once, and again when the file is of no use.
@Suite struct ProfileCacheTests {
    private static let list = BlockList((0..<40).map { "host\($0).example" })
    private static let parameters = "insecure_n_8_logq_5x18_logt_5"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func profile(file: String? = nil) throws -> (profile: CostProfile, path: String, notes: [String])
    {
        let notes = Mutex<[String]>([])
        let (profile, path) = try ProfileCache.profile(
            of: ProfileSubject(Self.list, rlweParameters: Self.parameters, shardCount: 1), file: file,
            cache: folder.path,
            largestNoise: .infinity
        ) { note in notes.withLock { $0.append(note) } }
        return (profile, path, notes.withLock { $0 })
    }

    @Test func aCachedProfileThatIsOfNoUseIsMeasuredAgain() throws {
        let first = try profile()
        #expect(first.notes == ["measuring the real cryptography on this machine"])
        #expect(try profile().profile == first.profile)
        #expect(try profile().notes.isEmpty)
        let good = try String(contentsOfFile: first.path, encoding: .utf8)
        for (text, why) in [
            (String(good.prefix(good.count / 2)), "not a usable cost profile"),
            ("", "not a usable cost profile"),
            (good.replacing("urlfilter.profile/1", with: "urlfilter.profile/0"), "its schema is"),
            (good.replacing("\"shards\" : 1", with: "\"shards\" : 2"), "was measured for"),
        ] {
            #expect(text != good)
            try folder.write(text, to: URL(fileURLWithPath: first.path).lastPathComponent)
            let again = try profile()
            #expect(again.notes.count == 2)
            #expect(again.notes.first?.contains(why) == true, "\(again.notes)")
            #expect(again.notes.first?.hasSuffix("; measuring it again") == true)
            // What was measured is kept.
            #expect(try profile().profile == again.profile)
        }
    }

    /// Nobody's own file is overwritten.
    @Test func aFileOfTheUserIsAnError() throws {
        let path = try folder.write("{}", to: "mine.json")
        #expect(throws: ProfileError.self) { try profile(file: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}")
    }

    /// Fifteen samples as `measure` takes them; half of the range from the 10th to the 90th percentile decides.
    @Test func aDisturbedMeasurementIsSeen() throws {
        let even = [Int64](repeating: 2_000_000, count: 15)
        let rising = (0..<15).map { number in Int64(2_000_000 + 20_000 * number) }
        // Other work took the core for a third of the time.
        let disturbed = (0..<15).map { number in Int64(number < 10 ? 3_500_000 : 7_230_000) }
        let cases: [([Int64], Double, Bool)] = [
            (even, 0, false), (rising, 0.0514, false), (disturbed, 0.533, true),
        ]
        var profile = SmallScenario.profile(entries: 1, parameters: Self.parameters)
        #expect(profile.noise == nil && !profile.isNoisy)
        for (samples, noise, isNoisy) in cases {
            profile.endpoints["queries"]?.serviceAnswers = StageCost(samples: samples)
            let found = try #require(profile.noise)
            #expect(abs(found - noise) < 0.001 && profile.isNoisy == isNoisy, "\(found)")
        }
    }
}
