/// Why processing was given up.
package enum DatabaseProcessorError: Error, Hashable {
    case trialFailed(shard: Int, keyword: String, noiseBudget: Double)
}

extension DatabaseProcessorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .trialFailed(let shard, let keyword, let noiseBudget):
            """
            the test query for '\(keyword)' in shard \(shard) gave a wrong answer (noise budget \
            \((noiseBudget * 10).rounded() / 10) bits); use other rlweParameters or more shards
            """
        }
    }
}
