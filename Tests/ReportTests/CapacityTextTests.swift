import Experiment
import Foundation
import Questions
import Report
import Testing

/// The answer of a capacity search that ended, and of one that was interrupted.
@Suite struct CapacityTextTests {
    private static func result(
        goal: String = "largest", answer: Int?, next: Int?, isInterrupted: Bool
    ) throws -> CapacityResult {
        func trial(_ size: Int, passes: Bool) -> String {
            """
            { "size": \(size), "verdict": { "\(passes ? "passes" : "fails")": {} }, "replications": 4, "objectives": [
              { "expression": "lookup.latency p99 < 800ms", "metric": "lookup.latency", "statistic": "p99", "unit": "s",
                "limit": 0.8, "observed": 0.5, "verdict": "\(passes ? "pass" : "fail")", "passed": \(passes) }],
              "utilizations": [] }
            """
        }
        let trials = [answer.map { trial($0, passes: true) }, next.map { trial($0, passes: false) }]
            .compactMap {
                $0
            }
        let json = """
            { "schema": "urlfilter.capacity/1", "scenario": "s", "subject": "devices", "goal": "\(goal)",
              "confidence": 0.95, "replicationSeconds": 86400, "firstGuess": 100, "outcome": {
                \(answer.map { "\"answer\": \($0)," } ?? "") \(next.map { "\"next\": \($0)," } ?? "")
                "trials": [\(trials.joined(separator: ","))], "isUndecided": false,
                "isInterrupted": \(isInterrupted) } }
            """
        return try JSONDecoder().decode(CapacityResult.self, from: Data(json.utf8))
    }

    @Test(
        "an interrupted search gives its bounds and claims no more",
        arguments: [
            (100, 150, "between 100 devices, which pass, and 150, which miss lookup.latency p99 < 800ms"),
            (100, nil, "at least 100 devices, which pass"),
            (nil, 150, "below 150 devices, which miss lookup.latency p99 < 800ms"),
            (nil, nil, "INTERRUPTED after 0 sizes: nothing is known of the answer"),
        ] as [(Int?, Int?, String)])
    func interrupted(answer: Int?, next: Int?, words: String) throws {
        let result = try Self.result(answer: answer, next: next, isInterrupted: true)
        for text in [
            Document(result).text(.full), Document(result).text(.brief),
            Document(result).page(arguments: ["urlfilter"]),
        ] {
            let folded = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let wanted = words.replacing("<", with: text.hasPrefix("<") ? "&lt;" : "<")
            #expect(folded.contains("INTERRUPTED") && folded.contains(wanted), "\(folded)")
            #expect(!folded.contains("the bound of the search passes") && !folded.contains("raise --to"))
        }
        let smallest = try Self.result(goal: "smallest", answer: 3, next: nil, isInterrupted: true)
        #expect(Document(smallest).text(.full).contains("at most 3 devices, which pass"))
    }

    @Test func aWholeSearchIsNotInterrupted() throws {
        let text = Document(try Self.result(answer: 100, next: 150, isInterrupted: false)).text(.full)
        #expect(!text.contains("INTERRUPTED") && text.contains("answer: 100 devices; 150 misses"))
    }
}
