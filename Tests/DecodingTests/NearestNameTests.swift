import Decoding
import Testing

struct NearestNameTests {
    /// Distances by hand: two letters more, one changed, all changed.
    @Test(
        arguments: [
            ("FailedClosed", "FailClosed"), ("failclosed", "FailClosed"), ("Enabeld", "Enabled"),
            ("Something", nil), ("", nil), ("FailClosedOrElse", nil),
        ])
    func aMisspeltNameIsNearItsOwn(name: String, nearest: String?) {
        #expect(NearestName.of(name, among: ["Enabled", "FailClosed", "PIR"]) == nearest)
    }
}
