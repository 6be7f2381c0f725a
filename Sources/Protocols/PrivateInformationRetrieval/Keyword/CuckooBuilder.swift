/// Slots being placed into a fixed number of buckets.
///
/// A slot is known by its number, its keyword's hash and its bytes; what it stands for is the caller's affair.
struct CuckooBuilder {
    private let hashes: [UInt64]
    /// Bytes a slot takes in a bucket.
    private let slotByteCounts: [Int]
    private let configuration: CuckooConfiguration
    private let bucketsPerTable: Int
    /// Slot numbers by bucket, table after table.
    private(set) var buckets: [[Int]]
    /// Bytes of each bucket when written out.
    private(set) var byteCounts: [Int]
    private var candidates: [Int] = []

    /// - Parameter bucketCount: Over all tables; a multiple of their number.
    init(hashes: [UInt64], slotByteCounts: [Int], bucketCount: Int, configuration: CuckooConfiguration) {
        self.hashes = hashes
        self.slotByteCounts = slotByteCounts
        self.configuration = configuration
        bucketsPerTable = bucketCount / configuration.hashFunctionCount
        buckets = Array(repeating: [], count: bucketCount)
        byteCounts = Array(repeating: HashBucket.emptyByteCount, count: bucketCount)
    }

    /// Puts a slot where it was in an earlier table, if there is still room for it.
    mutating func keep(_ slot: Int, in bucket: Int) -> Bool {
        guard hasRoom(bucket, for: slot) else { return false }
        put(slot, into: bucket)
        return true
    }

    /// Finds a place, pushing out others if need be.
    ///
    /// - Returns: False if none was found; then some slot, not necessarily this one, has no place.
    mutating func insert(_ slot: Int, using generator: inout some RandomNumberGenerator) -> Bool {
        var homeless = slot
        var evictionsLeft = configuration.maxEvictionCount
        while true {
            findCandidates(of: homeless)
            if let bucket = candidates.first(where: { hasRoom($0, for: homeless) }) {
                put(homeless, into: bucket)
                return true
            }
            guard evictionsLeft > 0, let victim = replaceableSlot(by: homeless, using: &generator) else {
                return false
            }
            evictionsLeft -= 1
            let evicted = buckets[victim.bucket][victim.place]
            buckets[victim.bucket][victim.place] = homeless
            byteCounts[victim.bucket] += slotByteCounts[homeless] - slotByteCounts[evicted]
            homeless = evicted
        }
    }

    private mutating func findCandidates(of slot: Int) {
        KeywordHash.bucketIndices(
            of: hashes[slot], bucketCount: bucketsPerTable, functionCount: configuration.hashFunctionCount,
            into: &candidates)
        for table in candidates.indices { candidates[table] += table * bucketsPerTable }
    }

    private mutating func put(_ slot: Int, into bucket: Int) {
        buckets[bucket].append(slot)
        byteCounts[bucket] += slotByteCounts[slot]
    }

    private func hasRoom(_ bucket: Int, for slot: Int) -> Bool {
        buckets[bucket].count < configuration.slotCount
            && byteCounts[bucket] + slotByteCounts[slot] <= configuration.maxSerializedBucketSize
    }

    /// One of the places whose slot can give way to another, all with the same chance.
    private func replaceableSlot(
        by slot: Int, using generator: inout some RandomNumberGenerator
    ) -> (bucket: Int, place: Int)? {
        var places: [(bucket: Int, place: Int)] = []
        for bucket in candidates {
            for (place, other) in buckets[bucket].enumerated() {
                let byteCount = byteCounts[bucket] + slotByteCounts[slot] - slotByteCounts[other]
                if byteCount <= configuration.maxSerializedBucketSize { places.append((bucket, place)) }
            }
        }
        return places.randomElement(using: &generator)
    }
}
