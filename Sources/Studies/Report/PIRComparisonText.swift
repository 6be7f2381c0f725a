import Experiment
package import Questions
import Scenarios
import Wording

/// The terminal form of schemes of PIR side by side.
package enum PIRComparisonText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: PIRComparison) -> String {
        var rows = [
            ["SCHEME", "CPU ms", "up", "down", "an edition", "once", "CPU as ours at", "fewer bytes from"]
        ]
        for row in result.rows {
            rows.append([
                row.name + (row.isValid ? "" : "¹"),
                row.leastCPUSeconds < row.cpuSeconds
                    ? "\(Format.milliseconds(row.leastCPUSeconds)) … \(Format.milliseconds(row.cpuSeconds))"
                    : Format.milliseconds(row.cpuSeconds),
                Format.bytes(row.uploadBytes), Format.bytes(row.downloadBytes),
                row.hintBytes > 0 ? Format.bytes(row.hintBytes) : "–",
                row.keyBytes > 0 ? Format.bytes(row.keyBytes) : "–",
                row.scheme == nil
                    ? "" : row.crossingEntries.map { "\(Format.number($0)) entries" } ?? "not seen",
                row.scheme == nil
                    ? "" : row.crossingLookups.map { "\(Format.number($0)) lookups" } ?? "never",
            ])
        }
        var lines = [
            "\(Format.count(result.entries, "entry")) · ours in \(Format.count(result.shards, "shard")), measured on"
                + " \(result.machine)", "",
        ]
        lines += Format.table(rows) + [""]
        lines += Format.wrapped(
            "Of one lookup: CPU time of all servers, bytes up and down; bytes that each device fetches for each"
                + " edition, and sends once. The other schemes are modelled from papers, on machines of their own, and"
                + " ask the whole list at \(Format.number(PIRScheme.bytesPerEntry)) bytes an entry (assumption),"
                + " \(Format.bytes(result.gigabytes * .gigabyte)); ours asks one shard, whose number the server learns."
                + " Never compare two machines as if they were one.", indent: "", width: 98)
        if result.rows.contains(where: { !$0.isValid }) {
            lines += Format.wrapped(
                "¹ the list is outside of the sizes that the figures are from: for a smaller one the least is"
                    + " reading all of it, the most what the smallest size takes.", indent: "", width: 98)
        }
        lines.append("")
        let schemes = result.rows.compactMap(\.scheme)
        lines += schemes.flatMap {
            Format.wrapped(
                "\($0.name): \($0.source); \($0.machine);"
                    + " \(Format.number($0.validity.lowerBound)) to \(Format.number($0.validity.upperBound)) GB",
                indent: "", width: 98)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
