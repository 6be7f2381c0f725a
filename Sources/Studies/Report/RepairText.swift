import Experiment
import Wording

/// The answers of a helpdesk after an edition that was wrong about an entry: the same wherever it is asked.
enum RepairText {
    static func answers(_ repairs: [EntryRepair]) -> Table {
        Table(
            columns: ["", "mean", "99 of 100 devices"].map { Table.Column($0) },
            rows: repairs.map {
                [.words($0.meaning), .quantity($0.mean, .duration), .quantity($0.late, .duration)]
            }, indent: 2)
    }

    /// One sentence for each of them.
    static func sentences(_ repairs: [EntryRepair]) -> [String] {
        repairs.map {
            "\($0.meaning.capitalisedFirst): after \(duration($0.mean)) in the mean, on 99 of 100 devices after"
                + " \(duration($0.late))."
        }
    }

    private static func duration(_ seconds: Double?) -> String { seconds.map(Format.duration) ?? "–" }
}
