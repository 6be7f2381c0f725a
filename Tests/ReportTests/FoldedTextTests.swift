import Report
import Testing

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

    @Test func nothingIsLostAndNothingIsTooLong() {
        let text = (1...40).map { "  row \($0)   " + String(repeating: "word ", count: $0) }
            .joined(separator: "\n")
        let folded = FoldedText.render(text, width: 50)
        #expect(folded.split(separator: "\n").allSatisfy { $0.count <= 50 })
        #expect(folded.split { " \n".contains($0) } == text.split { " \n".contains($0) })
    }
}
