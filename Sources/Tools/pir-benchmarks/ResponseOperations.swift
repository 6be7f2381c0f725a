import HomomorphicEncryption
import PrivateInformationRetrieval

/// Operations on rows that one response takes, counted and not measured (article "Homomorphic encryption", section
/// "Operations of a response").
///
/// For a query of one ciphertext and a key with an element for each step of the expansion.
struct ResponseOperations {
    /// How often each kernel of ``RingOperations`` runs, by its name.
    private(set) var counts: [String: Int] = [:]
    /// Rows of the ciphertext moduli.
    private let moduli: Int

    private init(moduli: Int) { self.moduli = moduli }

    var transforms: Int { counts["forward", default: 0] + counts["inverse", default: 0] }

    /// Operations from the query to a selector per position.
    static func expansion(_ shape: DatabaseShape, tables: Int, moduli: Int) -> Self {
        var operations = Self(moduli: moduli)
        let (block, rows) = (shape.expandedCountPerIndex, shape.dimensions[0])
        let length = tables * block
        func isRow(_ position: Int) -> Bool { position % block < rows }
        operations.add("forward", moduli)
        var distance = 1
        while distance < length {
            let isLast = 2 * distance >= length
            for position in 0..<distance where position < length {
                let hasPair = position + distance < length
                let (even, odd) = (isLast && isRow(position), isLast && hasPair && isRow(position + distance))
                if hasPair { operations.addSplit(toEvaluations: even && odd) }
                if !(even && odd) { operations.add("forward", moduli * ((even ? 1 : 0) + (odd ? 1 : 0))) }
            }
            distance *= 2
        }
        return operations
    }

    /// Operations from the selectors to the ciphertexts of the answer, without the scan.
    static func products(_ shape: DatabaseShape, tables: Int, moduli: Int) -> Self {
        var operations = Self(moduli: moduli)
        guard shape.dimensions.count == 2 else { return operations }
        let (columns, chunks) = (shape.dimensions[1], shape.chunkCount)
        let all = 2 * moduli + 1
        for _ in 0..<tables {
            // Column selectors once, sums of rows for each chunk: back from evaluations and over all moduli.
            operations.add("lift", 2 * columns * (1 + chunks))
            operations.add("inverse", moduli * columns * (1 + 2 * chunks))
            operations.add(
                "forward", columns * (moduli + 2 * (moduli + 1)) + 2 * chunks * columns * (moduli + 1))
            operations.add("tensorSum", chunks * columns * all)
            operations.add("inverse", chunks * 3 * all)
            operations.add("round", chunks * 3)
            for _ in 0..<chunks {
                operations.addKeySwitchSums(transformedDigits: moduli * (moduli + 1))
                operations.add("inverse", 2 * (moduli + 1))
                operations.add("divideRounding", 2 * moduli)
            }
        }
        return operations
    }

    /// Time of all of them by the time of each, in the unit of that.
    func time(_ times: [String: Double]) -> Double {
        counts.reduce(0) { $0 + Double($1.value) * times[$1.key, default: 0] }
    }

    private mutating func add(_ kernel: String, _ count: Int) { counts[kernel, default: 0] += count }

    private mutating func addKeySwitchSums(transformedDigits: Int) {
        add("forward", transformedDigits)
        add("multiplySums2", moduli + 1)
    }

    /// A node's split into two, by one key switch.
    private mutating func addSplit(toEvaluations: Bool) {
        add("moveCoefficients", moduli)
        // Both polynomials in evaluation form: the second is transformed first, which gives the digits' own rows.
        add("forward", toEvaluations ? moduli : 0)
        add("moveEvaluations", toEvaluations ? 2 * moduli : moduli)
        addKeySwitchSums(transformedDigits: moduli * (moduli + 1) - (toEvaluations ? moduli : 0))
        add("divideRounding", 2 * moduli)
        add("inverse", toEvaluations ? 2 : 2 + moduli)
        add("forward", toEvaluations ? 2 * moduli : moduli)
        add("splitEvaluations", toEvaluations ? 2 * moduli : moduli)
        add("split", toEvaluations ? 0 : moduli)
    }
}
