import Synchronization

/// Permissions to fetch one report once, for frames, which send no field of ours.
final class Tickets: Sendable {
    private static let most = 32
    private static let life = Duration.seconds(60)

    private struct Ticket {
        let secret: Secret
        let path: String
        let end: ContinuousClock.Instant
    }

    private let tickets = Mutex<[Ticket]>([])

    /// - Parameter path: Of the result, in the folder.
    func issue(for path: String) -> String {
        let ticket = Ticket(secret: Secret(), path: path, end: .now.advanced(by: Self.life))
        tickets.withLock { tickets in
            tickets.append(ticket)
            tickets.removeFirst(max(0, tickets.count - Self.most))
        }
        return ticket.secret.text
    }

    func redeem(_ text: String) throws(WorkbenchRefusal) -> String {
        let found = tickets.withLock { tickets -> Ticket? in
            tickets.firstIndex { $0.secret.equals(text) }.map { tickets.remove(at: $0) }
        }
        guard let found, found.end > .now else {
            throw WorkbenchRefusal(403, "this report was fetched before; open the result again")
        }
        return found.path
    }
}
