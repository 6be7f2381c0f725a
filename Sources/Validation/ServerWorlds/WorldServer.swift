import LiveStack
import Logging
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Synchronization
import Timing

/// News for the world from the tasks and timers that run in it.
enum WorldNews: Sendable {
    /// An event of the script is due.
    case event(Int)
    /// A message reaches the servers.
    case arrival(message: Int)
    /// A server has an answer.
    case answer(arrival: Int, BinaryHTTPResponse)
    /// An answer reaches its device.
    case response(arrival: Int)
    /// An arrival has to be answered by now.
    case deadline(arrival: Int)
    case start
    case started(incarnation: Int, Result<LiveParties, any Error>)
    /// A server that is told to end has had time for it.
    case endDeadline(incarnation: Int)
}

/// News in the order in which they came.
final class WorldMailbox: Sendable {
    private let news = Mutex<[WorldNews]>([])

    func put(_ item: WorldNews) { news.withLock { $0.append(item) } }

    func take() -> [WorldNews] {
        news.withLock { news in
            defer { news = [] }
            return news
        }
    }
}

/// A process of servers in a world: the real pool, store, parties and hosts, on virtual threads, disk and clock.
struct WorldServer {
    enum Phase { case starting, up, ending }

    let incarnation: Int
    let threads: VirtualThreads
    let pool: ComputePool
    let store: DurableStore
    let surroundings: StackSurroundings
    var phase = Phase.starting
    var parties: LiveParties?
    var routes = StackRoutes([])
    /// Arrivals that have no answer yet.
    var open: Set<Int> = []

    /// Opens the disk and begins to start. What becomes of it arrives as ``WorldNews/started(incarnation:_:)``.
    init(
        incarnation: Int, settings: WorldSettings, seed: UInt64, time: VirtualTime, disk: VirtualDisk,
        mutant: Mutant?
    ) throws {
        self.incarnation = incarnation
        let clock = time.clock(isSet: mutant == .steadyClockIsSet)
        let mount = disk.mount()
        let store = try DurableStore(
            mount, copies: mount, logger: Self.silent,
            keys: .init(capacity: settings.keyRoom, cacheByteCount: settings.keyCache),
            start: { work in time.after(disk.delay(), work) })
        self.store = store
        let threads = VirtualThreads(
            time: time, seed: seed &+ UInt64(incarnation), meanSeconds: settings.jobSeconds, mutant: mutant)
        self.threads = threads
        pool = ComputePool(
            name: "world", threadCount: settings.threadCount, queueLimit: settings.queueLimit,
            queueSeconds: PIRParty.queueTime.seconds, on: (clock, threads), noteRefusal: { _ in })
        surroundings = StackSurroundings(
            clock: clock, store: mutant.map { FaultyStore(store, mutant: $0, time: time) } ?? store,
            pool: pool,
            // All parties are in one process.
            connect: { _ in NoWay() })
    }

    static let silent = Logger(label: "world", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Starts the parties with the operator's data.
    func start(_ data: LiveData, settings: WorldSettings, time: VirtualTime, mailbox: WorldMailbox) {
        var options = LiveStackOptions(coreCount: settings.threadCount)
        options.logger = Self.silent
        options.tokensPerUserPerDay = settings.tokensPerUserPerDay
        options.gatewayKeyLife = .seconds(settings.gatewayKeyLife)
        let (ready, surroundings, incarnation) = (options, surroundings, incarnation)
        time.begin {
            do {
                let parties = try await LiveParties(
                    ready, data: data, on: surroundings, meter: CPUMeter(), hits: LimitHits())
                mailbox.put(.started(incarnation: incarnation, .success(parties)))
            } catch {
                mailbox.put(.started(incarnation: incarnation, .failure(error)))
            }
        }
    }
}

/// The way to a party in another process, of which a world has none.
private struct NoWay: DistantParty {
    func sendIfReachable(
        _: BinaryHTTPRequest, to _: PartyEndpoint
    ) async -> BinaryHTTPResponse? { nil }
}
