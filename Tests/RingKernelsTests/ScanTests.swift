// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import TestSupport
import Testing

/// A database and selectors, and what a scan gives for them.
private struct ScanCase {
    let ring: Ring
    let columns: Int
    let rows: Int
    let queries: Int
    let plaintexts: [[Row]]
    let selectors: [Row]
    let database: UnsafeMutableRawBufferPointer

    init(
        _ ring: Ring, columns: Int, rows: Int, queries: Int, pattern: Pattern, using random: inout SplitMix
    ) {
        self.ring = ring
        self.columns = columns
        self.rows = rows
        self.queries = queries
        plaintexts = (0..<columns).map { _ in (0..<rows).map { _ in ring.row(pattern, using: &random) } }
        selectors = (0..<queries * rows * 2).map { _ in ring.row(pattern, using: &random) }
        database = .allocate(byteCount: ring.degree * ring.wordBytes * columns * rows + 64, alignment: 64)
        for (column, plaintexts) in plaintexts.enumerated() {
            for (row, plaintext) in plaintexts.enumerated() {
                rk_scan_store(
                    ring.pointer, database.baseAddress, columns, rows, column, row, plaintext.pointer)
            }
        }
    }

    /// Scans some of the columns.
    func scan(first: Int, count: Int) -> [Row] {
        let prepared = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rk_scan_query_bytes(ring.pointer, rows, queries) + 64, alignment: 64)
        defer { prepared.deallocate() }
        withPointers(selectors) {
            rk_scan_prepare(ring.pointer, prepared.baseAddress, $0, rows, queries)
        }
        let results = (0..<queries * count * 2).map { _ in ring.row() }
        withMutablePointers(results) {
            rk_scan(
                ring.pointer, database.baseAddress, columns, rows, first, count, prepared.baseAddress,
                queries, $0)
        }
        return results
    }

    /// The sum of products for one result.
    func truth(query: Int, column: Int, polynomial: Int) -> Row {
        let selectors = (0..<rows).map { self.selectors[(query * rows + $0) * 2 + polynomial] }
        return ring.result { output in
            withPointers(selectors) { left in
                withPointers(plaintexts[column]) { rk_multiply_sum(ring.pointer, output, left, $0, rows) }
            }
        }
    }

    func expectTruth(first: Int, count: Int) {
        let results = scan(first: first, count: count)
        for query in 0..<queries {
            for column in 0..<count {
                for polynomial in 0..<2 {
                    let result = results[(query * count + column) * 2 + polynomial]
                    let expected = truth(query: query, column: first + column, polynomial: polynomial)
                    #expect(
                        result.equals(expected),
                        "modulus \(ring.modulus), \(rows) rows, query \(query), column \(column)")
                }
            }
        }
    }
}

@Suite struct ScanTests {
    @Test("a scan is a sum of products for each column and query", arguments: [0] + fastInstructionSets)
    func sums(set: UInt32) throws {
        var random = SplitMix(seed: 31)
        for wordBytes in [4, 8] {
            for degree in [2, 8, 16, 64] {
                for modulus in moduli(wordBytes: wordBytes, degree: degree) {
                    let ring = try #require(
                        Ring(
                            modulus: modulus, degree: degree, wordBytes: wordBytes,
                            set: rk_instruction_set(set)))
                    for pattern in [Pattern.random, .largest] {
                        let rows = 1 + Int(random.next() % (degree == 64 ? 300 : 20))
                        let columns = 1 + Int(random.next() % 7)
                        let queries = 1 + Int(random.next() % 5)
                        let testCase = ScanCase(
                            ring, columns: columns, rows: rows, queries: queries, pattern: pattern,
                            using: &random)
                        defer { testCase.database.deallocate() }
                        testCase.expectTruth(first: 0, count: columns)
                        testCase.expectTruth(first: columns / 2, count: columns - columns / 2)
                    }
                }
            }
        }
    }

    @Test("every number of queries and columns works", arguments: [0] + fastInstructionSets)
    func shapes(set: UInt32) throws {
        var random = SplitMix(seed: 32)
        for (wordBytes, bits) in [(4, 28), (8, 50), (8, 55)] as [(Int, UInt64)] {
            let modulus = primes(below: 1 << bits, step: 256)[0]
            let ring = try #require(
                Ring(modulus: modulus, degree: 128, wordBytes: wordBytes, set: rk_instruction_set(set)))
            for queries in 1...9 {
                for columns in 1...3 {
                    for rows in [1, 33, 66] where rows < 66 || columns == 3 {
                        let testCase = ScanCase(
                            ring, columns: columns, rows: rows, queries: queries, pattern: .random,
                            using: &random)
                        defer { testCase.database.deallocate() }
                        testCase.expectTruth(first: 0, count: columns)
                    }
                }
            }
        }
    }

    @Test("a plaintext is read back as it was stored", arguments: [4, 8])
    func loading(wordBytes: Int) throws {
        var random = SplitMix(seed: 33)
        for degree in [2, 64] {
            let modulus = primes(below: wordBytes == 4 ? 1 << 28 : 1 << 55, step: UInt64(2 * degree))[0]
            let ring = try #require(Ring(modulus: modulus, degree: degree, wordBytes: wordBytes))
            let testCase = ScanCase(
                ring, columns: 3, rows: 5, queries: 1, pattern: .random, using: &random)
            defer { testCase.database.deallocate() }
            for column in 0..<3 {
                for row in 0..<5 {
                    let plaintext = ring.result {
                        rk_scan_load(ring.pointer, testCase.database.baseAddress, 3, 5, column, row, $0)
                    }
                    #expect(plaintext.equals(testCase.plaintexts[column][row]))
                }
            }
        }
    }
}
