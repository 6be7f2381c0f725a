package import HomomorphicEncryption

/// Computes replies of an index database.
///
/// Source: article "PIR protocol", section "Response"; the bytes are those of Apple's server.
package struct IndexServer: Sendable {
    /// Query of one client, and the key to compute with.
    package struct Request: Sendable {
        package let query: [Ciphertext]
        package let key: EvaluationKey

        package init(query: [Ciphertext], key: EvaluationKey) {
            self.query = query
            self.key = key
        }
    }

    /// Most requests that share a pass over the database: beyond, a pass takes as long as it saves.
    private static let mostRequestsPerPass = 4

    /// Scratch memory for a pass, in bytes. One request may take more if it has to.
    private static let passByteCount = 56 << 20

    let database: ProcessedDatabase
    private let context: BFVContext
    private let batchSize: Int

    /// - Parameter batchSize: Indices per query. A database with more than one table has one per index.
    package init(database: ProcessedDatabase, context: BFVContext, batchSize: Int) {
        precondition(
            batchSize > 0 && [1, batchSize].contains(database.tableCount),
            "\(batchSize) indices cannot be asked of \(database.tableCount) tables")
        self.database = database
        self.context = context
        self.batchSize = batchSize
    }

    /// Per index of the query one ciphertext per chunk, as they travel.
    package func replies(
        to query: [Ciphertext], key: EvaluationKey, pool: WorkPool = .callersThread
    ) throws -> [[SerializedCiphertext]] {
        try answers(to: query, key: key, pool: pool).map { $0.map(context.serializeForDecryption) }
    }

    /// The replies to several clients, with fewer passes over the database than clients.
    ///
    /// Each is what it would be alone.
    package func replies(
        to requests: [Request], pool: WorkPool = .callersThread
    ) throws -> [[[SerializedCiphertext]]] {
        try answers(to: requests, pool: pool).map { $0.map { $0.map(context.serializeForDecryption) } }
    }

    /// The same before low bits are left out, which is where the noise budget says something.
    package func answers(
        to query: [Ciphertext], key: EvaluationKey, pool: WorkPool = .callersThread
    ) throws -> [[Ciphertext]] {
        try answers(to: [Request(query: query, key: key)], pool: pool)[0]
    }

    /// Per request and index one ciphertext per chunk.
    package func answers(
        to requests: [Request], pool: WorkPool = .callersThread
    ) throws -> [[[Ciphertext]]] {
        for request in requests { try check(request) }
        return try pool.occupied {
            var answers: [[[Ciphertext]]] = []
            for first in stride(from: 0, to: requests.count, by: requestsPerPass) {
                let group = requests[first..<min(requests.count, first + requestsPerPass)]
                answers += try context.withWorkspace { try self.answers(to: Array(group), pool, $0) }
            }
            return answers
        }
    }

    /// Whether a request can be answered: the right number of ciphertexts, and the keys that it takes.
    func check(_ request: Request) throws {
        let expected = IndexQuery.ciphertextCount(
            indexCount: batchSize, shape: database.shape, degree: context.parameters.polynomialDegree)
        guard request.query.count == expected else {
            throw PIRError.queryCiphertextCount(request.query.count, expected: expected)
        }
        guard database.shape.dimensions.count == 1 || request.key.relinearizationKey != nil else {
            throw PIRError.missingRelinearizationKey
        }
        try QueryExpansion(context: context, key: request.key)
            .check(vectorLength: batchSize * database.shape.expandedCountPerIndex)
    }

    private var requestsPerPass: Int {
        // Expanded queries, and half as much again for what is made of them.
        let expanded =
            batchSize * database.shape.expandedCountPerIndex * context.evaluationCiphertextByteCount
        return min(Self.mostRequestsPerPass, max(1, Self.passByteCount / (expanded + expanded / 2)))
    }

    private func answers(
        to requests: [Request], _ pool: WorkPool, _ workspace: Workspace
    ) throws -> [[[Ciphertext]]] {
        let blockLength = database.shape.expandedCountPerIndex
        let rowCount = database.grids.rowCount
        let vectors = try requests.map { request in
            let vector = context.ciphertexts(batchSize * blockLength, workspace)
            try QueryExpansion(context: context, key: request.key)
                .expand(request.query, into: vector, pool: pool) { $0 % blockLength < rowCount }
            return vector
        }
        var answers = requests.map { _ in Array(repeating: [Ciphertext](), count: batchSize) }
        for table in 0..<database.tableCount {
            // All indices ask the only table, or each its own.
            let indices = database.tableCount == 1 ? Array(0..<batchSize) : [table]
            let selections = requests.indices.flatMap { request in
                indices.map { index in
                    Selection(
                        request: request, index: index,
                        selectors: vectors[request][index * blockLength..<(index + 1) * blockLength])
                }
            }
            try workspace.scope {
                try select(
                    selections, table: table, keys: requests.map(\.key), pool: pool, workspace,
                    into: &answers)
            }
        }
        return answers
    }

    /// One index of one request, and its part of the expanded query.
    private struct Selection {
        let request: Int
        let index: Int
        let selectors: ArraySlice<CiphertextRows>
    }

    /// Answers all selections from one table.
    private func select(
        _ selections: [Selection], table: Int, keys: [EvaluationKey], pool: WorkPool, _ workspace: Workspace,
        into answers: inout [[[Ciphertext]]]
    ) throws {
        let grids = database.grids
        let (rowCount, columnCount) = (grids.rowCount, grids.columnCount)
        let scan = context.prepareScan(selections.map { $0.selectors.prefix(rowCount) }, workspace)
        let sums = context.ciphertexts(selections.count * columnCount, workspace)
        // Selectors of columns, in the same order as the sums. With one dimension there are none.
        let columnSelectors = selections.flatMap { $0.selectors.dropFirst(rowCount) }
        let groups = columnSelectors.isEmpty ? [] : columnGroups(selectionCount: selections.count)
        let products = context.products(groups.count, workspace)
        // Lifted once if they are used often, else where they are used, which is easier on the caches.
        let isLiftedAhead = database.shape.chunkCount > 1
        let lifted = context.liftedCiphertexts(isLiftedAhead ? columnSelectors.count : 0, workspace)
        pool.run(lifted.count) { context.lift(node: columnSelectors[$0], into: lifted[$0]) }
        for chunk in 0..<database.shape.chunkCount {
            let grid = table * database.shape.chunkCount + chunk
            let parts = Self.parts(of: columnCount, count: pool.coreCount)
            pool.run(parts.count) {
                context.scan(grids, grid: grid, columns: parts[$0], scan, into: sums)
            }
            pool.run(groups.count) { number in
                let group = groups[number]
                context.withWorkspace { workspace in
                    var left = Array(lifted[isLiftedAhead ? group : 0..<0])
                    if !isLiftedAhead {
                        left = context.liftedCiphertexts(group.count, workspace)
                        for (node, lifted) in zip(columnSelectors[group], left) {
                            context.lift(node: node, into: lifted)
                        }
                    }
                    let right = context.liftedCiphertexts(group.count, workspace)
                    for (sum, lifted) in zip(sums[group], right) {
                        context.lift(evaluations: sum, into: lifted)
                    }
                    context.multiply(left, right, into: products[number])
                }
            }
            let groupsEach = groups.count / selections.count
            for (number, selection) in selections.enumerated() {
                let answer =
                    groups.isEmpty
                    ? context.switchedToSingle(evaluations: sums[number])
                    : try context.relinearizedSum(
                        Array(products[number * groupsEach..<(number + 1) * groupsEach]),
                        key: keys[selection.request], workspace)
                answers[selection.request][selection.index].append(answer)
            }
        }
    }

    /// Sums of columns that are multiplied together, as many groups for each selection.
    private func columnGroups(selectionCount: Int) -> [Range<Int>] {
        let columnCount = database.grids.columnCount
        return (0..<selectionCount).flatMap { selection in
            stride(from: 0, to: columnCount, by: BFVContext.pairsPerSum).map { first in
                let end = min(columnCount, first + BFVContext.pairsPerSum)
                return selection * columnCount + first..<selection * columnCount + end
            }
        }
    }

    /// Nearly equal parts of a range from 0, none of them empty.
    private static func parts(of length: Int, count: Int) -> [Range<Int>] {
        let count = min(count, length)
        return (0..<count).map { $0 * length / count..<($0 + 1) * length / count }
    }
}
