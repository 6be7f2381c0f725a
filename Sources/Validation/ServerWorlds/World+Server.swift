import LiveStack
import Parties
import PrivacyPass

/// Starts, ends and reloads of the servers.
extension World {
    /// Seconds until a start is tried again that failed for want of room: a supervisor's pause.
    private static let restartSeconds = 1.0
    /// Seconds that a server has to finish its requests, as ``LiveStack`` gives it.
    private static let endSeconds = 30.0

    /// Data in the operator's files.
    private func data() throws -> LiveData {
        let users = try UserTokenTable(
            WorldStock.tiers.prefix(tierCount).enumerated().map { index, tier in
                (
                    tier: tier,
                    tokens: devices.filter { $0.number % WorldStock.tiers.count == index }.map(\.userToken)
                        + ["user-of-\(tier)"]
                )
            })
        return LiveData(versions: [.init(stock.editions[edition].usecase)], users: .listed(users))
    }

    func start() {
        guard server == nil else { return }
        incarnation += 1
        note(6, incarnation)
        do {
            let server = try WorldServer(
                incarnation: incarnation, settings: script.settings, seed: script.seed, time: time,
                disk: disk,
                mutant: mutant)
            self.server = server
            server.start(try data(), settings: script.settings, time: time, mailbox: mailbox)
        } catch {
            failStart(error)
        }
    }

    private func failStart(_ error: any Error) {
        server = nil
        guard disk.isFull else { return oracle.fail(.cannotStart, at: time.now, "\(error)") }
        time.after(Self.restartSeconds) { [mailbox] in mailbox.put(.start) }
    }

    func noteStart(_ incarnation: Int, _ result: Result<LiveParties, any Error>) {
        guard incarnation == server?.incarnation else { return }
        switch result {
        case .success(let parties):
            server?.parties = parties
            server?.routes = StackRoutes(parties.hosts)
            server?.phase = .up
            oracle.tierCount = tierCount
            oracle.served = Array(([edition] + archived.filter { $0 != edition }).prefix(2))
            archive()
            // Ages of keys go on by the clock of the machine while nobody serves.
            if isClockSet { oracle.gatewayEpoch += 1 }
        case .failure(let error):
            server?.threads.abandon()
            failStart(error)
        }
    }

    /// Notes that the disk has a copy of what is served, unless it is full.
    private func archive() {
        guard !disk.isFull else { return }
        archived = Array(([edition] + archived.filter { $0 != edition }).prefix(2))
    }

    func reload(edition: Int, tierCount: Int) {
        (self.edition, self.tierCount) = (edition, tierCount)
        guard server?.phase == .up, let parties = server?.parties else { return }
        do {
            try parties.replace(data())
        } catch {
            return oracle.fail(.cannotStart, at: time.now, "the data cannot be loaded again: \(error)")
        }
        oracle.tierCount = tierCount
        oracle.served = Array(([edition] + oracle.served.filter { $0 != edition }).prefix(2))
        archive()
    }

    func crash(downSeconds: Double) {
        guard let server else { return }
        disk.crash()
        oracle.gatewayEpoch += 1
        for number in server.open.sorted() {
            if let arrival = arrivals.removeValue(forKey: number) { oracle.lose(arrival, at: time.now) }
        }
        self.server = nil
        server.threads.abandon()
        time.after(downSeconds) { [mailbox] in mailbox.put(.start) }
    }

    func restart(downSeconds: Double) {
        guard let server, server.phase == .up else { return }
        self.server?.phase = .ending
        downTime = downSeconds
        time.after(Self.endSeconds) { [mailbox, incarnation = server.incarnation] in
            mailbox.put(.endDeadline(incarnation: incarnation))
        }
        endIfDone()
    }

    /// Ends a server that is told to when it has answered what it had.
    func endIfDone() {
        guard let server, server.phase == .ending, server.open.isEmpty else { return }
        if disk.isFull { oracle.gatewayEpoch += 1 }
        server.parties?.close()
        self.server = nil
        time.after(downTime) { [mailbox] in mailbox.put(.start) }
    }
}
