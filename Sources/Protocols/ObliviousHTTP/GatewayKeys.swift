import Crypto

/// The keys of a gateway, each with what was opened with it: no request is opened twice, however late it comes again.
///
/// RFC 9458, section 6.5.1: a gateway that does more than answer should refuse replays. A window of time forgets, so
/// that what was recorded is good again afterwards. Here the key dates the request: a key opens requests for a bounded
/// time, all of which are remembered as long as it does, and what comes later names a key that is gone. A key whose
/// memory is full is changed early, so that nothing is ever forgotten before its key.
///
/// There is no clock in here; the owner says what time it is. Times that run backwards count as the latest one seen.
package struct GatewayKeys: Sendable {
    /// How long keys live, and how much is remembered of them.
    package struct Lives: Hashable, Sendable {
        /// 36 years: sums of two are numbers yet.
        private static let longest: Int64 = 1 << 60

        /// Nanoseconds for which a key is published; then the next one is.
        package var published: Int64
        /// Nanoseconds for which it still opens requests of devices with an old configuration.
        package var overlap: Int64
        /// Requests that are remembered at once, 16 bytes and the room of a hash table each.
        package var capacity: Int

        package init(published: Int64, overlap: Int64, capacity: Int) {
            precondition(
                (1...Self.longest).contains(published) && (0...Self.longest).contains(overlap),
                "a key must live 1 ns to 36 years, got \(published) and \(overlap)")
            precondition(capacity >= 4, "a gateway must remember at least 4 requests, got \(capacity)")
            (self.published, self.overlap, self.capacity) = (published, overlap, capacity)
        }
    }

    /// A key, and what a gateway has to know to go on with it in another process.
    package struct Stored: Sendable {
        package let key: OHTTPKeyPair
        /// Nanoseconds since the key was published.
        package let age: Int64
        package let isPublished: Bool
        /// Marks of the requests that were opened with it; 16 bytes each.
        package let marks: [UInt8]

        package init(key: OHTTPKeyPair, age: Int64, isPublished: Bool, marks: [UInt8]) {
            (self.key, self.age, self.isPublished, self.marks) = (key, age, isPublished, marks)
        }
    }

    private struct Epoch {
        let key: OHTTPKeyPair
        let begin: Int64
        /// The time from which on it was published no longer.
        var withdrawn: Int64?
        var opened: Set<UInt128> = []

        init(_ key: OHTTPKeyPair, begin: Int64) { (self.key, self.begin) = (key, begin) }

        init(_ stored: Stored, at now: Int64, _ lives: Lives) {
            key = stored.key
            begin = now - stored.age
            opened = GatewayKeys.marks(stored.marks)
            // When it was withdrawn is not stored: at the end of its time, or just now if that was early.
            if !stored.isPublished { withdrawn = min(now, begin + lives.published) }
        }
    }

    private static let markByteCount = 16

    package let lives: Lives
    /// Gateway that opens requests now.
    package private(set) var gateway: OHTTPGateway
    /// Keys that were changed before their time because their memory was full.
    package private(set) var earlyChanges = 0
    private var epochs: [UInt8: Epoch] = [:]
    private var published: UInt8
    private var latest: Int64

    /// Begins with a new key.
    package init(lives: Lives, at now: Int64) throws(OHTTPError) {
        let key = try OHTTPKeyPair(keyID: .random(in: .min ... .max))
        try self.init(lives: lives, at: now, key)
    }

    private init(lives: Lives, at now: Int64, _ key: OHTTPKeyPair) throws(OHTTPError) {
        self.lives = lives
        latest = now
        gateway = try OHTTPGateway(keys: [key])
        published = key.configuration.keyID
        epochs[published] = Epoch(key, begin: now)
    }

    /// Goes on with keys of another process, those that would still open; with a new one if none of them is published.
    ///
    /// - Parameter stored: With everything that was opened with them; if that is not known, the keys must not be given.
    package init(resuming stored: [Stored], lives: Lives, at now: Int64) throws(OHTTPError) {
        let usable = stored.filter { $0.age >= 0 && $0.age < lives.published + lives.overlap }
        guard let first = usable.first(where: \.isPublished) else {
            try self.init(lives: lives, at: now)
            return
        }
        try self.init(lives: lives, at: now, first.key)
        epochs[published] = Epoch(first, at: now, lives)
        for other in usable where epochs[other.key.configuration.keyID] == nil {
            try gateway.add(other.key)
            gateway.withdraw(other.key.configuration.keyID)
            epochs[other.key.configuration.keyID] = Epoch(other, at: now, lives)
        }
    }

    /// Requests that are remembered now.
    package var count: Int { epochs.values.reduce(0) { $0 + $1.opened.count } }

    /// All that another process needs to go on.
    package var stored: [Stored] {
        epochs.values.map { epoch in
            Stored(
                key: epoch.key, age: latest - epoch.begin, isPublished: epoch.withdrawn == nil,
                marks: Self.bytes(epoch.opened))
        }
    }

    /// Changes what has lived long enough. To be called before the keys are used.
    ///
    /// Throws nothing but what making a key throws; the old one is used on then.
    package mutating func advance(to now: Int64) throws(OHTTPError) {
        latest = max(latest, now)
        for (id, epoch) in epochs {
            guard let withdrawn = epoch.withdrawn, latest - withdrawn >= lives.overlap else { continue }
            retire(id)
        }
        guard let current = epochs[published], latest - current.begin >= lives.published else { return }
        try change()
    }

    /// Notes a request that opened, in amortised constant time.
    ///
    /// Ask after opening it: before, anyone could fill the memory with invented keys.
    ///
    /// - Returns: `false` if it was opened before, or its key is gone by now.
    package mutating func admit(_ context: OHTTPServerContext) throws(OHTTPError) -> Bool {
        let mark = Self.mark(context.encapsulatedKey)
        guard epochs[context.keyID]?.opened.insert(mark).inserted == true else { return false }
        let count = epochs[context.keyID]?.opened.count ?? 0
        if context.keyID == published {
            // Half of its room is for requests of devices that still have it when it is published no longer.
            if count >= lives.capacity / 4 {
                earlyChanges += 1
                try change()
            }
        } else if count >= lives.capacity / 2 {
            earlyChanges += 1
            retire(context.keyID)
        }
        return true
    }

    /// Publishes a new key. Of the earlier ones only the last still opens requests, so that two fill the memory.
    private mutating func change() throws(OHTTPError) {
        for id in epochs.keys where id != published { retire(id) }
        let ids = UInt8.min ... .max
        let id = ids.filter { $0 != published }.randomElement() ?? ~published
        let key = try OHTTPKeyPair(keyID: id)
        try gateway.add(key)
        gateway.withdraw(published)
        epochs[published]?.withdrawn = latest
        published = id
        epochs[id] = Epoch(key, begin: latest)
    }

    private mutating func retire(_ id: UInt8) {
        epochs[id] = nil
        gateway.retire(id)
    }

    /// A hash, so that a mark has 16 bytes whatever the KEM.
    private static func mark(_ encapsulatedKey: [UInt8]) -> UInt128 {
        SHA256.hash(data: encapsulatedKey).withUnsafeBytes {
            UInt128(littleEndian: $0.loadUnaligned(as: UInt128.self))
        }
    }

    private static func bytes(_ marks: Set<UInt128>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(marks.count * markByteCount)
        for mark in marks { withUnsafeBytes(of: mark.littleEndian) { bytes.append(contentsOf: $0) } }
        return bytes
    }

    private static func marks(_ bytes: [UInt8]) -> Set<UInt128> {
        let count = bytes.count / markByteCount
        return bytes.withUnsafeBytes { bytes in
            var marks = Set<UInt128>(minimumCapacity: count)
            for index in 0..<count {
                marks.insert(
                    UInt128(
                        littleEndian: bytes.loadUnaligned(
                            fromByteOffset: index * markByteCount, as: UInt128.self)))
            }
            return marks
        }
    }
}
