import Experiment
import URLFilter
import Wording
import Workload

/// Judges entries one by one under several generations of rules; keeps its buffers between them.
struct EntryJudge {
    struct Remark {
        var severity: LintFinding.Severity
        var code: LintFinding.Code
        var message: String
        var cause: String?
        /// Position of the entry that makes this one redundant.
        var coveredBy: Int?
    }

    struct Judgement {
        var remarks: [Remark] = []
        /// Has a path that iOS 26 looks up on the host itself only.
        var isPathEntry = false
    }

    private let generations: [RulesGeneration]
    private let index: BlockListIndex
    private let suffixes: PublicSuffixes
    private var linters: [EntryLinter]
    private var covers: CoverSearch

    init(generations: [RulesGeneration], index: BlockListIndex, suffixes: PublicSuffixes) {
        self.generations = generations
        self.index = index
        self.suffixes = suffixes
        linters = generations.map { EntryLinter(rules: $0.rules) }
        covers = CoverSearch(index)
    }

    /// - Parameter position: Of the entry in the list.
    mutating func judge(_ entry: [UInt8], at position: Int) -> Judgement {
        var judgement = Judgement()
        let problems = linters.indices.map { linters[$0].problems(in: entry) }
        let neverMatches = problems.map { $0.contains { $0.neverMatches } }
        let isHopeless = neverMatches.allSatisfy { $0 }
        judgement.isPathEntry = problems.joined().contains { $0.kind == .pathNotOnSubdomains }
        var reasons: [LintFinding.Code: [(text: String, cause: String)]] = [:]
        for (number, list) in problems.enumerated() {
            for problem in list where problem.kind != .pathNotOnSubdomains {
                let sharers = problems.indices.filter { problems[$0].contains(problem) }
                guard sharers.first == number else { continue }
                let twin = lowercaseTwin(of: entry, for: problem)
                if let twin, index.contains(twin) { continue }
                let advice = twin.map { "; add its lower-case twin '\(Printable.text($0[...]))'" } ?? ""
                let code: LintFinding.Code =
                    !problem.neverMatches ? .doubtful : isHopeless ? .neverMatches : .neverMatchesSome
                let scope = sharers.count == problems.count ? "" : " (\(generations[number].title) rules)"
                reasons[code, default: []].append((problem.text + scope + advice, problem.causeName + scope))
            }
        }
        for code in LintFinding.Code.allCases {
            guard let reasons = reasons[code] else { continue }
            judgement.remarks.append(
                Remark(
                    severity: code == .neverMatches ? .error : .warning, code: code,
                    message: Self.opening(code) + reasons.map(\.text).joined(separator: "; "),
                    cause: reasons.map(\.cause).joined(separator: ", ")))
        }
        if isHopeless || TestEntry.forms.contains(where: { $0.utf8.elementsEqual(entry) }) {
            return judgement
        }
        if let remark = remarkOnNeed(entry) { judgement.remarks.append(remark) }
        if let remark = remarkOnSuffix(entry) { judgement.remarks.append(remark) }
        let usable = generations.indices.filter { !neverMatches[$0] }.map { generations[$0] }
        if let remark = remarkOnCover(of: entry, at: position, usable) {
            judgement.remarks.append(remark)
        }
        return judgement
    }

    private static func opening(_ code: LintFinding.Code) -> String {
        switch code {
        case .neverMatches: "never matches: "
        case .neverMatchesSome: "matches on some systems only: "
        default: ""
        }
    }

    /// iOS 27 looks up URLs in lower case, iOS 26 as they are written: an entry with a capital letter in its path needs
    /// a second one that differs in that only.
    private func lowercaseTwin(of entry: [UInt8], for problem: EntryProblem) -> [UInt8]? {
        guard problem.neverMatches, case .upperCase = problem.kind else { return nil }
        return entry.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    private func remarkOnNeed(_ entry: [UInt8]) -> Remark? {
        guard let need = NeededHosts.blocked(by: entry) else { return nil }
        return Remark(
            severity: .warning, code: .needed,
            message: "blocks \(need.host), which devices need for \(need.purpose)")
    }

    private func remarkOnSuffix(_ entry: [UInt8]) -> Remark? {
        guard suffixes.isSuffix(entry), !entry.contains(where: { [0x2F, 0x3A, 0x3F, 0x5B].contains($0) }),
            entry.contains(0x2E) || !suffixes.isUnknown(entry)
        else { return nil }
        return Remark(
            severity: .warning, code: .publicSuffix,
            message: "public suffix; it matches every site registered below it"
                + (entry.contains(0x2E) ? "" : " on iOS 26"))
    }

    /// Whether all URLs that match this entry match another one as well, under each of the rules.
    private mutating func remarkOnCover(
        of entry: [UInt8], at position: Int, _ generations: [RulesGeneration]
    ) -> Remark? {
        let found = covers.cover(of: entry, at: position, under: generations.map(\.rules))
        guard let cover = found else { return nil }
        return Remark(
            severity: .warning, code: .redundant,
            message:
                "redundant: '\(Printable.text(index.list[cover]))' matches every URL that this entry matches",
            coveredBy: cover)
    }
}

extension EntryProblem {
    fileprivate var causeName: String {
        kind == .singleLabel ? "a host without a dot" : "\(kind.cause)"
    }

    /// The sentence without its opening, which says whether the entry matches at all.
    fileprivate var text: String {
        let opening = "never matches: "
        return description.hasPrefix(opening)
            ? String(description.dropFirst(opening.count)) : description
    }
}
