import HomomorphicEncryption

/// Computes replies of an index database.
///
/// Source: PIR protocol fact sheet, section 9.7; the bytes are those of Apple's server.
struct IndexServer {
    let database: ProcessedDatabase
    let context: BFVContext
    /// Indices per query.
    let batchSize: Int

    /// Per index of the query one ciphertext per chunk, as they travel.
    func replies(to query: [Ciphertext], key: EvaluationKey) throws -> [[SerializedCiphertext]] {
        let shape = database.shape
        let expected = IndexQuery.ciphertextCount(
            indexCount: batchSize, shape: shape, degree: context.parameters.polynomialDegree)
        guard query.count == expected else {
            throw PIRError.queryCiphertextCount(query.count, expected: expected)
        }
        guard shape.dimensions.count == 1 || key.relinearizationKey != nil else {
            throw PIRError.missingRelinearizationKey
        }
        let expanded = try QueryExpansion(context: context, key: key)
            .expand(query, vectorLength: batchSize * shape.expandedCountPerIndex)
        return try (0..<batchSize).map { index in
            let start = index * shape.expandedCountPerIndex
            let table = database.tables.count == 1 ? database.tables[0] : database.tables[index]
            return try reply(expanded[start..<start + shape.expandedCountPerIndex], from: table, key: key)
        }
    }

    private func reply(
        _ selectors: ArraySlice<Ciphertext>, from table: [EvaluationPlaintext?], key: EvaluationKey
    ) throws -> [SerializedCiphertext] {
        let shape = database.shape
        let rowCount = shape.dimensions[0]
        let columnCount = shape.plaintextsPerChunk / rowCount
        let rowSelectors = selectors.prefix(rowCount).map { selector in
            var selector = selector
            context.convertToEvaluation(&selector)
            return selector
        }
        let columnSelectors = selectors.dropFirst(rowCount)
        return try (0..<shape.chunkCount).map { chunk in
            let sums = (0..<columnCount).map { column in
                let start = chunk * shape.plaintextsPerChunk + column * rowCount
                var sum = context.innerProduct(rowSelectors[...], table[start..<start + rowCount])
                context.convertToCoefficients(&sum)
                return sum
            }
            var answer =
                columnSelectors.isEmpty
                ? sums[0]
                : try context.relinearize(
                    context.ciphertextInnerProduct(columnSelectors, sums[...]), key: key)
            context.modulusSwitchDownToSingle(&answer)
            return context.serializeForDecryption(answer)
        }
    }
}
