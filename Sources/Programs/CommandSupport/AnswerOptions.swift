package import ArgumentParser
package import Report
import Workload

/// Forms in which a command prints an answer that has a brief one.
package struct AnswerOptions: ParsableArguments {
    @Flag(help: "Print everything that was found instead of one screen.")
    package var details = false

    @Flag(help: "Print Markdown, for issues and mails; with --details everything.")
    package var markdown = false

    package init() {}

    /// - Parameter json: Whether the command is asked for its document for programs.
    package func require(json: Bool) throws(ValidationError) {
        if details, json { throw ValidationError("--details is of text; --json has everything") }
        try form(json: json).require()
    }

    private func form(json: Bool) -> AnswerForm {
        AnswerForm(level: details ? .full : .brief, markdown: markdown, json: json)
    }

    /// - Parameters:
    ///   - result: The same for programs, printed if `json` says so.
    ///   - html: File for the page.
    package func show(
        _ document: Document, _ result: some Encodable, json: Bool, html: String? = nil
    ) throws {
        if let html {
            let page = document.page(arguments: CommandLine.arguments)
            try AtomicFile.write(to: html, isPrivate: true) { try $0.write(page) }
        }
        try form(json: json).show(document, result)
    }
}
