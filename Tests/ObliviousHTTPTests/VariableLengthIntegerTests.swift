import ObliviousHTTP
import TestSupport
import Testing

struct VariableLengthIntegerTests {
    /// The examples of RFC 9000, appendix A.1.
    @Test(
        "the RFC's examples are read and written",
        arguments: [
            ("c2197c5eff14e88c", 151_288_809_941_952_652),
            ("9d7f3e7d", 494_878_333),
            ("7bbd", 15_293),
            ("25", 37),
        ] as [(String, UInt64)])
    func publishedExamples(hex: String, value: UInt64) throws {
        let bytes = bytes(hex: hex)
        let decoded = try #require(VariableLengthInteger.decode(bytes))
        #expect(decoded.value == value)
        #expect(decoded.byteCount == bytes.count)
        var written: [UInt8] = []
        VariableLengthInteger.append(value, to: &written)
        #expect(written == bytes)
    }

    @Test func theLongFormOfASmallNumberIsRead() throws {
        let decoded = try #require(VariableLengthInteger.decode([0x40, 0x25, 0xFF]))
        #expect(decoded.value == 37)
        #expect(decoded.byteCount == 2)
    }

    @Test func everyLengthChangesAtItsPowerOfTwo() throws {
        for (exponent, short) in [(6, 1), (14, 2), (30, 4)] {
            #expect(VariableLengthInteger.byteCount(of: (1 << exponent) - 1) == short)
            #expect(VariableLengthInteger.byteCount(of: 1 << exponent) == 2 * short)
        }
        for exponent in 0..<62 {
            for value in [(1 << exponent) - 1, 1 << exponent] as [UInt64] {
                var bytes: [UInt8] = []
                VariableLengthInteger.append(value, to: &bytes)
                #expect(bytes.count == VariableLengthInteger.byteCount(of: value))
                #expect(VariableLengthInteger.decode(bytes)?.value == value)
                for prefix in Damage.truncations(of: bytes) {
                    #expect(VariableLengthInteger.decode(prefix) == nil)
                }
            }
        }
        var largest: [UInt8] = []
        VariableLengthInteger.append(VariableLengthInteger.maximum, to: &largest)
        #expect(largest == Array(repeating: 0xFF, count: 8))
    }
}
