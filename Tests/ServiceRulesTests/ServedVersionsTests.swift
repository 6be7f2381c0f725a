import ServiceRules
import TestSupport
import Testing

/// Versions that are served: names beside the numbers that the model has, and any order of names.
struct ServedVersionsTests {
    /// Each version is new, as in the simulation: of the first 20 the limit alone says which are served.
    @Test(arguments: 0...4)
    func versionsInARowAreThoseOfTheLimit(count: Int) {
        let limit = VersionLimit(count)
        var versions = ServedVersions<String, Int>()
        for latest in 0..<20 {
            versions.install(latest, as: "version \(latest)", within: limit)
            for number in 0...latest {
                let isServed = limit.serves(newerVersions: latest - number)
                #expect(versions["version \(number)"] == (isServed ? number : nil))
            }
            #expect(versions["version \(latest + 1)"] == nil)
            #expect(versions.newest == (count > 0 ? latest : nil))
        }
    }

    /// Versions that come again, and limits that change: the latest of each name count, the newest first.
    @Test(arguments: UInt64(0)..<4)
    func aVersionThatComesAgainIsTheNewest(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var versions = ServedVersions<Int, Int>()
        var list: [(name: Int, content: Int)] = []
        for step in 0..<500 {
            let (name, count) = (random.below(6), random.below(5))
            versions.install(step, as: name, within: VersionLimit(count))
            list = Array(([(name, step)] + list.filter { $0.name != name }).prefix(count))
            #expect(versions.contents == list.map(\.content))
            for name in 0..<6 {
                #expect(versions[name] == list.first { $0.name == name }?.content)
            }
        }
    }
}
