import RingKernels

/// Operations of a PIR server on expanded queries and a database, without a copy in between.
extension BFVContext {
    /// Arranges selectors, in evaluation form, for scans of grids with as many rows.
    ///
    /// - Parameter selectors: One per row of the grid and query: `selectors[query][row]`.
    package func prepareScan(
        _ selectors: [ArraySlice<CiphertextRows>], _ workspace: Workspace
    ) -> PreparedScan {
        let rowCount = selectors[0].count
        let moduli = (0..<parameters.ciphertextModulusCount).map { modulus in
            let ring = rings[modulus]
            let prepared = workspace.memory(
                byteCount: rk_scan_query_bytes(ring.kernel, rowCount, selectors.count))
            var pointers: [UnsafeRawPointer?] = []
            pointers.reserveCapacity(2 * rowCount * selectors.count)
            for selector in selectors.joined() {
                pointers.append(UnsafeRawPointer(selector.first[modulus]))
                pointers.append(UnsafeRawPointer(selector.second[modulus]))
            }
            rk_scan_prepare(ring.kernel, prepared, pointers, rowCount, selectors.count)
            return prepared
        }
        return PreparedScan(moduli: moduli, rowCount: rowCount, queryCount: selectors.count)
    }

    /// Sums over the rows of a grid, plaintext times selector, in evaluation form.
    ///
    /// - Parameters:
    ///   - columns: A part of the grid, so that threads can share a scan.
    ///   - sums: Per query and column of the grid: `sums[query * grids.columnCount + column]`.
    package func scan(
        _ grids: PlaintextGrids, grid: Int, columns: Range<Int>, _ scan: PreparedScan,
        into sums: [CiphertextRows]
    ) {
        precondition(scan.rowCount == grids.rowCount, "there must be a selector for each row of the grid")
        let count = scan.queryCount * columns.count
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 2 * count) { results in
            for (modulus, prepared) in scan.moduli.enumerated() {
                var place = 0
                for query in 0..<scan.queryCount {
                    for column in columns {
                        let sum = sums[query * grids.columnCount + column]
                        results[place] = sum.first[modulus]
                        results[place + 1] = sum.second[modulus]
                        place += 2
                    }
                }
                rk_scan(
                    rings[modulus].kernel, grids.start(grid: grid, modulus: modulus), grids.columnCount,
                    grids.rowCount, columns.lowerBound, columns.count, prepared, scan.queryCount,
                    results.baseAddress!)
            }
        }
    }

    /// Room for ciphertexts over the moduli of products.
    package func liftedCiphertexts(_ count: Int, _ workspace: Workspace) -> [CiphertextRows] {
        (0..<count).map { _ in liftedRows(topLevel.scaling, workspace) }
    }

    /// Lifts a node of an expansion to the moduli of products.
    package func lift(node: CiphertextRows, into lifted: CiphertextRows) {
        lift(evaluations: node.first, into: lifted.first, topLevel.scaling)
        lift(coefficients: node.second, into: lifted.second, topLevel.scaling)
    }

    /// Lifts a ciphertext in evaluation form to the moduli of products.
    package func lift(evaluations: CiphertextRows, into lifted: CiphertextRows) {
        lift(evaluations: evaluations.first, into: lifted.first, topLevel.scaling)
        lift(evaluations: evaluations.second, into: lifted.second, topLevel.scaling)
    }

    /// Room for a product.
    package func products(_ count: Int, _ workspace: Workspace) -> [TensorRows] {
        (0..<count).map { _ in tensorRows(topLevel.scaling, workspace) }
    }

    /// The sum of products of lifted ciphertexts, not scaled down yet. Best for ``pairsPerSum`` at a time.
    package func multiply(_ left: [CiphertextRows], _ right: [CiphertextRows], into sum: TensorRows) {
        tensorSum(left, right, topLevel.scaling, into: sum)
    }

    /// The sum of sums of products, scaled down, relinearized and switched to `q_0`. Overwrites the first sum.
    package func relinearizedSum(
        _ sums: [TensorRows], key: EvaluationKey, _ workspace: Workspace
    ) throws(BFVError) -> Ciphertext {
        guard let keySwitchKey = key.relinearizationKey else { throw .missingRelinearizationKey }
        for sum in sums.dropFirst() { add(sum, to: sums[0], topLevel.scaling) }
        return workspace.scope {
            let products = (0..<3).map { _ in rows(parameters.ciphertextModulusCount, workspace) }
            scaleDown(sums[0], topLevel.scaling, into: products)
            relinearize(
                first: products[0], second: products[1], third: products[2], key: keySwitchKey, workspace)
            return Ciphertext([single(products[0]), single(products[1])])
        }
    }

    /// A ciphertext in evaluation form, switched to `q_0`. Overwrites it.
    package func switchedToSingle(evaluations: CiphertextRows) -> Ciphertext {
        for rows in [evaluations.first, evaluations.second] {
            for row in 0..<rows.count { rings[row].inverseTransform(rows[row]) }
        }
        return Ciphertext([single(evaluations.first), single(evaluations.second)])
    }
}

/// Selectors arranged for scans, in scratch memory.
package struct PreparedScan {
    /// Per ciphertext modulus.
    fileprivate let moduli: [UnsafeMutableRawPointer]
    fileprivate let rowCount: Int
    fileprivate let queryCount: Int
}
