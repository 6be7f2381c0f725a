import Synchronization

/// Results of an attack so far. All its threads share one log.
final class AttackLog: Sendable {
    struct State: Sendable {
        /// Requests, connections, frames: what the attack consists of.
        var tried = 0
        var sentByteCount = 0
        /// Statuses, or words where there was none.
        var answers: [String: Int] = [:]
        /// Sentences that explain the numbers.
        var notes: [String] = []
        /// Things that must never happen, and did.
        var problems: [String] = []
    }

    /// Problems that are kept; the first ones tell enough.
    private static let problemLimit = 8

    private let state = Mutex(State())

    var current: State { state.withLock { $0 } }

    func tried(_ count: Int = 1, byteCount: Int = 0) {
        state.withLock {
            $0.tried += count
            $0.sentByteCount += byteCount
        }
    }

    func answered(_ answer: String, count: Int = 1) {
        state.withLock { $0.answers[answer, default: 0] += count }
    }

    func note(_ sentence: String) { state.withLock { $0.notes.append(sentence) } }

    func problem(_ sentence: String) {
        state.withLock { state in
            guard state.problems.count < Self.problemLimit, !state.problems.contains(sentence) else { return }
            state.problems.append(sentence)
        }
    }

    /// Notes an answer and whether it is one of those that are right.
    ///
    /// - Parameter status: Nil when there was none.
    func answered(_ status: Int?, to request: String, expected: Set<Int>) {
        answered(status.map(String.init) ?? "none")
        let isRight = status.map(expected.contains) ?? false
        guard !isRight else { return }
        let allowed = expected.sorted().map(String.init).joined(separator: ", ")
        problem("\(request): \(status.map { "status \($0)" } ?? "no answer"); it must be \(allowed)")
    }
}
