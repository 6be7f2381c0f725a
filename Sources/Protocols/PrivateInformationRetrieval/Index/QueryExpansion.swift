package import HomomorphicEncryption

/// Turns the few ciphertexts of a query into one ciphertext per position of its vector.
///
/// Source: article "PIR protocol", section "Expansion". The tree is computed in place, level by level: the node for the
/// positions with remainder `r` modulo 2^level stands at position `r`.
package struct QueryExpansion {
    private let context: BFVContext
    private let key: EvaluationKey
    /// Exponents `k` of the Galois elements `2^k + 1` the key has, ascending.
    private let exponents: [Int]

    package init(context: BFVContext, key: EvaluationKey) {
        self.context = context
        self.key = key
        exponents = key.galoisElements.compactMap { element in
            (element - 1).nonzeroBitCount == 1 ? (element - 1).trailingZeroBitCount : nil
        }
    }

    /// - Parameters:
    ///   - ciphertexts: The query, in coefficient form.
    ///   - outputs: Room for a ciphertext per position of the vector.
    ///   - isRowSelector: Whether the ciphertext at a position is wanted in evaluation form; the others are left as
    ///     nodes, which is what ``BFVContext/lift(node:into:)`` takes.
    package func expand(
        _ ciphertexts: [Ciphertext], into outputs: [CiphertextRows], pool: WorkPool,
        isRowSelector: (Int) -> Bool
    ) throws {
        let degree = context.parameters.polynomialDegree
        for (number, ciphertext) in ciphertexts.enumerated() {
            let first = number * degree
            let count = IndexQuery.outputCount(
                ofCiphertext: number, vectorLength: outputs.count, degree: degree)
            try expand(ciphertext, into: outputs[first..<first + count], pool: pool) {
                isRowSelector(first + $0)
            }
        }
    }

    /// Whether the key has what expanding a query takes.
    func check(vectorLength: Int) throws {
        let longest = min(vectorLength, context.parameters.polynomialDegree)
        for level in 0..<longest.ceilLog2 { _ = try step(level: level) }
    }

    private func expand(
        _ ciphertext: Ciphertext, into outputs: ArraySlice<CiphertextRows>, pool: WorkPool,
        isRowSelector: (Int) -> Bool
    ) throws {
        let (first, count) = (outputs.startIndex, outputs.count)
        let height = count.ceilLog2
        let steps = try (0..<height).map(step(level:))
        context.copy(ciphertext, toRoot: outputs[first])
        if height == 0, isRowSelector(0) { context.convertSecondToEvaluations(outputs[first]) }
        for (level, step) in steps.enumerated() {
            let distance = 1 << level
            let isLast = level == height - 1
            pool.run(min(distance, count)) { position in
                let node = outputs[first + position]
                let isRow = isLast && isRowSelector(position)
                guard position + distance < count else {
                    // Only in the last step: a branch with one position.
                    context.double(node)
                    if isRow { context.convertSecondToEvaluations(node) }
                    return
                }
                let odd = outputs[first + position + distance]
                let isOddRow = isLast && isRowSelector(position + distance)
                context.withWorkspace { workspace in
                    if isRow && isOddRow {
                        context.splitToEvaluations(node, odd: odd, step, workspace)
                    } else {
                        context.split(node, odd: odd, step, workspace)
                        if isRow { context.convertSecondToEvaluations(node) }
                        if isOddRow { context.convertSecondToEvaluations(odd) }
                    }
                }
            }
        }
    }

    /// The automorphism X → X^(N / 2^level + 1), by the largest element at hand, repeated as often as needed.
    private func step(level: Int) throws -> ExpansionStep {
        let exponent = context.parameters.polynomialDegree.ceilLog2 - level
        guard let available = exponents.last(where: { $0 <= exponent }) else {
            throw PIRError.noUsableGaloisElement(below: (1 << UInt32(exponent)) + 1)
        }
        return try context.expansionStep(
            element: (1 << UInt32(available)) + 1, repetitions: 1 << (exponent - available),
            exponent: 1 << level, key: key)
    }
}
