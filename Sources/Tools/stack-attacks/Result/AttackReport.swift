import Foundation
import Timing

/// All attacks of a run: a table for people, JSON for programs.
struct AttackReport: Codable, Sendable {
    static let schemaName = "urlfilter.stack-attacks/1"

    var schema = Self.schemaName
    var machine = Machine.current
    /// Makes the same attacks again.
    var seed: UInt64
    var secondsPerAttack: Double
    /// Nil until it was measured.
    var honestCost: HonestCost?
    var rows: [AttackRow] = []
    /// Failures that are not about one attack, for example a server that does not start.
    var failures: [String] = []
    var wallSeconds = 0.0
    /// CPU time of servers, attackers and honest clients together.
    var cpuSeconds = 0.0

    /// Whether everything was withstood. A run without rows has shown nothing.
    var passed: Bool { !rows.isEmpty && failures.isEmpty && rows.allSatisfy(\.passed) }

    init(seed: UInt64, secondsPerAttack: Double) {
        self.seed = seed
        self.secondsPerAttack = secondsPerAttack
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var text: String {
        let header = [
            "attack", "tried", "answers", "CPU", "cost", "limit", "memory", "p50", "p99", "failed", "health",
            "verdict",
        ]
        let table = [header] + rows.map(Self.cells)
        let widths = header.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        var lines = [
            "machine: \(machine.summary)",
            "seed \(seed), \(Text.seconds(secondsPerAttack)) per attack",
        ]
        if let honestCost {
            lines.append(
                "cost 1 x: an honest lookup, \(Text.seconds(honestCost.lookupCPU)) of CPU for "
                    + "\(honestCost.lookupByteCount) bytes")
        }
        lines.append("")
        for row in table {
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return [0, 2, 11].contains(column) ? cell + space : space + cell
            }
            lines.append(cells.joined(separator: "  ").trimmedEnd)
        }
        lines += rows.filter { !$0.notes.isEmpty }.map { "\($0.name): \($0.notes.joined(separator: "; "))" }
        for row in rows where !row.passed {
            lines += ["", "FAIL \(row.name): \(row.summary)"] + row.failures.map { "  \($0)" }
        }
        lines += failures.map { "FAIL: \($0)" }
        let passedCount = rows.count(where: \.passed)
        lines += [
            "",
            "limits: p99 of honest lookups < \(Text.seconds(AttackLimits().latencySeconds)), /health in "
                + "\(Text.seconds(AttackLimits().healthSeconds)); cost, memory and share of failures as shown",
            "\(passedCount) of \(rows.count) withstood, \(Text.seconds(wallSeconds)), "
                + "CPU \(Text.seconds(cpuSeconds))",
        ]
        return lines.joined(separator: "\n")
    }

    private static func cells(_ row: AttackRow) -> [String] {
        let unit: String
        switch row.limits.cost {
        case .perRequest(let limit): unit = "\(Text.ratio(limit))/req"
        case .perByte(let limit): unit = "\(Text.ratio(limit))/B"
        case nil: unit = ""
        }
        let answers = Text.counts(row.answers)
        return [
            row.name, "\(row.tried)", answers.count > 34 ? answers.prefix(33) + "…" : answers,
            row.cpu.map { String(format: "%.2f s", $0) } ?? "?", row.costRatio.map(Text.ratio) ?? "-", unit,
            "\(row.peakByteCount.map { "\($0 >> 20)" } ?? "?")/\(Text.bytes(row.limits.memoryByteCount))",
            row.honest.median.map(Text.seconds) ?? "?",
            row.honest.percentile99.map(Text.seconds) ?? "?",
            "\(row.honest.failed)/\(row.honest.tried) (<\(Int(row.limits.failureShare * 100)) %)",
            row.healthFailed > 0 ? "\(row.healthFailed) lost" : Text.seconds(row.healthSlowestSeconds),
            row.passed ? "pass" : "FAIL",
        ]
    }
}

extension String {
    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
