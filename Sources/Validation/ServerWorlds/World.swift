import Decoding
import LiveStack
import ObliviousHTTP
import Parties
import PrivacyPass
import RandomStreams

/// Course of a world.
package struct WorldOutcome: Sendable, Equatable {
    package let violation: Violation?
    /// A hash of all that arrived and was answered, in its order and with its times.
    package let fingerprint: UInt64
    /// Messages that reached a server.
    package let arrivalCount: Int
    /// Starts of the servers.
    package let startCount: Int
}

/// A few devices, a network, a disk and the live servers, in virtual time on one thread.
///
/// The servers are ``LiveParties`` with their hosts, ``ComputePool`` and ``DurableStore``: the code that `urlfilter
/// serve` runs, from the request that a server has read to the response that it writes. A world gives them time,
/// threads and a disk, and does to them what its script says. ``WorldOracle`` looks at each answer.
package final class World {
    /// Seconds from the script's end to the first look at what is left, and from that to the second.
    private static let restSeconds = 15.0

    let script: WorldScript
    let stock: WorldStock
    let mutant: Mutant?
    let time: VirtualTime
    let disk: VirtualDisk
    let mailbox = WorldMailbox()
    let devices: [WorldDevice]
    var oracle: WorldOracle
    var messages: [WorldMessage] = []
    var arrivals: [Int: WorldOracle.Arrival] = [:]
    /// Answers on their way.
    private var responses: [Int: (message: WorldMessage, response: BinaryHTTPResponse)] = [:]
    /// How long the server is down that is told to end.
    var downTime = 0.0
    var server: WorldServer?
    /// Number of the list in the operator's files now.
    var edition = 0
    var tierCount = WorldStock.tiers.count
    /// Editions of which copies are on the disk, the latest first.
    var archived: [Int] = []
    var arrivalCount = 0
    var incarnation = 0
    var isClockSet = false
    private var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

    package init(_ script: WorldScript, stock: WorldStock, mutant: Mutant? = nil) {
        self.script = script
        self.stock = stock
        self.mutant = mutant
        let time = VirtualTime(seed: script.seed, second: script.settings.startSecond)
        self.time = time
        disk = VirtualDisk(
            issuers: stock.issuers, time: time, seed: script.seed &+ 1,
            meanDelay: script.settings.diskSeconds, mutant: mutant)
        devices = (0..<script.settings.deviceCount).map { WorldDevice(number: $0, stock: stock) }
        oracle = WorldOracle(stock: stock, settings: script.settings)
    }

    /// Runs the world to its end, or to the first violation.
    package func run() -> WorldOutcome {
        mailbox.put(.start)
        for (index, event) in script.events.enumerated() {
            time.after(event.second) { [mailbox] in mailbox.put(.event(index)) }
        }
        run(until: WorldScript.seconds)
        settle()
        run(until: WorldScript.seconds + Self.restSeconds)
        askAgain()
        run(until: WorldScript.seconds + 2 * Self.restSeconds)
        lookAtRest()
        end()
        return WorldOutcome(
            violation: oracle.violation, fingerprint: fingerprint, arrivalCount: arrivalCount,
            startCount: incarnation)
    }

    private func run(until second: Double) {
        let end = Int64.seconds(second)
        repeat {
            handleNews()
            lookAtBounds()
        } while oracle.violation == nil && time.step(until: end)
        handleNews()
    }

    private func handleNews() {
        while oracle.violation == nil {
            let news = mailbox.take()
            guard !news.isEmpty else { return }
            for item in news where oracle.violation == nil {
                handle(item)
                time.runTasks()
            }
        }
    }

    private func handle(_ news: WorldNews) {
        switch news {
        case .event(let index): happen(script.events[index])
        case .arrival(let message): arrive(messages[message])
        case .answer(let arrival, let response): answer(arrival, response)
        case .response(let arrival): receive(arrival)
        case .deadline(let arrival):
            guard let late = arrivals[arrival], late.incarnation == server?.incarnation else { return }
            oracle.fail(
                .unanswered, at: time.now,
                "message \(late.message.number) (\(late.message.kind.name)) has no answer")
        case .start: start()
        case .started(let incarnation, let result): noteStart(incarnation, result)
        case .endDeadline(let incarnation):
            if server?.incarnation == incarnation, server?.phase == .ending { crash(downSeconds: 0) }
        }
    }

    private func happen(_ event: WorldEvent) {
        note(1, event.number)
        var random = SplitMix64(event.seed)
        switch event.kind {
        case .ask(let device, let question, let isSealed):
            ask(devices[device], question, isSealed: isSealed, &random)
        case .burst(let device, let question, let count):
            for _ in 0..<count { ask(devices[device], question, isSealed: false, &random) }
        case .replay(let back):
            guard back < messages.count else { return }
            send(messages[messages.count - 1 - back], &random)
        case .crash(let seconds): crash(downSeconds: seconds)
        case .restart(let seconds): restart(downSeconds: seconds)
        case .reload(let edition, let tierCount): reload(edition: edition, tierCount: tierCount)
        case .fullDisk(let seconds): disk.fill(seconds: seconds)
        case .slowDisk(let seconds): disk.slowDown(seconds: seconds)
        case .clockStep(let seconds):
            oracle.see(day: time.second / 86_400)
            time.stepClock(seconds: seconds)
            isClockSet = true
        }
    }

    /// Gives a message to the network, which may lose it or bring it twice.
    func send(_ message: WorldMessage, _ random: inout SplitMix64) {
        let settings = script.settings
        let copies = random.uniform() < settings.repeatProbability ? 2 : 1
        for _ in 0..<copies where random.uniform() >= settings.lossProbability {
            deliver(message, after: settings.networkSeconds * 2 * random.uniform())
        }
    }

    func deliver(_ message: WorldMessage, after seconds: Double) {
        time.after(seconds) { [mailbox, number = message.number] in mailbox.put(.arrival(message: number)) }
    }

    private func arrive(_ message: WorldMessage) {
        guard let server, server.phase == .up, let route = server.routes[message.request.path] else {
            return note(2, message.number)
        }
        let number = arrivalCount
        arrivalCount += 1
        note(3, message.number)
        arrivals[number] = oracle.begin(
            message, arrival: number, incarnation: server.incarnation, at: time.now, day: time.second / 86_400
        )
        self.server?.open.insert(number)
        time.after(WorldOracle.patience) { [mailbox] in mailbox.put(.deadline(arrival: number)) }
        time.begin { [mailbox, request = message.request] in
            let response = await route.host.respond(to: request, at: route.endpoint)
            mailbox.put(.answer(arrival: number, response))
        }
    }

    private func answer(_ number: Int, _ response: BinaryHTTPResponse) {
        // Of a process that is no more: nobody hears of it.
        guard let arrival = arrivals[number], arrival.incarnation == server?.incarnation else { return }
        arrivals[number] = nil
        server?.open.remove(number)
        note(4, number, response.status)
        oracle.end(arrival, response, at: time.now, day: time.second / 86_400)
        var random = SplitMix64(script.seed ^ SplitMix64.finalize(UInt64(number)))
        if random.uniform() >= script.settings.lossProbability {
            responses[number] = (arrival.message, response)
            time.after(script.settings.networkSeconds * 2 * random.uniform()) { [mailbox] in
                mailbox.put(.response(arrival: number))
            }
        }
        endIfDone()
    }

    private func receive(_ number: Int) {
        guard let (message, response) = responses.removeValue(forKey: number),
            let answer = message.answer(in: response)
        else { return }
        note(5, number)
        var random = RandomStream(
            seed: script.seed, replication: 0, entity: UInt32(clamping: number), purpose: Self.reading)
        devices[message.device].read(answer, to: message, stock: stock, &random)
    }

    private static let reading = StreamPurpose("device reads")

    /// All is well again; what is down starts.
    private func settle() {
        disk.heal()
        if server == nil { mailbox.put(.start) }
    }

    /// Spends every token once more that was taken, and asks for every device's key.
    private func askAgain() {
        guard oracle.violation == nil else { return }
        var seen: Set<TokenNonce> = []
        for message in messages {
            guard let nonce = message.nonce, oracle.wasAccepted(nonce), seen.insert(nonce).inserted else {
                continue
            }
            deliver(addMessage(like: message), after: 0.01 * Double(seen.count))
        }
        for device in devices {
            guard let message = lastQuestion(of: device) else { continue }
            deliver(message, after: 5)
        }
    }

    private func lookAtBounds() {
        guard let server, oracle.violation == nil else { return }
        if server.pool.queueLength > script.settings.queueLimit {
            oracle.fail(.unbounded, at: time.now, "\(server.pool.queueLength) requests wait")
        }
        if server.store.waitingByteCount > DurableStore.waitingByteCount {
            oracle.fail(.unbounded, at: time.now, "\(server.store.waitingByteCount) bytes wait for the disk")
        }
        if server.store.spentTokenCount > arrivalCount {
            oracle.fail(.unbounded, at: time.now, "\(server.store.spentTokenCount) spent tokens are kept")
        }
    }

    private func lookAtRest() {
        guard oracle.violation == nil else { return }
        guard let server, server.phase == .up else {
            return oracle.fail(.cannotStart, at: time.now, "the servers are down at the end")
        }
        let idle = server.threads.idleCount
        if !server.open.isEmpty || server.pool.queueLength > 0 || server.store.waitingByteCount > 0
            || idle != script.settings.threadCount
        {
            oracle.fail(
                .leftOver, at: time.now,
                "\(server.open.count) requests, \(server.pool.queueLength) in line, "
                    + "\(server.store.waitingByteCount) bytes for the disk, \(idle) idle threads")
        }
        let bytes = disk.content.keyByteCount
        if bytes > script.settings.keyRoom {
            oracle.fail(.unbounded, at: time.now, "evaluation keys have \(bytes) bytes on the disk")
        }
    }

    /// Lets every task end, so that nothing is left of the world.
    private func end() {
        disk.crash()
        server?.threads.abandon()
        server = nil
        time.runTasks()
        while time.step(until: .max) { _ = mailbox.take() }
    }

    func note(_ values: Int...) {
        for value in [Int(time.now)] + values {
            fingerprint = (fingerprint ^ UInt64(bitPattern: Int64(value))) &* 0x100_0000_01B3
        }
    }
}
