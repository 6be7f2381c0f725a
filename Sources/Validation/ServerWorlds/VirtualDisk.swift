import Decoding
package import LiveStack
import ObliviousHTTP
import PrivacyPass
import PrivateInformationRetrieval
import RandomStreams
import Synchronization

/// A disk that outlives the processes of a world: transactions that are there or not, delays, and no room at times.
final class VirtualDisk: Sendable {
    struct GatewayKey: Sendable {
        let key: OHTTPKeyPair
        let publishedSecond: Int64
        let isPublished: Bool
        let marks: [UInt8]
    }

    struct UploadedKey: Sendable {
        let name: EvaluationKeyName
        let timestamp: UInt64
        let message: [UInt8]
    }

    struct UserDay: Hashable, Sendable {
        let userHash: [UInt8]
        let day: Int64
    }

    struct Content: Sendable {
        var issuers: [UserTier: Issuer]
        var spent: [(keyID: [UInt8], nonce: TokenNonce)] = []
        /// Evaluation keys in the order of their uploads.
        var keys: [UploadedKey] = []
        var issued: [UserDay: Int] = [:]
        var gatewayKeys: [GatewayKey] = []
        /// Databases of each usecase, the latest first.
        var versions: [String: [PIRUsecase]] = [:]

        var keyByteCount: Int { keys.reduce(0) { $0 + $1.message.count } }
    }

    struct Full: Error {}

    private struct State {
        var content: Content
        /// Content that a crash leaves; the same, unless the disk has a fault that is looked for.
        var synced: Content
        var mount = 0
        var fullUntil: Int64 = 0
        var slowUntil: Int64 = 0
        var random: SplitMix64
    }

    let mutant: Mutant?
    private let time: VirtualTime
    private let meanDelay: Double
    private let state: Mutex<State>

    /// - Parameter meanDelay: Of a transaction, seconds.
    init(
        issuers: [UserTier: Issuer], time: VirtualTime, seed: UInt64, meanDelay: Double, mutant: Mutant?
    ) {
        self.time = time
        self.meanDelay = meanDelay
        self.mutant = mutant
        let content = Content(issuers: issuers)
        state = Mutex(State(content: content, synced: content, random: SplitMix64(seed)))
    }

    var content: Content { state.withLock { $0.content } }

    var isFull: Bool { state.withLock { time.now < $0.fullUntil } }

    func fill(seconds: Double) {
        state.withLock { $0.fullUntil = time.now + .seconds(seconds) }
    }

    func slowDown(seconds: Double) {
        state.withLock { $0.slowUntil = time.now + .seconds(seconds) }
    }

    /// Ends what is wrong with it.
    func heal() { state.withLock { ($0.fullUntil, $0.slowUntil) = (0, 0) } }

    /// Seconds until the transaction that begins now is on the disk: up to 2 s where the disk is slow.
    func delay() -> Double {
        state.withLock { state in
            let draw = state.random.uniform()
            return time.now < state.slowUntil ? 2 * draw : meanDelay * 2 * draw
        }
    }

    /// Opens the disk for a process; who had it open before has it no more.
    func mount() -> Mount {
        Mount(
            disk: self,
            number: state.withLock { state in
                state.mount += 1
                return state.mount
            })
    }

    /// The end of the process, or of the power.
    func crash() {
        state.withLock { state in
            state.mount += 1
            state.content = state.synced
        }
    }

    fileprivate func read<Result: Sendable>(_ mount: Int, _ body: (Content) -> Result) throws -> Result {
        try state.withLock { state in
            guard state.mount == mount else { throw Full() }
            return body(state.content)
        }
    }

    fileprivate func write<Result: Sendable>(
        _ mount: Int, _ body: (inout Content) -> Result, otherwise: Result? = nil
    ) throws -> Result {
        let isFull = isFull
        return try state.withLock { state in
            guard state.mount == mount else { throw Full() }
            if isFull {
                if mutant == .silentFullDisk, let otherwise { return otherwise }
                throw Full()
            }
            if mutant == .lostSync { state.synced = state.content }
            let result = body(&state.content)
            if mutant != .lostSync { state.synced = state.content }
            return result
        }
    }

    fileprivate func close(_ mount: Int) {
        state.withLock { state in
            guard state.mount == mount else { return }
            state.mount += 1
            state.synced = state.content
        }
    }
}

extension VirtualDisk {
    /// The disk as one process sees it.
    struct Mount: StateDatabase, VersionCopies {
        let disk: VirtualDisk
        let number: Int

        func issuers() throws -> [UserTier: Issuer] { try disk.read(number) { $0.issuers } }

        func insert(_ issuer: Issuer, tier: UserTier) throws {
            try disk.write(number, { $0.issuers[tier] = issuer })
        }

        func spentTokens() throws -> [(keyID: [UInt8], nonce: TokenNonce)] {
            try disk.read(number) { $0.spent }
        }

        func takeGatewayKeys(second: Int64) throws -> [GatewayKeys.Stored] {
            try disk.write(number) { content in
                let keys = content.gatewayKeys
                if disk.mutant != .keysTakenTwice { content.gatewayKeys = [] }
                return keys.map {
                    GatewayKeys.Stored(
                        key: $0.key, age: .seconds(second - $0.publishedSecond),
                        isPublished: $0.isPublished, marks: $0.marks)
                }
            }
        }

        func put(_ keys: [GatewayKeys.Stored], second: Int64) throws {
            try disk.write(number) { content in
                content.gatewayKeys = keys.map {
                    GatewayKey(
                        key: $0.key, publishedSecond: second - $0.age / .seconds(1),
                        isPublished: $0.isPublished, marks: disk.mutant == .lostMarks ? [] : $0.marks)
                }
            }
        }

        func write(_ changes: [StateChange], keyCapacity: Int) throws -> [EvaluationKeyName] {
            let changes = disk.mutant == .reversedBatch ? changes.reversed() : changes
            return try disk.write(
                number,
                { content in
                    for change in changes { content.apply(change) }
                    return content.dropOldestKeys(beyond: keyCapacity)
                }, otherwise: [])
        }

        func timestamp(of name: EvaluationKeyName) throws -> UInt64? {
            try disk.read(number) { content in content.keys.last { $0.name == name }?.timestamp }
        }

        func evaluationKey(_ name: EvaluationKeyName) throws -> (timestamp: UInt64, message: [UInt8])? {
            try disk.read(number) { content in
                content.keys.last { $0.name == name }.map { ($0.timestamp, $0.message) }
            }
        }

        func evaluationKeyCount() throws -> Int { try disk.read(number) { $0.keys.count } }

        func removeEvaluationKeys() throws { try disk.write(number, { $0.keys = [] }) }

        func issuedCount(userHash: [UInt8], day: Int64) throws -> Int {
            let day = disk.mutant == .epochOffByOne ? day - 1 : day
            return try disk.read(number) { $0.issued[UserDay(userHash: userHash, day: day)] ?? 0 }
        }

        var usecases: Set<String> { (try? disk.read(number) { Set($0.versions.keys) }) ?? [] }

        func remember(_ usecase: PIRUsecase, versionCount: Int) {
            try? disk.write(number) { content in
                let others = (content.versions[usecase.name] ?? []).filter {
                    $0.configurationID != usecase.configurationID
                }
                content.versions[usecase.name] = Array(([usecase] + others).prefix(versionCount))
            }
        }

        func versions(before usecase: PIRUsecase, versionCount: Int) -> [PIRUsecase] {
            guard disk.mutant != .lostVersion else { return [] }
            let known = (try? disk.read(number) { $0.versions[usecase.name] ?? [] }) ?? []
            return Array(
                known.filter { $0.configurationID != usecase.configurationID }.prefix(
                    max(0, versionCount - 1)))
        }

        func forget(usecase name: String) { try? disk.write(number) { $0.versions[name] = nil } }

        func close() { disk.close(number) }
    }
}

extension VirtualDisk.Content {
    fileprivate mutating func apply(_ change: StateChange) {
        switch change {
        case .spent(let nonce, let keyID): spent.append((keyID, nonce))
        case .evaluationKey(let name, let key):
            keys.removeAll { $0.name == name }
            keys.append(
                VirtualDisk.UploadedKey(name: name, timestamp: key.timestamp, message: key.message))
        case .issued(let userHash, let day):
            issued[VirtualDisk.UserDay(userHash: userHash, day: day), default: 0] += 1
            issued = issued.filter { $0.key.day >= day - 1 }
        }
    }

    fileprivate mutating func dropOldestKeys(beyond capacity: Int) -> [EvaluationKeyName] {
        var dropped: [EvaluationKeyName] = []
        while keyByteCount > capacity, !keys.isEmpty { dropped.append(keys.removeFirst().name) }
        return dropped
    }
}

/// An empty disk without faults, to compare with a file.
package struct EmptyDisk: Sendable {
    private let disk = VirtualDisk(
        issuers: [:], time: VirtualTime(seed: 0, second: 0), seed: 0, meanDelay: 0, mutant: nil)

    package init() {}

    package func open() -> any StateDatabase & VersionCopies { disk.mount() }

    /// Leaves no room on it.
    package func fill() { disk.fill(seconds: 1) }
}
