import Decoding
import Foundation
import Testing

@Suite struct ForeignTextTests {
    /// ECMA-48: ESC starts a sequence, C1 has one-byte forms of them, OSC sets the title, BEL ends it.
    private static let hostile = "\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}txt\u{7F}\rover"

    @Test func nothingThatATerminalObeysIsLeft() throws {
        let text = ForeignText.printable(Self.hostile)
        #expect(text == "\\u001B]0;owned\\u0007\\u009B31m\\u202Etxt\\u007F\\u000Dover")
        // Inside a string of JSON it means the same.
        let read = try JSONDecoder().decode([String].self, from: Data("[\"\(text)\"]".utf8))
        #expect(read == [Self.hostile])
    }

    @Test(arguments: ["plain\n\ttext", "± 1 ms … é 中 🙂", "a,b\r\nc,d\r\n", ""]) func textForPeopleStays(
        _ text: String
    ) {
        #expect(ForeignText.printable(text) == text)
    }

    @Test(arguments: [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), ("+1+1", "'+1+1"), ("@SUM(A1)", "'@SUM(A1)"),
        ("-x", "'-x"),
        ("\tx", "'\tx"), ("-0.5", "-0.5"), ("+3", "+3"), ("https://a.example/=", "https://a.example/="),
        ("", ""),
    ])
    func noCellIsAFormula(_ text: String, _ cell: String) {
        #expect(ForeignText.cell(text) == cell)
    }

    @Test(arguments: [
        ("busy", "busy"), ("", ""), ("no\nurlfilter: everything is fine", "no…"), ("a\r\nb", "a…"),
        ("\u{1B}[2Jx\ty", "\\u001B[2Jx y"), ("\u{2028}x", "…"),
        (String(repeating: "é", count: 200), String(repeating: "é", count: 160) + "…"),
        (String(repeating: "x", count: 1_000_000), String(repeating: "x", count: 160) + "…"),
    ])
    func aPeerWritesOneLineAtMost(_ said: String, _ shown: String) {
        #expect(ForeignText.quoted(Array(said.utf8)) == shown)
    }
}
