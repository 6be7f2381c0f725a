import PrivateInformationRetrieval
import Wording

/// The terminal forms of what the `pir` commands do.
package enum PIRText {
    /// - Returns: A table with a row per shard, and a line with the totals; at most 80 columns.
    package static func render(_ summary: PIRProcessSummary) -> String {
        let columns = [6, 10, 10, 8, 12, 12, 7, 7]
        func line(_ cells: [String]) -> String {
            zip(cells, columns).map { Format.right($0, $1) }.joined()
        }
        var lines = [line(["shard", "rows", "buckets", "bucket", "dimensions", "file", "trials", "noise"])]
        for shard in summary.shards {
            lines.append(
                line([
                    "\(shard.shard)", Format.count(shard.rows), Format.count(shard.buckets),
                    "\(shard.bucketSize) B",
                    shard.dimensions.map(String.init).joined(separator: "×"),
                    Format.bytes(Double(shard.databaseByteCount)), "\(shard.trials)",
                    shard.smallestNoiseBudget.map(Format.number) ?? "–",
                ]))
        }
        let byteCount = summary.shards.reduce(0) { $0 + $1.databaseByteCount }
        lines.append(
            "\(Format.count(summary.rows)) rows in \(summary.shards.count) "
                + (summary.shards.count == 1 ? "shard" : "shards")
                + ", \(Format.bytes(Double(byteCount))), \(summary.encryptionParameters), "
                + Format.duration(summary.seconds))
        if summary.shards.contains(where: { $0.trials > 0 }) {
            lines.append("every trial query had the right answer; noise: bits left at worst")
        }
        return (lines + notes(on: summary)).joined(separator: "\n") + "\n"
    }

    /// Notes on what devices refuse, what was not made in this run, and what an update changed.
    private static func notes(on summary: PIRProcessSummary) -> [String] {
        var notes = summary.warnings.map { "! " + $0 }
        if summary.shardCount(.finishedBefore) > 0 {
            notes.append(
                "\(summary.shardCount(.finishedBefore)) of \(summary.shards.count) shards were finished by an "
                    + "earlier run and taken over")
        }
        if let change = summary.change {
            notes.append(
                "\(Format.count(change.addedRows)) rows added, \(Format.count(change.removedRows)) removed, "
                    + "\(Format.count(change.changedValues)) with a new value; "
                    + "\(summary.shardCount(.unchanged)) shards unchanged, "
                    + "\(summary.shards.count - summary.shardCount(.unchanged)) rewritten")
            notes.append("the parameters are kept: clients keep their configuration and their keys")
        }
        if summary.parametersKept == false {
            notes.append("the parameters have changed: clients fetch a new configuration")
        }
        return notes
    }

    /// One line: the keyword, a tab, and `listed` or `absent`.
    package static func line(_ answer: PIRQuerySummary.Answer) -> String {
        "\(answer.keyword)\t\(answer.word)\n"
    }

    /// Costs of the queries, for standard error.
    package static func costs(_ summary: PIRQuerySummary) -> String {
        let (seconds, bytes, count) = (summary.seconds, summary.bytes, summary.answers.count)
        func row(_ label: String, _ time: Double, _ size: Int?) -> String {
            "  " + Format.left(label, 26) + Format.right(Format.duration(time), 10)
                + Format.right(size.map { Format.bytes(Double($0)) } ?? "", 12) + "\n"
        }
        return row("load \(Format.count(summary.shardCount, "shard"))", seconds.load, nil)
            + row("make evaluation key", seconds.makeKey, bytes.key)
            + row("store it at the server", seconds.storeKey, nil)
            + row("encrypt \(count) queries", seconds.makeQueries, bytes.queries)
            + row("answer them", seconds.answer, bytes.responses)
            + row("decrypt the answers", seconds.decrypt, nil)
    }

    /// The same for a service that runs somewhere else; its work cannot be told from the way there and back.
    package static func liveCosts(_ summary: PIRQuerySummary) -> String {
        let (seconds, bytes, count) = (summary.seconds, summary.bytes, summary.answers.count)
        func row(_ label: String, _ time: Double?, _ size: Int?) -> String {
            "  " + Format.left(label, 26) + Format.right(time.map(Format.duration) ?? "", 10)
                + Format.right(size.map { Format.bytes(Double($0)) } ?? "", 12) + "\n"
        }
        return row("set the device up", seconds.load, nil)
            + row("configuration", nil, bytes.config)
            + row("upload evaluation key", seconds.storeKey, bytes.key)
            + row("\(count) queries there", nil, bytes.queries)
            + row("answers back", seconds.answer, bytes.responses)
    }
}
