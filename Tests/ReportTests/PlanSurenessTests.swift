import Experiment
import Foundation
import Questions
import Report
import Testing

/// How sure a number of servers is, beside it, against counts that are given.
struct PlanSurenessTests {
    /// - Parameters:
    ///   - near: Draws of forty at which the servers are as good as the best.
    ///   - tooSmall: Those at which they are too small.
    ///   - step: Money of one server more, of a hundred.
    ///   - without: Further draws at which no servers are enough.
    private func answer(near: Int?, tooSmall: Int, step: Double = 1, without: Int = 0) throws -> Document {
        var result = try BudgetTests.result()
        let plan = try #require(result.bestPoint?.plan)
        let regions = String(decoding: try JSONEncoder().encode(plan.regions), as: UTF8.self)
        let json = """
            { "risk": 0.1, "points": 40, "withoutServers": \(without), "cheapest": [], "planned": 0, "advised": 0,
              "choices": [{ "regions": \(regions), "money": 100, "tooSmall": \(tooSmall), "low": 0.34,
                "high": 0.66, \(near.map { "\"near\": \($0), \"step\": \(step), \"withinStep\": 30," } ?? "") "regret": 1, "mostRegret": 2,
                "missing": 50, "alike": [] }] }
            """
        result.risk = try JSONDecoder().decode(PlanRisk.self, from: Data(json.utf8))
        return Document(result)
    }

    private func text(_ document: Document, _ level: Document.Level) -> String {
        document.text(level).replacing(/\s+/, with: " ")
    }

    @Test(arguments: [(38, 2, "as good as known"), (20, 10, "likely, not known"), (4, 20, "a guess")])
    func theNumberHasAWordAndItsShares(near: Int, tooSmall: Int, word: String) throws {
        let document = try answer(near: near, tooSmall: tooSmall)
        let shares = [near, tooSmall, 40 - near - tooSmall].map { "\(Int((Double($0) * 2.5).rounded())) %" }
        for form in [text(document, .brief), text(document, .full), document.markdown(.brief)] {
            #expect(form.contains("this number of servers is \(word)"), "\(form)")
            #expect(form.contains("cheapest that is enough in \(shares[0])"), "\(form)")
            #expect(form.contains("too small in \(shares[1]) (34 % to 66 %)"), "\(form)")
            #expect(form.contains("dearer in \(shares[2])"), "\(form)")
        }
        // It stands once in a terminal, after the servers.
        let full = text(document, .full)
        #expect(full.matches(of: /how sure:/).count == 1)
        #expect(full.contains("No log tells which lookups") == (near < 38))
        #expect(document.page(arguments: []).contains("this number of servers is \(word)"))
    }

    @Test func aStepThatIsDearIsNamed() throws {
        let near = "cheapest that is enough in 50 %"
        let dear = text(try answer(near: 20, tooSmall: 10, step: 9), .full)
        #expect(dear.contains("\(near), within one server of it (9 % of the money) in 75 %, too small"))
        #expect(text(try answer(near: 20, tooSmall: 10, step: 2), .full).contains("\(near), too small"))
    }

    /// Whoever reads that servers are as good as known reads at how many draws none are.
    @Test(arguments: [0, 1, 8]) func drawsWithoutServersAreNamedBesideIt(without: Int) throws {
        let brief = text(try answer(near: 40, tooSmall: 0, without: without), .brief)
        let words = "; at \(without) further draw\(without == 1 ? "" : "s") no servers help"
        #expect(brief.contains(words) == (without > 0))
    }

    @Test func anEarlierDocumentSaysWhatItKnows() throws {
        let full = text(try answer(near: nil, tooSmall: 20), .full)
        #expect(full.contains("how sure: too small in 50 %") && !full.contains("No log tells"))
        #expect(!text(Document(try BudgetTests.result()), .full).contains("how sure"))
    }
}
