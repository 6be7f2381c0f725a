import DeviceFleet
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import Synchronization
import TestSupport
import URLFilter
import Workload

/// Issuer, PIR service and gateway behind made-up hosts, without sockets: the parties that the simulator runs.
///
/// A fault can be put before or after the services.
final class StackDouble: HTTPCalls {
    typealias Before = @Sendable (inout BinaryHTTPRequest) async -> BinaryHTTPResponse?
    typealias After = @Sendable (BinaryHTTPRequest, inout BinaryHTTPResponse) -> Void
    typealias Outer = @Sendable (_ method: String, _ url: String, inout HTTPReply) -> Void

    static let gatewayURL = "https://gateway.example/"
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let dateSeconds = 784_111_777.0

    private let backend: Backend
    private let gateway: Mutex<OHTTPGateway>
    private let before: Before
    private let after: After
    private let outer: Outer
    private let log = Mutex<[String]>([])

    private actor Backend {
        private let service: OperatorService

        init(_ usecase: PIRUsecase) throws {
            service = try OperatorService(usecase: usecase, tokensPerUserPerDay: nil)
        }

        func respond(_ request: BinaryHTTPRequest) -> BinaryHTTPResponse {
            service.respond(to: request, second: 0)
        }

        func restartIssuer() throws { try service.restartIssuer(second: 0) }
        func restartPIR() { service.restartPIR() }
        func install(_ usecase: PIRUsecase, versionCount: Int) {
            service.pir.service.install(usecase, versionCount: versionCount)
        }
    }

    init(
        usecase: PIRUsecase = TestList.usecase,
        before: @escaping Before = { _ in nil }, after: @escaping After = { _, _ in },
        outer: @escaping Outer = { _, _, _ in }
    ) throws {
        backend = try Backend(usecase)
        gateway = Mutex(try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 1)]))
        self.before = before
        self.after = after
        self.outer = outer
    }

    func restartIssuer() async throws { try await backend.restartIssuer() }
    func restartPIR() async { await backend.restartPIR() }
    /// New data, beside as many versions in all.
    func install(_ usecase: PIRUsecase, versionCount: Int) async {
        await backend.install(usecase, versionCount: versionCount)
    }

    func replaceGatewayKey() throws {
        let fresh = try OHTTPGateway(keys: [OHTTPKeyPair(keyID: 2)])
        gateway.withLock { $0 = fresh }
    }

    /// Paths that the services were asked for.
    func calls(_ path: String) -> Int { log.withLock { $0.count { $0 == path } } }

    func call(
        _ method: String, _ url: String, fields: [BinaryHTTPField], body: [UInt8]
    ) async throws(ExchangeError) -> HTTPReply {
        let rest = url.dropFirst("https://".count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let (authority, path) = (String(rest[..<slash]), String(rest[slash...]))
        var reply: HTTPReply
        if authority == "gateway.example" {
            reply = try await gatewayReply(method, fields, body)
        } else {
            let response = await respond(
                BinaryHTTPRequest(
                    method: method, authority: authority, path: path, fields: fields, content: body))
            reply = HTTPReply(status: response.status, fields: response.fields, body: response.content)
        }
        reply.isHTTP2 = true
        reply.fields.append(BinaryHTTPField("date", Self.date))
        outer(method, url, &reply)
        guard reply.status > 0 else { throw .unreachable("scripted") }
        return reply
    }

    private func gatewayReply(
        _ method: String, _ fields: [BinaryHTTPField], _ body: [UInt8]
    ) async throws(ExchangeError) -> HTTPReply {
        let gateway = gateway.withLock { $0 }
        guard method == "POST" else {
            return HTTPReply(
                status: 200,
                fields: [BinaryHTTPField("content-type", OHTTPMediaType.keyConfigurations)],
                body: gateway.encodedConfigurations)
        }
        do {
            let (bytes, context) = try gateway.open(body)
            let response = await respond(try BinaryHTTPRequest(decoding: bytes))
            return HTTPReply(
                status: 200, fields: [BinaryHTTPField("content-type", OHTTPMediaType.response)],
                body: context.seal(try response.encoded()))
        } catch {
            return HTTPReply(status: 422, body: Array("\(error)".utf8))
        }
    }

    private func respond(_ request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        var request = request
        log.withLock { $0.append(request.path) }
        if let response = await before(&request) { return response }
        var response = await backend.respond(request)
        after(request, &response)
        return response
    }
}

/// A list of 60 entries, in two shards.
enum TestList {
    static let entries = (0..<60).map { "blocked\($0).example" } + TestEntry.forms

    static let usecase = usecase(of: entries)

    static func usecase(of entries: [String], named name: String = PIRDatabase.usecaseName) -> PIRUsecase {
        guard
            let usecase = try? PIRDatabase.usecase(
                named: name, entries: BlockList(entries),
                rlweParameters: "n_4096_logq_27_28_28_logt_5", shardCount: 2, seed: 1)
        else { preconditionFailure("the list cannot be processed") }
        return usecase
    }

    static let prefilter: DevicePrefilter = {
        guard
            let parameters = try? BloomParameters(
                entryCount: entries.count, falsePositiveTolerance: 1e-6, murmurSeed: 7)
        else { preconditionFailure("the prefilter cannot be built") }
        var filter = BloomFilter(parameters: parameters)
        for entry in entries { filter.insert(entry) }
        // Hits the prefilter and is in no list.
        filter.insert("stray.example")
        return DevicePrefilter(filter: filter, rules: .documented)
    }()

    static var services: DeviceClient.Services { DeviceClient.Services() }

    static func device(
        _ channel: any ExchangeChannel, _ change: (inout LiveDevice.Settings) -> Void = { _ in },
        observer: @escaping ExchangeObserver = { _ in }
    ) async -> LiveDevice {
        var settings = LiveDevice.Settings()
        // Refills come in at random times; tests that want one say so.
        settings.generation.tokens.refillDelay = 3_600_000_000_000
        // A busy machine makes no difference; tests of the time limit say so.
        settings.constants.verdictTimeout = Patience.nanoseconds
        change(&settings)
        let device = LiveDevice(
            DeviceClient.Identity(userIdentifier: "someone", userToken: "user"),
            usecase: PIRDatabase.usecaseName, services: services, channel: channel, settings: settings,
            observer: observer)
        await device.load(prefilter)
        return device
    }

    static func url(_ text: String) -> [UInt8] { Array("https://\(text)".utf8) }
}

/// Lets calls through when it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        for arrival in arrivals { arrival.resume() }
        arrivals = []
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Returns when somebody waits.
    func arrival() async {
        if waiting.isEmpty { await withCheckedContinuation { arrivals.append($0) } }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
