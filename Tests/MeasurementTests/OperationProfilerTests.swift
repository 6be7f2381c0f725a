import Measurement
import Testing
import Workload

struct OperationProfilerTests {
    @Test func everyOperationIsMeasuredTwiceAndHasItsExactSize() throws {
        var seen: [String] = []
        let costs = try OperationProfiler.measure(
            entries: BlockList(Lists.entries), rlweParameters: Lists.parameters, shardSizes: [100]
        ) { seen.append($0) }
        let names = costs.operations.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(seen.count == 1 + 2 * names.count)
        for cost in costs.operations {
            #expect(cost.passMedians.count == 2 && cost.samples.count == 30, "\(cost.name)")
            #expect(
                cost.samples.allSatisfy { $0 > 0 } && cost.samples == cost.samples.sorted(), "\(cost.name)")
            #expect(cost.p10 <= cost.median && cost.median <= cost.p90, "\(cost.name)")
            #expect(costs.noisy.contains(cost.name) == (cost.disagreement > OperationCosts.tolerance))
        }
        func bytes(_ name: String) -> Int? { costs.operations.first { $0.name == name }?.bytes }
        // Sizes of RFC 9578 and of article "PIR protocol", section "Sizes".
        #expect(bytes("token.blind") == 259)
        #expect(bytes("token.sign") == 256)
        #expect(bytes("token.finalize") == 354)
        let one = try #require(bytes("pir.answer.100.batch1"))
        let four = try #require(bytes("pir.answer.100.batch4"))
        #expect((24_616...24_800).contains(one))
        #expect((4 * one - 32...4 * one + 32).contains(four))
        let query = try #require(bytes("pir.query.100.batch1"))
        let inside = try #require(bytes("bhttp.encode.100"))
        let sealed = try #require(bytes("ohttp.seal-request.100"))
        #expect(query < inside)
        // Header of 7 bytes, encapsulated key of 32, tag of 16 (RFC 9458, section 4.3).
        #expect(sealed == inside + 7 + 32 + 16)
    }
}
