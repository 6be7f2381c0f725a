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

    /// A slip goes before a part; a part has to be long enough to mean something.
    @Test(
        arguments: [
            ("failClosed", "shouldFailClosed"), ("shuoldFailClosed", "shouldFailClosed"),
            ("cheks", "checks"), ("Interval", "prefilterFetchInterval"), ("abc", nil), ("zzzzzzz", nil),
        ])
    func aPartOfANameMeansIt(word: String, nearest: String?) {
        let names = ["shouldFailClosed", "prefilterFetchInterval", "checks", "abcdefgh"]
        #expect(Spelling.closest(to: word, among: names) == nearest)
    }

    @Test func aWordThatIsPartOfAPathGoesBeforeShorterOnes() {
        let paths = ["prices", "drain", "services.pir.keys", "seed"]
        #expect(Spelling.nearest(1, to: "pir.keys", among: paths) == ["services.pir.keys"])
        #expect(Spelling.nearest(1, to: "sed", among: paths) == ["seed"])
    }
}
