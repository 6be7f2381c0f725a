package import Scenarios

/// Which architecture to take: of those that meet all objectives and that one can have, the one with the smallest bill.
package struct AlternativesChoice: Codable, Equatable, Sendable {
    package struct LeftOut: Codable, Equatable, Sendable {
        package var architecture: ArchitectureChoice
        package var missing: [ArchitectureFacts.Need]
    }

    /// Whatever there is; absent where nobody has said.
    package var have: [ArchitectureFacts.Need]?
    /// Absent where none meets all objectives.
    package var recommended: ArchitectureChoice?
    /// Those that cannot be had with it, whether they meet the objectives or not.
    package var leftOut: [LeftOut]

    init(_ rows: [AlternativesResult.Row], have: Set<ArchitectureFacts.Need>?) {
        self.have = have.map { there in ArchitectureFacts.Need.allCases.filter(there.contains) }
        leftOut = rows.filter { !$0.facts.isYardstick }.compactMap { row in
            let missing = have.map { row.facts.missing(with: $0) } ?? []
            return missing.isEmpty ? nil : LeftOut(architecture: row.architecture, missing: missing)
        }
        let closed = Set(leftOut.map(\.architecture))
        recommended =
            rows.filter {
                $0.verdict == .meetsAll && !$0.facts.isYardstick && !closed.contains($0.architecture)
            }.min { ($0.moneyPerMonth ?? .infinity) < ($1.moneyPerMonth ?? .infinity) }?.architecture
    }
}
