import Dispatch
package import Experiment
import Synchronization
import URLFilter
import Wording
package import Workload

/// Looks at every entry of a list: can it match, does it match too much, is it needed.
package struct ListLinter: Sendable {
    private static let pieceSize = 1024
    /// Pieces whose findings are in memory at once; a finding is some hundred bytes.
    private static let piecesAtOnce = 16

    private let located: LocatedBlockList
    private let index: BlockListIndex
    private let generations: [RulesGeneration]
    private let suffixes: PublicSuffixes

    /// - Parameter generations: At least one. Of ``RulesGeneration/documented`` and ``RulesGeneration/iOS27``,
    ///   which make the same strings, one is enough.
    package init(
        _ located: LocatedBlockList, generations: [RulesGeneration], suffixes: PublicSuffixes = .builtIn
    ) {
        precondition(!generations.isEmpty, "a list is checked against at least one generation of rules")
        self.located = located
        self.generations = generations
        self.suffixes = suffixes
        index = BlockListIndex(located.list)
    }

    /// Checks the list on all cores.
    ///
    /// - Parameter report: Gets every finding, in the order of the lines.
    package func lint(_ report: (LintFinding) throws -> Void) rethrows -> LintCounts {
        var counts = LintCounts(unmatchable: UnmatchableSummary.all(of: located.list))
        counts.lines = located.report.lineCount
        counts.entries = located.list.count
        counts.lost = located.dropped.count { $0.reason.changesMeaning }
        var dropped = located.dropped[...]
        func pass(_ finding: LintFinding) throws {
            var finding = finding
            (finding.file, finding.line) = located.place(ofLine: finding.line)
            counts.add(finding)
            try report(finding)
        }
        let width = Self.pieceSize * Self.piecesAtOnce
        for start in stride(from: 0, to: located.list.count, by: width) {
            let pieces = lintPieces(start..<min(start + width, located.list.count))
            counts.pathEntries += pieces.reduce(0) { $0 + $1.pathEntries }
            for finding in pieces.lazy.flatMap(\.findings) {
                while let first = dropped.first, first.line <= finding.line {
                    try pass(Self.finding(about: first))
                    dropped.removeFirst()
                }
                try pass(finding)
            }
        }
        for line in dropped { try pass(Self.finding(about: line)) }
        return counts
    }

    private struct Piece: Sendable {
        var findings: [LintFinding] = []
        var pathEntries = 0
    }

    private func lintPieces(_ range: Range<Int>) -> [Piece] {
        let starts = Array(stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceSize))
        let results = Mutex<[Int: Piece]>([:])
        DispatchQueue.concurrentPerform(iterations: starts.count) { number in
            let positions = starts[number]..<min(starts[number] + Self.pieceSize, range.upperBound)
            let piece = lintPiece(positions)
            results.withLock { $0[number] = piece }
        }
        let pieces = results.withLock { $0 }
        return starts.indices.compactMap { pieces[$0] }
    }

    private func lintPiece(_ positions: Range<Int>) -> Piece {
        var piece = Piece()
        var judge = EntryJudge(generations: generations, index: index, suffixes: suffixes)
        for position in positions {
            let entry = located.list[position]
            if let first = index.firstPosition(of: entry.span), first < position {
                piece.findings.append(
                    LintFinding(
                        line: located.line(of: position), severity: .warning, code: .duplicate,
                        entry: Printable.text(entry),
                        message: "the same entry is in \(words(first)); remove one"))
                continue
            }
            let judgement = judge.judge(Array(entry), at: position)
            piece.pathEntries += judgement.isPathEntry ? 1 : 0
            for remark in judgement.remarks {
                let place = remark.coveredBy.map { " (\(words($0)))" } ?? ""
                piece.findings.append(
                    LintFinding(
                        line: located.line(of: position), severity: remark.severity, code: remark.code,
                        entry: Printable.text(entry), message: remark.message + place, cause: remark.cause))
            }
        }
        return piece
    }

    /// The place of an entry, in words.
    private func words(_ position: Int) -> String {
        let place = located.place(ofLine: located.line(of: position))
        return LintFinding.place(place.file, place.line)
    }

    private static func finding(about line: ListPlaces.Dropped) -> LintFinding {
        LintFinding(
            line: line.line, severity: line.reason.isForeignRule ? .warning : .error, code: .dropped,
            entry: Printable.text(line.text), message: "dropped: \(line.reason.sentence)",
            cause: line.reason.sentence)
    }
}
