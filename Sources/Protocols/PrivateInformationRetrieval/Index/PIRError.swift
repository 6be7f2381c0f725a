/// Why a query cannot be made or answered.
package enum PIRError: Error, Hashable {
    case queryTooShort(Int)
    case queryCiphertextCount(Int, expected: Int)
    case indexCount(Int, expected: Int)
    case noUsableGaloisElement(below: UInt32)
    case missingRelinearizationKey
    case replyCount(Int, expected: Int)
    case replyCiphertextCount(Int, expected: Int)
    case differentParameters
    case shardIndex(Int, shardCount: Int)
    case evaluationKeyIncomplete(needed: [UInt32])
}

extension PIRError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .queryTooShort(let count):
            "a query would expand to \(count) ciphertext; it needs at least 2, use two dimensions"
        case .queryCiphertextCount(let count, let expected):
            "the query has \(count) ciphertexts; this database needs \(expected)"
        case .indexCount(let count, let expected):
            "the query asks for \(count) indices; this database needs \(expected)"
        case .noUsableGaloisElement(let limit):
            "the evaluation key has no Galois element 2^k + 1 up to \(limit); the expansion needs one"
        case .missingRelinearizationKey:
            "the evaluation key has no relinearization key; two dimensions need one"
        case .replyCount(let count, let expected):
            "the response has \(count) replies; the query asked for \(expected)"
        case .replyCiphertextCount(let count, let expected):
            "a reply has \(count) ciphertexts; entries of this database need \(expected)"
        case .differentParameters:
            "shards have different encryption parameters; all shards of a usecase must share them"
        case .shardIndex(let index, let shardCount):
            "shard_index is \(index); it must be in 0..<\(shardCount)"
        case .evaluationKeyIncomplete(let needed):
            "the evaluation key is incomplete; it must have a relinearization key and the Galois elements "
                + needed.map(String.init).joined(separator: ", ")
        }
    }
}
