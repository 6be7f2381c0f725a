import Decoding
import Testing

struct SpellingTests {
    /// Distances by hand: two letters more, one changed, all changed.
    @Test(
        arguments: [
            ("FailedClosed", "FailClosed"), ("failclosed", "FailClosed"), ("Enabeld", "Enabled"),
            ("Something", nil), ("", nil), ("FailClosedOrElse", nil),
        ])
    func aMisspeltNameIsNearItsOwn(name: String, nearest: String?) {
        #expect(Spelling.meant(by: name, among: ["Enabled", "FailClosed", "PIR"]) == nearest)
    }
}
