/// How a keyword picks its shard.
///
/// Client and server must use the same function: the client computes the shard's index itself.
/// Source: article "PIR protocol", section "Sharding".
package enum ShardingFunction: Hashable, Sendable {
    /// The keyword's hash modulo the number of shards.
    case sha256
    /// The keyword's hash modulo another number, then modulo the number of shards.
    ///
    /// With that number being the shard count of a second database, all keywords of one of its shards meet in
    /// one shard here. At least 1.
    case doubleMod(otherShardCount: UInt32)

    /// The shard a keyword belongs to, in `0..<shardCount`.
    ///
    /// - Parameter hash: What ``KeywordHash/hash(_:)`` returned for the keyword.
    package func shard(of hash: UInt64, shardCount: Int) -> Int {
        precondition(shardCount > 0, "a database must have at least one shard, got \(shardCount)")
        switch self {
        case .sha256: return Int(hash % UInt64(shardCount))
        case .doubleMod(let other): return Int(hash % UInt64(max(other, 1)) % UInt64(shardCount))
        }
    }
}

/// How many shards a database is cut into.
package struct Sharding: Hashable, Sendable {
    package enum Rule: Hashable, Sendable {
        case shardCount(Int)
        /// Rows per shard, about: there are as many shards as give each this many.
        case entryCountPerShard(Int)
    }

    package let rule: Rule
    /// Upper bound on the number of shards. Nil means none.
    package let maxShardCount: Int?
    /// Whether the number of shards has to be a power of two.
    package let requirePowerOfTwoShardCount: Bool

    package static let oneShard = Sharding(unchecked: .shardCount(1))

    private init(unchecked rule: Rule) {
        self.rule = rule
        maxShardCount = nil
        requirePowerOfTwoShardCount = false
    }

    /// An explicit shard count has to satisfy the other two settings by itself.
    package init(
        _ rule: Rule, maxShardCount: Int? = nil, requirePowerOfTwoShardCount: Bool = false
    ) throws(KeywordDatabaseError) {
        let number =
            switch rule {
            case .shardCount(let number): (name: "shardCount", value: number)
            case .entryCountPerShard(let number): (name: "entryCountPerShard", value: number)
            }
        guard (1...Int(UInt32.max)).contains(number.value) else {
            throw .settingOutOfRange(
                "sharding.\(number.name)", found: "\(number.value)", allowed: "in 1...\(UInt32.max)")
        }
        if let maxShardCount, maxShardCount < 1 {
            throw .settingOutOfRange(
                "sharding.maxShardCount", found: "\(maxShardCount)", allowed: "at least 1")
        }
        if case .shardCount(let count) = rule {
            if let maxShardCount, count > maxShardCount {
                throw .settingOutOfRange(
                    "sharding.shardCount", found: "\(count)",
                    allowed: "at most maxShardCount, \(maxShardCount)")
            }
            if requirePowerOfTwoShardCount, count.nonzeroBitCount != 1 {
                throw .settingOutOfRange(
                    "sharding.shardCount", found: "\(count)",
                    allowed: "a power of two because of requirePowerOfTwoShardCount")
            }
        }
        self.rule = rule
        self.maxShardCount = maxShardCount
        self.requirePowerOfTwoShardCount = requirePowerOfTwoShardCount
    }

    /// The number of shards for a database, at least 1.
    ///
    /// The upper bound applies first, then the step down to a power of two.
    package func shardCount(rowCount: Int) -> Int {
        switch rule {
        case .shardCount(let count):
            return count
        case .entryCountPerShard(let entries):
            let wanted = max(rowCount / entries, 1)
            let capped = min(wanted, maxShardCount ?? wanted)
            guard requirePowerOfTwoShardCount else { return capped }
            return 1 << (Int.bitWidth - 1 - capped.leadingZeroBitCount)
        }
    }
}
