package import ArgumentParser
import Decoding
package import Report

/// Form in which an answer is printed: for people as text or as Markdown, or as the document for programs.
package struct AnswerForm {
    private let level: Document.Level
    private let markdown: Bool
    private let json: Bool

    package init(level: Document.Level = .full, markdown: Bool, json: Bool) {
        self.level = level
        self.markdown = markdown
        self.json = json
    }

    package func require() throws(ValidationError) {
        if markdown, json { throw ValidationError("--markdown and --json exclude each other") }
    }

    /// - Parameter result: The document's content for programs.
    package func show(_ document: Document, _ result: some Encodable) throws {
        if json { return try Terminal.print(JSONText.render(result)) }
        if markdown { return try Terminal.printUnbroken(document.markdown(level)) }
        try Terminal.print(document, at: level)
    }
}
