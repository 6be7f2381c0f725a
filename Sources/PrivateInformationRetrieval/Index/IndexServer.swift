package import HomomorphicEncryption

/// Computes replies of an index database.
///
/// Source: PIR protocol fact sheet, section 9.7; the bytes are those of Apple's server.
package struct IndexServer: Sendable {
    private let database: ProcessedDatabase
    private let context: BFVContext
    private let batchSize: Int

    /// - Parameter batchSize: Indices per query. A database with more than one table has one per index.
    package init(database: ProcessedDatabase, context: BFVContext, batchSize: Int) {
        precondition(
            batchSize > 0 && [1, batchSize].contains(database.tables.count),
            "\(batchSize) indices cannot be asked of \(database.tables.count) tables")
        self.database = database
        self.context = context
        self.batchSize = batchSize
    }

    /// Per index of the query one ciphertext per chunk, as they travel.
    package func replies(to query: [Ciphertext], key: EvaluationKey) throws -> [[SerializedCiphertext]] {
        try answers(to: query, key: key).map { $0.map(context.serializeForDecryption) }
    }

    /// The same before low bits are left out, which is where the noise budget says something.
    package func answers(to query: [Ciphertext], key: EvaluationKey) throws -> [[Ciphertext]] {
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
            return try answer(expanded[start..<start + shape.expandedCountPerIndex], from: table, key: key)
        }
    }

    private func answer(
        _ selectors: ArraySlice<Ciphertext>, from table: [EvaluationPlaintext?], key: EvaluationKey
    ) throws -> [Ciphertext] {
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
            return answer
        }
    }
}
