import Synchronization

/// Probable cost of requests, from what earlier ones cost.
///
/// A request is charged before its work is known: by its questions, or by its bytes for a key. Only answers count, so
/// that nobody can make work look cheap by sending what is refused.
final class WorkEstimates: Sendable {
    /// Work that costs alike, unit by unit.
    enum Kind: Hashable, Sendable {
        /// A question of `/queries`.
        case question
        /// A byte of `/key`.
        case keyByte
        case configuration, token, report
    }

    /// CPU seconds per unit until there are measurements: of a shard of 50,000 entries, on a core of 2020s;
    /// assumptions.
    private static let first: [Kind: Double] = [
        .question: 5e-3, .keyByte: 2e-8, .configuration: 1e-4, .token: 1e-3, .report: 1e-3,
    ]
    /// Weight of a new measurement; assumption.
    private static let weight = 1.0 / 16

    private let secondsPerUnit = Mutex(first)

    func seconds(_ kind: Kind, units: Int = 1) -> Double {
        Double(max(1, units)) * secondsPerUnit.withLock { $0[kind, default: 0] }
    }

    func note(_ kind: Kind, units: Int = 1, seconds: Double) {
        let measured = seconds / Double(max(1, units))
        secondsPerUnit.withLock {
            $0[kind, default: measured] += (measured - $0[kind, default: measured]) * Self.weight
        }
    }
}
