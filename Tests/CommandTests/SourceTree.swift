import Foundation
import TestSupport

/// Texts of the files, and the articles among them.
extension SourceTree {
    struct File: Sendable {
        /// Relative to the root of the repository.
        let path: String
        let text: String

        /// In one line, without the marks of comments, so that a sentence may be broken anywhere.
        var flowing: String {
            text.split(separator: "\n").map { line in
                line.drop { $0 == " " || $0 == "/" || $0 == "*" }
            }.joined(separator: " ")
        }
    }

    /// Everything below `folder` with one of these extensions, in the order of the paths.
    static func files(below folder: String, _ extensions: Set<String>) throws -> [File] {
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: root.appendingPathComponent(folder).path)
        return try paths.sorted().filter { extensions.contains(URL(fileURLWithPath: $0).pathExtension) }
            .map { try file("\(folder)/\($0)") }
    }

    static func file(_ path: String) throws -> File {
        File(
            path: path,
            text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }

    /// The articles of all catalogs.
    static func articles() throws -> [Article] {
        try files(below: "Sources", ["md"]).map { Article($0) }
    }
}

/// One article of a documentation catalog.
struct Article: Sendable {
    let file: SourceTree.File
    /// The first heading, without the marks of a symbol.
    let title: String
    /// The headings below the first.
    let headings: Set<String>

    init(_ file: SourceTree.File) {
        self.file = file
        let lines = Self.parts(of: file.text).prose.split(separator: "\n")
        let all = lines.filter { $0.hasPrefix("#") }.map { line in
            line.drop { $0 == "#" }.filter { $0 != "`" }.trimmingCharacters(in: .whitespaces)
        }
        title = all.first ?? ""
        headings = Set(all.dropFirst())
    }

    /// Names between double backticks.
    var symbols: [Substring] {
        Self.parts(of: file.text).prose.matches(of: /``([^`]+)``/).map { $0.output.1 }
    }

    /// Where relative links to other articles lead.
    var links: [Substring] {
        Self.parts(of: file.text).prose.matches(of: /\]\(([^)#:]+\.md)\)/).map { $0.output.1 }
    }

    /// Lines of code blocks, with the ones that a backslash continues, and code spans.
    var code: [String] { Self.code(of: file.text) }

    static func code(of text: String) -> [String] {
        let (prose, blocks) = parts(of: text)
        let lines = blocks.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
        let spans = prose.replacing("``", with: "").matches(of: /`([^`]+)`/)
        return lines + spans.map { String($0.output.1).replacing("\n", with: " ") }
    }

    private static func parts(of text: String) -> (prose: String, blocks: String) {
        var (prose, blocks, isBlock) = ("", "", false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isBlock.toggle()
            } else if isBlock {
                blocks += line + "\n"
            } else {
                prose += line + "\n"
            }
        }
        return (prose, blocks)
    }
}
