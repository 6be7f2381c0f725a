import Report
import Testing
import Wording

/// Results on a narrow terminal.
struct FoldedTextTests {
    @Test(arguments: [
        ("short line", "short line"),
        (
            "  people wait          p50 132 ms; a third of it slow start",
            "  people wait          p50 132 ms; a\n                       third of it slow\n"
                + "                       start"
        ),
        (
            "! a warning that goes on for more than one line\n",
            "! a warning that goes on for more than\n  one line\n"
        ),
        (
            "a number and its unit are not parted 12.5 %, nor are others",
            "a number and its unit are not parted\n  12.5 %, nor are others"
        ),
        (
            "and so are the digits of one, such as 1 234 567 of them",
            "and so are the digits of one, such as\n  1 234 567 of them"
        ),
        (
            String(repeating: " ", count: 39) + "mean  99 of 100 devices",
            String(repeating: " ", count: 26) + "mean  99 of\n" + String(repeating: " ", count: 26)
                + "100 devices"
        ),
        (
            "https://example.com/a-word-that-is-longer-than-the-terminal",
            "https://example.com/a-word-that-is-longer-than-the-terminal"
        ),
        (
            "{\"a\": \"a document that is longer than the terminal is\"}",
            "{\"a\": \"a document that is longer than the terminal is\"}"
        ),
    ])
    func lines(text: String, folded: String) {
        #expect(FoldedText.render(text, width: 40) == folded)
    }

    /// What is broken at 100 columns is not broken there and at the terminal's edge, too.
    @Test(arguments: [40, 60, 80, 99])
    func aTextIsBrokenOnce(width: Int) {
        let text = (1...60).map { "word\($0)" }.joined(separator: " ") + "."
        let bullet = "  ! " + text
        let broken =
            Format.wrapped(text) + Format.wrapped(text, indent: "") + Format.wrapped(bullet, indent: "    ")
        #expect(broken.count > 12)
        #expect(
            FoldedText.render((broken + ["next line"]).joined(separator: "\n"), width: width)
                == FoldedText.render("\(text)\n\(text)\n\(bullet)\nnext line", width: width))
        let table = "name  " + String(repeating: "x", count: 90) + "\n    a row of its own"
        #expect(FoldedText.render(table, width: width).contains("\n    a row of its own"))
    }

    @Test func nothingIsLostAndNothingIsTooLong() {
        let text = (1...40).map { "  row \($0)   " + String(repeating: "word ", count: $0) }
            .joined(separator: "\n")
        let folded = FoldedText.render(text, width: 50)
        #expect(folded.split(separator: "\n").allSatisfy { $0.count <= 50 })
        #expect(folded.split { " \n".contains($0) } == text.split { " \n".contains($0) })
    }
}
