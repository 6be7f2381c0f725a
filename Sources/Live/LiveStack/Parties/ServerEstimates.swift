import EventSimulation
import Synchronization

/// Estimates of the live servers' work, shared by their threads; see ``WorkEstimates``.
package final class ServerEstimates: Sendable {
    /// Work that costs alike, unit by unit.
    package enum Kind: Int, CaseIterable, Sendable {
        /// A question of `/queries`.
        case question
        /// A byte of `/key`.
        case keyByte
        case configuration, token, report

        /// CPU nanoseconds per unit until there are measurements: of a shard of 50,000 entries, on a core of 2020s;
        /// assumptions.
        fileprivate var first: Double {
            switch self {
            case .question: 5e6
            case .keyByte: 20
            case .configuration: 1e5
            case .token, .report: 1e6
            }
        }
    }

    private let estimates = Mutex(WorkEstimates(first: Kind.allCases.map(\.first)))

    package init() {}

    /// - Returns: CPU seconds.
    package func seconds(_ kind: Kind, units: Int = 1) -> Double {
        estimates.withLock { $0.work(kind.rawValue, units: units) }.seconds
    }

    package func note(_ kind: Kind, units: Int = 1, nanoseconds: Int64) {
        estimates.withLock { $0.note(.nanoseconds(nanoseconds), kind: kind.rawValue, units: units) }
    }
}
