import ServerWorlds
import Testing

/// The live servers in random worlds; ten thousand are a command, `stack-attacks worlds`.
struct ServerWorldsTests {
    private static let stock = Result { try WorldStock() }

    /// Faults that few and short worlds find.
    private static let quickMutants: [Mutant] = [.lostSync, .leakedThread, .lostWakeup, .checkThenNote]

    private static func search(_ mutant: Mutant? = nil) throws -> WorldSearch {
        WorldSearch(stock: try stock.get(), mutant: mutant)
    }

    @Test func noRuleIsBrokenInAFewWorlds() async throws {
        let result = try await Self.search().run(seeds: 1..<9, threads: 1)
        #expect(result.failure == nil, "\(result.failure.map { "\($0.seed): \($0.violation)" } ?? "")")
        #expect(result.worldCount == 8)
        #expect(result.startCount > result.worldCount)
        #expect(result.arrivalCount > 20 * result.worldCount)
    }

    /// Worlds take turns on the threads, and none notices another.
    @Test func aSeedIsAllOfAWorld() async throws {
        let search = try Self.search()
        let alone = (20..<23).map { search.run(WorldScript(seed: $0)) }
        #expect(alone == (20..<23).map { search.run(WorldScript(seed: $0)) })
        let together = await search.run(seeds: 20..<23, threads: 3)
        let inTurn = await search.run(seeds: 20..<23, threads: 1)
        #expect(together.fingerprint == inTurn.fingerprint)
        #expect(together.arrivalCount == alone.reduce(0) { $0 + $1.arrivalCount })
        #expect(Set(alone.map(\.fingerprint)).count == alone.count)
    }

    @Test(arguments: quickMutants)
    func aFaultIsFoundAndShrinks(mutant: Mutant) async throws {
        let search = try Self.search(mutant)
        let found = await search.run(seeds: 1..<60, threads: 1)
        let failure = try #require(found.failure)
        let shrunk = search.shrink(failure, limit: 12)
        #expect(shrunk.script.events.count <= failure.script.events.count)
        #expect(shrunk.violation.invariant == failure.violation.invariant)
        // Whoever reads it can run it again.
        #expect(search.run(shrunk.script).violation == shrunk.violation)
        let again = WorldScript(seed: failure.seed).keeping(Set(shrunk.script.events.map(\.number)))
        #expect(search.run(again).violation == shrunk.violation)
    }
}
