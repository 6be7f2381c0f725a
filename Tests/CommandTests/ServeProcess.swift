import DeviceFleet
import DeviceNetwork
import Foundation
import ObliviousHTTP
import Parties

/// `urlfilter serve all` as a process, with a list of its own.
struct ServeProcess {
    /// A listed entry of every list that ``start(in:list:prelude:options:)`` serves.
    static let listed = "blocked1.example"

    let program: RunningProgram
    /// Base URL.
    let url: String

    /// Starts a server whose state is in the directory.
    ///
    /// - Parameters:
    ///   - list: Number of entries; other numbers make other configurations.
    ///   - whenStarted: Gets the process before it serves.
    /// - Returns: Nil if it ended before it served.
    static func start(
        in directory: String, list entryCount: Int = 20, prelude: String = "", options: [String] = [],
        whenStarted: (RunningProgram) -> Void = { _ in }
    ) async throws -> ServeProcess? {
        let list = directory + "/list-\(entryCount).txt"
        let entries = (0..<entryCount).map { "blocked\($0).example\n" }.joined()
        try Data(entries.utf8).write(to: URL(fileURLWithPath: list))
        let program = try Program.start(
            [
                "serve", "all", "--list", list, "--state", directory + "/state.sqlite", "--port", "0",
                "--cores", "2",
                // The longest there is: the machine may be busy with other tests.
                "--queue-time", "60s",
            ] + options, in: directory, prelude: prelude)
        whenStarted(program)
        guard let line = await program.line({ $0.hasPrefix("ready:") }),
            let url = line.split(separator: " ").last
        else { return nil }
        return ServeProcess(program: program, url: String(url))
    }

    /// The value of a metric that has no labels.
    func metric(_ name: String, _ caller: HTTPCaller) async throws -> Int? {
        let page = String(decoding: try await caller.get(url + "/metrics").body, as: UTF8.self)
        let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }.map { Int($0) }
    }
}

/// A device that remembers what was acknowledged.
struct RememberingDevice {
    private(set) var client: DeviceClient
    private let caller: HTTPCaller
    private var random = SystemRandomNumberGenerator()
    var url: String
    /// Requests whose token was taken, by an answer with status 200.
    private(set) var spent: [BinaryHTTPRequest] = []
    /// Tokens that came in.
    private(set) var issuedCount = 0
    /// Token requests without an answer.
    private(set) var openIssueCount = 0
    private(set) var hasKey = false
    /// Whether an upload got no answer: nobody knows which key the server has.
    private(set) var hasOpenUpload = false
    private var uploads: Int64 = 0
    /// Of its first token, by the clock that budgets go by.
    let day = Self.today

    init(_ name: String, _ url: String, _ caller: HTTPCaller) {
        client = DeviceClient(
            .init(userIdentifier: "device-" + name, userToken: "user-" + name),
            usecase: PIRDatabase.usecaseName, services: DeviceClient.Services())
        self.url = url
        self.caller = caller
    }

    static var today: Int { Int(Date().timeIntervalSince1970) / 86_400 }

    /// Everything up to the upload of a key.
    mutating func prepare(tokens: Int) async throws {
        try await exchange { $0.directoryRequest() }
        try await exchange { $0.tokenKeyRequest() }
        for _ in 0..<tokens { try await fetchToken() }
        try await fetchConfiguration()
    }

    mutating func fetchToken() async throws {
        openIssueCount += 1
        do {
            try await exchange { try $0.issueRequest() }
            issuedCount += 1
        } catch let error as Answered {
            openIssueCount -= 1
            throw error
        }
        openIssueCount -= 1
    }

    /// - Returns: Whether the server has no key of this device, or another one.
    @discardableResult
    mutating func fetchConfiguration() async throws -> Bool {
        guard case .keyUploadNeeded(let isNeeded) = try await exchange({ try $0.configRequest() }) else {
            return false
        }
        return isNeeded
    }

    mutating func uploadKey() async throws {
        uploads += 1
        let second = uploads
        hasOpenUpload = true
        do {
            var random = random
            try await exchange { try $0.keyRequest(second: second, using: &random) }
            hasKey = true
        } catch let error as Answered {
            hasOpenUpload = false
            throw error
        }
        hasOpenUpload = false
    }

    /// - Returns: Whether the list has a listed entry and one that is not.
    mutating func lookUp() async throws -> [Bool] {
        var random = random
        let keywords = [ServeProcess.listed, "harmless.example"].map { Array($0.utf8) }
        guard
            case .present(let present) = try await exchange({
                try $0.queriesRequest(keywords, using: &random)
            })
        else { return [] }
        return present
    }

    /// Sends a request once more.
    ///
    /// - Returns: The status.
    func repeated(_ request: BinaryHTTPRequest) async throws -> Int {
        try await caller.call(
            request.method, url + request.path, fields: request.fields, body: request.content
        ).status
    }

    @discardableResult
    private mutating func exchange(
        _ make: (inout DeviceClient) throws -> (BinaryHTTPRequest, DeviceClient.Pending)
    ) async throws -> DeviceClient.Answer {
        let (request, pending) = try make(&client)
        let reply = try await caller.call(
            request.method, url + request.path, fields: request.fields, body: request.content)
        guard reply.status == 200 else { throw Answered(status: reply.status) }
        if request.authorization?.hasPrefix("PrivateToken") == true { spent.append(request) }
        return try client.read(
            reply.body, to: pending, second: Int64(Date().timeIntervalSince1970), using: &random)
    }

    /// An answer other than 200.
    struct Answered: Error {
        let status: Int
    }
}
