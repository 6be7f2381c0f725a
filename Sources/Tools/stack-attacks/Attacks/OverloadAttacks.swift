import PrivateInformationRetrieval
import Synchronization
import Timing

/// An attacker who takes all that users may take, and more than the server has.
enum OverloadAttacks: AttackFamily {
    /// Each with a key of its own, as so many devices.
    private static let pseudonymCount = 8
    /// Share of the attack's time in which the capacity is measured, and in which tokens are fetched for the rest.
    private static let measuringShare = 0.15
    private static let fetchingShare = 0.5
    /// Lookups under way at once: while the capacity is measured, enough to keep every core busy; in the overload, more
    /// than the server lets wait.
    private static let measuringCount = 32
    private static let overloadCount = 400

    static let attacks = [
        Attack(
            name: "overload",
            summary:
                "lookups of many pseudonyms at twice the capacity measured before, tokens fetched beforehand",
            duration: 4, niceness: 0, run: run)
    ]

    /// Requests with a token each, taken by whoever is next.
    private final class Stock: Sendable {
        private let requests = Mutex<[[UInt8]]>([])

        var count: Int { requests.withLock { $0.count } }
        func add(_ request: [UInt8]) { requests.withLock { $0.append(request) } }
        func take() -> [UInt8]? { requests.withLock { $0.popLast() } }
    }

    private static func run(_ target: Target) throws {
        let start = ContinuousClock.now
        let total = (target.deadline - start).seconds
        func moment(_ share: Double) -> Deadline { start.advanced(by: .seconds(total * share)) }
        let stock = Stock()
        fill(stock, target, until: moment(fetchingShare))
        guard stock.count > 0 else { return target.log.problem("the attacker got no tokens") }
        let fetched = stock.count
        let capacity = measure(stock, target, until: moment(fetchingShare + measuringShare))
        guard capacity > 0 else { return target.log.problem("no lookup was answered before the overload") }
        let sent = attack(stock, target, rate: 2 * capacity)
        target.log.note("\(fetched) tokens, capacity \(Int(capacity))/s, then \(Int(sent))/s sent")
        let answers = target.log.current.answers
        if sent < 1.5 * capacity, answers["503"] == nil, answers["429"] == nil {
            target.log.problem("the attacker did not overload the server")
        }
        if answers["200"] == nil {
            target.log.problem("no lookup of the overload was answered; the capacity is wasted")
        }
    }

    private static func fill(_ stock: Stock, _ target: Target, until end: Deadline) {
        target.together(pseudonymCount) { number in
            do {
                var device = AttackDevice(target, pseudonym: "pseudonym-\(number)")
                try device.settle(tokens: 0)
                let lookup = WireCoding.bytes(of: try device.lookup(of: "listed\(number).example"))
                while ContinuousClock.now < end {
                    try device.fetchTokens(1)
                    stock.add(try device.request("/queries", lookup).wireBytes)
                }
            } catch {
                target.log.answered("no token")
            }
        }
    }

    /// - Returns: Lookups per second that the server can answer.
    private static func measure(_ stock: Stock, _ target: Target, until end: Deadline) -> Double {
        let start = ContinuousClock.now
        let answered = Mutex(0)
        // Most of the stock is left for the overload.
        let reserve = stock.count * 3 / 4
        target.together(measuringCount) { _ in
            var peer = HTTPPeer(port: target.port)
            while ContinuousClock.now < end, stock.count > reserve, let request = stock.take() {
                if peer.exchange(request, until: target.answerDeadline)?.status == 200 {
                    answered.withLock { $0 += 1 }
                }
            }
        }
        return Double(answered.withLock { $0 }) / (ContinuousClock.now - start).seconds
    }

    /// Sends at a fixed rate, open loop: a thread per request that is under way, with a connection each.
    ///
    /// - Returns: Lookups per second that were sent while there were tokens.
    private static func attack(_ stock: Stock, _ target: Target, rate: Double) -> Double {
        let start = ContinuousClock.now
        let sent = Mutex((number: 0, last: start))
        target.together(overloadCount) { _ in
            var peer = HTTPPeer(port: target.port)
            while !target.isOver, let request = stock.take() {
                let due = sent.withLock { sent in
                    sent.number += 1
                    return start.advanced(by: .seconds(Double(sent.number) / rate))
                }
                guard due < target.deadline else { return }
                target.wait(until: due)
                target.log.tried(byteCount: request.count)
                sent.withLock { $0.last = .now }
                let status = peer.exchange(request, until: target.answerDeadline)?.status
                target.log.answered(status, to: "lookup", expected: [200, 429, 503])
            }
        }
        let (_, last) = sent.withLock { $0 }
        return Double(target.log.current.tried) / (last - start).seconds
    }
}
