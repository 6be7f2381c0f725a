package import URLFilter

/// Request that a device wants to send.
package struct ExchangeRequest: Sendable {
    package var device: Int
    package var endpoint: Endpoint
    /// Keys of the lookup strings of `.queries`, of the entries of `.report`.
    package var keys: [UInt64]
    /// Whether the block list has each key. Real work ignores this and is checked against it.
    package var listed: [Bool]
    /// Simulated time in whole seconds, for rules that depend on the date.
    package var second: Int64
    /// Each key of `.queries` comes with a fresh evaluation key, which serves it alone.
    package var carriesKey = false
    /// The answer to `.directory` says which token key is used: the first valid one.
    package var takesFirstTokenKey = false
    /// Bytes that each entry of a `.report` takes.
    package var reportedEntryBytes = 0

    package init(device: Int, endpoint: Endpoint, keys: [UInt64], listed: [Bool], second: Int64) {
        self.device = device
        self.endpoint = endpoint
        self.keys = keys
        self.listed = listed
        self.second = second
    }
}

/// Work of one stage.
package struct StageWork: Sendable {
    /// CPU time on the machine of the cost profile, nanoseconds.
    package var cpu: Int64
    /// Size of the message that leaves the stage, bytes.
    package var bytes: Int
    /// The server had to read the device's evaluation key from its store.
    package var readsKey = false
    /// The service refused the request: the work says nothing about what answers take.
    package var isRefusal = false

    package init(cpu: Int64, bytes: Int, readsKey: Bool = false, isRefusal: Bool = false) {
        self.cpu = cpu
        self.bytes = bytes
        self.readsKey = readsKey
        self.isRefusal = isRefusal
    }
}

/// Result that the device found in the answer.
package enum ExchangeOutcome: Sendable {
    /// 200. For `.queries` one Boolean per key: is it on the list. For `.config`: must a key be uploaded.
    case success(present: [Bool], keyUploadNeeded: Bool)
    /// Any other HTTP status, or 0 when the device could do nothing with the answer.
    case failure(status: Int)
}

/// Who does the parties' work: the real protocol code, or a cost profile.
///
/// The model calls the stages of one exchange in order, each at the simulated time at which the party
/// starts on it: ``deviceBegins(_:request:)``, ``gatewayOpens(_:)``, ``serviceAnswers(_:at:)``,
/// ``gatewaySeals(_:)``, ``deviceEnds(_:)``. An exchange that dies on the way ends with ``abandon(_:)``.
/// An implementation belongs to one replication and is used from one thread.
package protocol ProtocolWork: AnyObject {
    /// Seals the request. Takes a token from the device's stock when the endpoint needs one; `.key` makes
    /// a new secret and evaluation key, which the device uses once the upload has succeeded.
    func deviceBegins(_ exchange: Int, request: ExchangeRequest) throws -> StageWork
    func gatewayOpens(_ exchange: Int) throws -> StageWork
    /// The configuration that a lookup was made for is served no longer. Comes right before the service's stage.
    func withdrawConfiguration(of exchange: Int) throws
    func serviceAnswers(_ exchange: Int, at server: ServerPlace) throws -> StageWork
    func gatewaySeals(_ exchange: Int) throws -> StageWork
    func deviceEnds(_ exchange: Int) throws -> (cpu: Int64, outcome: ExchangeOutcome)
    func abandon(_ exchange: Int)

    /// Puts a device into the state of one that has been running for long: `tokens` tokens, a known token
    /// key, a configuration, and an evaluation key that this server holds.
    func startSteadily(device: Int, tokens: Int, at server: ServerPlace) throws
    /// Throws the device's oldest tokens away.
    func discardTokens(device: Int, oldest count: Int)
    /// The device has the configuration that is given to everybody.
    func receivePublicConfiguration(device: Int) throws
    /// The device forgets which token key it should use, and asks the directory again.
    func forgetTokenKey(device: Int)
    /// The service loses what it keeps in memory.
    ///
    /// - Parameter instances: `nil` for all of the region.
    func restart(_ part: Part, region: Int, instances: Range<Int>?) throws
    /// Memory that keys and database take at the PIR servers; `nil` when it is not looked at.
    var serverMemory: ServerMemory? { get }
}
