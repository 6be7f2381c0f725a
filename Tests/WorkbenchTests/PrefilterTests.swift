import Foundation
import TestSupport
import Testing
import Workbench

/// The knobs of a prefilter.
@Suite struct PrefilterTests {
    private let folder: TemporaryFolder
    private let client: PageClient

    init() async throws {
        folder = try TemporaryFolder()
        client = try await PageClient.opened(folder.path)
    }

    /// The textbook's formula, written down again.
    @Test func curvesAreTheClosedForm() async throws {
        let answer = try client.document(
            await client.ask(
                "prefilter",
                ["entries": "1M", "bitCount": "10000000", "devices": "2k", "urlsPerDevice": "1000"]))
        let curve = try #require(answer["bySize"] as? [[String: Double]])
        #expect(curve.count == 24)
        for point in curve {
            let k = try #require(point["hashCount"])
            let rate = pow(1 - exp(-k * 1e6 / 1e7), k)
            #expect(abs((point["perString"] ?? 0) / rate - 1) < 1e-9)
            #expect(abs((point["perURL"] ?? 0) / (1 - pow(1 - rate, 40)) - 1) < 1e-6)
        }
        // (m / n) ln 2 = 6.93.
        #expect((answer["chosen"] as? [String: Double])?["hashCount"] == 7)
        #expect((answer["bytesPerEdition"] as? NSNumber)?.doubleValue == 2.5e9)
        #expect(
            answer["command"] as? String
                == "urlfilter bloom size --entries 1000000 --bit-count 10000000 --devices 2000")
        #expect(answer["settings"] as? [String] == ["filter.bitCount=10000000", "filter.hashCount=7"])
    }

    @Test func theDefaultIsTheShapeOfAppleTools() async throws {
        let answer = try client.document(
            await client.ask("prefilter", ["entries": "1000000", "tolerance": "0.001"]))
        #expect((answer["chosen"] as? [String: Double])?["bitCount"] == 14_377_588)
        #expect(answer["settings"] as? [String] == ["filter.falsePositiveTolerance=0.001"])
    }

    @Test func itAnswersWhileAKnobTurns() async throws {
        // Lists of a few entries are measured besides, which takes longer.
        for entries in ["60000", "1M", "200M"] {
            _ = await client.ask("prefilter", ["entries": entries, "tolerance": "0.001"])
            let clock = ContinuousClock()
            let times = await [0, 1, 2].asyncMap { _ in
                await clock.measure {
                    _ = await client.ask("prefilter", ["entries": entries, "tolerance": "0.001"])
                }
            }
            #expect(times.min() ?? .zero < .milliseconds(100), "\(entries) entries: \(times)")
        }
    }

    @Test(arguments: [
        ["entries": "0"], ["entries": "-1"], ["entries": "1e99"], ["entries": ""], ["entries": "<b>"],
        ["entries": "5", "tolerance": "2"], ["entries": "5", "tolerance": "nan"],
        ["entries": "5", "bitCount": "5G"],
        ["entries": "5", "bitCount": "10", "hashCount": "65"], ["entries": "1000000G", "tolerance": "0.001"],
    ])
    func whatCannotBeIsASentence(_ question: [String: String]) async throws {
        let answer = await client.ask("prefilter", question)
        #expect(answer.status == 422)
        #expect(try client.sentence(answer).isEmpty == false)
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Element) async -> Value) async -> [Value] {
        var values: [Value] = []
        for element in self { values.append(await body(element)) }
        return values
    }
}
