import Decoding
import Testing

@Suite struct SaturatingTests {
    @Test func whatIsNoNumberOfTheTypeIsAnEnd() {
        #expect(Int(saturating: .nan) == 0)
        #expect(Int(saturating: .infinity) == 1 << 60)
        #expect(Int(saturating: -.infinity) == -(1 << 60))
        #expect(Int(saturating: 1e300) == 1 << 60)
        #expect(UInt32(saturating: 1e10) == .max)
        #expect(UInt32(saturating: -1) == 0)
        #expect(Int(saturating: -2.9) == -2)
        #expect(Int(saturating: 2.9) == 2)
        #expect(Int64(saturating: 0x1p53) == 1 << 53)
    }
}
