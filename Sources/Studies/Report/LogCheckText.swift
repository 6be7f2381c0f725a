import Experiment
package import ListAnalysis
import Wording

/// The terminal and table forms of a ``LogCheck``.
package enum LogCheckText {
    /// Entries that are shown unless all are asked for: with what stands around them, one screen.
    private static let shownCount = 12
    private static let entryWidth = 40

    /// - Returns: Text that ends with a newline; at most 24 lines unless `showsAll`.
    package static func render(_ check: LogCheck, showsAll: Bool) -> String {
        var lines: [String] = []
        for share in check.shares {
            lines.append(
                "\(share.rules.title): \(check.list) blocks \(Format.count(share.blockedRequests)) of "
                    + "\(Format.count(check.requests, "request"))"
                    + " (\(part(share.blockedRequests, of: check.requests))), "
                    + "of \(Format.count(share.blockedClients)) of \(Format.count(check.clients, "client"))")
            if share.lostRequests > 0 {
                lines.append(
                    "  and lets \(Format.count(share.lostRequests)) through that it means: entries that cannot match"
                )
            }
        }
        if check.unreadable > 0 {
            lines.append("no device can look up the URL of \(Format.count(check.unreadable, "request"))")
        }
        if check.hostsOnly > 0 {
            lines.append(
                "of \(Format.count(check.hostsOnly, "request")) the log has the host only (CONNECT): what entries"
                    + " with a path block"
            )
            lines.append("  there cannot be told from it")
        }
        guard !check.entries.isEmpty else {
            return lines.joined(separator: "\n") + "\nNo entry blocks anything of this log.\n"
        }
        lines.append("")
        let shown = showsAll ? check.entries[...] : check.entries.prefix(shownCount)
        let head = [["entry", "blocked", "let through", "clients", "hosts"]]
        let rows = shown.map {
            [
                shortened($0.entry, showsAll), Format.count($0.requests), Format.count($0.lostRequests),
                Format.count($0.clients), Format.count($0.hosts),
            ]
        }
        let table = Format.table(head + rows)
        lines.append(table[0] + "  look at it, because")
        for (row, entry) in zip(table.dropFirst(), shown) {
            let doubts = entry.doubts.map(\.message).joined(separator: "; ")
            lines.append(doubts.isEmpty ? row : "\(row)  \(doubts)")
        }
        if shown.count < check.entries.count {
            lines.append(
                "and \(Format.count(check.entries.count - shown.count)) more entries: --all shows them")
        }
        lines.append("")
        lines.append(conclusion(check))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Comma-separated values with a header, one row per entry.
    package static func csv(_ check: LogCheck) -> String {
        let header = ["entry", "blocked", "letThrough", "clients", "hosts", "rules", "doubts", "example"]
        return
            ([header]
            + check.entries.map { entry in
                [
                    entry.entry, "\(entry.requests)", "\(entry.lostRequests)", "\(entry.clients)",
                    "\(entry.hosts)",
                    entry.rules.map(\.rawValue).joined(separator: " "),
                    entry.doubts.map(\.message).joined(separator: "; "), entry.examples.first ?? "",
                ]
            }).map(ResultCSV.line).joined()
    }

    private static func conclusion(_ check: LogCheck) -> String {
        let count = check.entries.count
        let doubtful = check.entries.count { !$0.doubts.isEmpty }
        let matched = count == 1 ? "1 entry matches" : "\(Format.count(count)) entries match"
        return "\(matched) this log; "
            + (doubtful == 0
                ? "none of them looks like a mistake."
                : "look at \(Format.count(doubtful)) of them before the list goes live.")
    }

    private static func part(_ count: Int, of all: Int) -> String {
        all > 0 ? Format.share(Double(count) / Double(all)) : "–"
    }

    private static func shortened(_ entry: String, _ isWhole: Bool) -> String {
        isWhole || entry.count <= entryWidth ? entry : entry.prefix(entryWidth - 1) + "…"
    }
}
