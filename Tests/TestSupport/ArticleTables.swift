import Foundation

/// The tables of an article that are made from the code, each below a line `<!-- MARK NAME -->`.
package struct ArticleTables {
    private let file: URL
    private let prefix: String

    package init(article: String, mark: String) {
        file = SourceTree.root.appendingPathComponent(
            "Sources/Programs/urlfilter/Documentation.docc/\(article).md")
        prefix = "<!-- \(mark) "
    }

    /// Writes them, where golden files are written.
    ///
    /// - Returns: The names of all tables, and of those that differ from what is made for their name.
    package func compare(
        _ make: (_ name: String) throws -> [String]
    ) throws -> (names: [String], stale: [String]) {
        var lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        var (names, stale): ([String], [String]) = ([], [])
        // From the end, so that a table that grows moves no mark.
        for index in lines.indices.reversed() where lines[index].hasPrefix(prefix) {
            let name = String(lines[index].dropFirst(prefix.count).prefix { $0 != " " })
            names.append(name)
            let table = try make(name)
            let end = lines[(index + 1)...].firstIndex { !$0.hasPrefix("|") } ?? lines.count
            if Array(lines[(index + 1)..<end]) == table { continue }
            if Golden.isWritten {
                lines.replaceSubrange((index + 1)..<end, with: table)
            } else {
                stale.append(name)
            }
        }
        if Golden.isWritten {
            try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        return (names, stale)
    }
}

package enum Golden {
    /// What is stored is written instead of compared with `URLFILTER_GOLDEN=write`.
    package static let isWritten = ProcessInfo.processInfo.environment["URLFILTER_GOLDEN"] == "write"
}
