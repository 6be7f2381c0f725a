import ObliviousHTTP
import Parties
import Synchronization

/// Token requests that are worked on.
///
/// A request that is repeated is not counted again, so nothing of its own has to be stored; but its answer is the same
/// signature, and the count of the first may not be on the disk yet. It waits for that too: else a user who sends each
/// request twice gets a token that is forgotten when the process ends, or that is given back when the disk is full.
final class IssuesUnderWay: Sendable {
    private struct Name: Hashable {
        let authorization: String?
        let content: [UInt8]
    }

    /// The same request, as often as it is worked on now.
    final class Repetitions: Sendable {
        fileprivate let changes = Mutex<[RequestChanges]>([])

        /// Waits for what all of them have changed so far.
        ///
        /// - Returns: False if some of it could not be stored.
        func areStored() async -> Bool {
            var areStored = true
            for changes in changes.withLock({ $0 }) {
                let isStored = await changes.areStored()
                areStored = areStored && isStored
            }
            return areStored
        }
    }

    private let all = Mutex<[Name: (repetitions: Repetitions, count: Int)]>([:])

    /// - Parameter changes: Those that the request is going to make.
    func begin(_ request: BinaryHTTPRequest, _ changes: RequestChanges) -> Repetitions {
        let name = Name(authorization: request.authorization, content: request.content)
        return all.withLock { all in
            let before = all[name]
            let repetitions = before?.repetitions ?? Repetitions()
            repetitions.changes.withLock { $0.append(changes) }
            all[name] = (repetitions, (before?.count ?? 0) + 1)
            return repetitions
        }
    }

    /// - Parameter areStored: False lets those that come from now on begin anew.
    func end(_ request: BinaryHTTPRequest, _ repetitions: Repetitions, areStored: Bool) {
        let name = Name(authorization: request.authorization, content: request.content)
        all.withLock { all in
            guard let (current, count) = all[name], current === repetitions else { return }
            all[name] = count > 1 && areStored ? (current, count - 1) : nil
        }
    }
}
