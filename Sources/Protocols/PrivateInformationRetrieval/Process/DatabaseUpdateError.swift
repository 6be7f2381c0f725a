import HomomorphicEncryption

/// Why a database cannot be updated.
package enum DatabaseUpdateError: Error, Hashable {
    /// Why one parameter cannot stay as it is.
    package enum Obstacle: Error, Hashable, Sendable {
        /// A setting asks for something else than what the previous database has.
        case setting(String, previous: String, now: String)
        case shardFull(shard: Int, rowCount: Int, storedRowCount: Int)
        case valueTooLong(row: Int, byteCount: Int, bucketSize: Int)
    }

    /// A file of the previous database is not what it should be.
    case unusable(String, String)
    /// Clients would have to fetch a new configuration. Not empty.
    case parametersWouldChange([Obstacle])
}

extension DatabaseUpdateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unusable(let path, let reason): return "\(path): \(reason)"
        case .parametersWouldChange(let obstacles):
            let rest = obstacles.count > 1 ? ", and \(obstacles.count - 1) more such reasons" : ""
            return "the parameters cannot be kept: \(obstacles[0])\(rest)"
        }
    }
}

extension DatabaseUpdateError.Obstacle: CustomStringConvertible {
    package var description: String {
        switch self {
        case .setting(let name, let previous, let now):
            "\(name) is \(now) now and was \(previous)"
        case .shardFull(let shard, let rowCount, let storedRowCount):
            "shard \(shard) had \(storedRowCount) rows and cannot hold \(rowCount) in its buckets"
        case .valueTooLong(let row, let byteCount, let bucketSize):
            "the value of row \(row + 1) needs a bucket of \(byteCount) bytes and buckets have \(bucketSize)"
        }
    }
}

extension DatabaseUpdateError {
    /// Lists what a configuration asks for and a previous database does not have.
    ///
    /// - Parameter parameters: Of all its shards.
    static func obstacles(
        to configuration: ProcessConfiguration, keeping parameters: [PIRParameters]
    ) -> [Obstacle] {
        var obstacles: [Obstacle] = []
        func compare<Value: Equatable>(_ name: String, previous: Value, now: Value) {
            if previous != now { obstacles.append(.setting(name, previous: "\(previous)", now: "\(now)")) }
        }
        if case .shardCount(let count) = configuration.sharding.rule {
            compare("sharding.shardCount", previous: parameters.count, now: count)
        }
        let cuckoo = configuration.cuckooTable
        var reported: Set<String> = []
        for shard in parameters {
            let before = obstacles.count
            if shard.encryption != configuration.encryption {
                let previous = shard.encryption.name ?? "another set"
                obstacles.append(
                    .setting(
                        "rlweParameters", previous: previous,
                        now: configuration.encryption.name ?? "another set"))
            }
            compare(
                "cuckooTableArguments.hashFunctionCount", previous: shard.hashFunctionCount,
                now: cuckoo.hashFunctionCount)
            compare("shardingFunction", previous: shard.shardingFunction, now: configuration.shardingFunction)
            if case .fixedSize(let count) = cuckoo.bucketCount {
                let perTable = (count + cuckoo.hashFunctionCount - 1) / cuckoo.hashFunctionCount
                compare("buckets per table", previous: shard.shape.entryCount, now: perTable)
            }
            if let size = cuckoo.maxSerializedBucketSize, configuration.useMaxSerializedBucketSize {
                compare(
                    "cuckooTableArguments.maxSerializedBucketSize", previous: shard.shape.entrySize, now: size
                )
            }
            if let elements = try? configuration.keyCompression.galoisElements(
                expandedCount: shard.shape.expandedCountPerIndex * shard.hashFunctionCount,
                degree: shard.encryption.polynomialDegree), elements != shard.evaluationKey.galoisElements
            {
                obstacles.append(
                    .setting(
                        "keyCompression",
                        previous: "\(shard.evaluationKey.galoisElements.count) Galois elements",
                        now: "\(configuration.keyCompression.rawValue), \(elements.count) Galois elements"))
            }
            // Shards differ alike; one of each kind says it all.
            let added = obstacles[before...].filter { reported.insert($0.name).inserted }
            obstacles.replaceSubrange(before..., with: added)
        }
        return obstacles
    }
}

extension DatabaseUpdateError.Obstacle {
    fileprivate var name: String {
        if case .setting(let name, _, _) = self { name } else { description }
    }
}
