import RingKernels

extension BFVContext {
    /// The product of two ciphertexts in coefficient form: three polynomials, to be relinearized.
    package func multiply(_ left: Ciphertext, _ right: Ciphertext) throws(BFVError) -> Ciphertext {
        try ciphertextInnerProduct([left], [right])
    }

    /// The sum of products of ciphertexts, with one scaling and rounding at the end.
    ///
    /// The procedure of Bajard, Eynard, Hasan and Zucca in the variant of article "Homomorphic encryption", section
    /// "Products of ciphertexts", bit for bit.
    ///
    /// - Parameters:
    ///   - left: Not empty; two polynomials each, coefficient form, over the same moduli as `right`.
    ///   - right: As many.
    /// - Returns: Three polynomials in coefficient form.
    package func ciphertextInnerProduct(
        _ left: ArraySlice<Ciphertext>, _ right: ArraySlice<Ciphertext>
    ) throws(BFVError) -> Ciphertext {
        precondition(
            !left.isEmpty && left.count == right.count,
            "an inner product needs as many right factors as left ones, and at least one")
        for factor in [left, right].joined() {
            precondition(
                factor.form == .coefficient && factor.rowCount == left.first!.rowCount,
                "ciphertexts are multiplied in coefficient form over the same moduli")
            guard factor.polynomials.count == 2 else {
                throw .polynomialCount(factor.polynomials.count, expected: 2)
            }
        }
        let scaling = level(of: left.first!).scaling
        return workspaces.lend { workspace in
            let pairs = Array(zip(left, right))
            let sums = tensorRows(scaling, workspace)
            for first in stride(from: 0, to: pairs.count, by: Self.pairsPerSum) {
                workspace.scope {
                    let part = pairs[first..<min(pairs.count, first + Self.pairsPerSum)]
                    let lifted = [part.map(\.0), part.map(\.1)].map { factors in
                        factors.map { factor in
                            let lifted = liftedRows(scaling, workspace)
                            lift(coefficients: factor.polynomials[0].rows, into: lifted.first, scaling)
                            lift(coefficients: factor.polynomials[1].rows, into: lifted.second, scaling)
                            return lifted
                        }
                    }
                    let products = first == 0 ? sums : tensorRows(scaling, workspace)
                    tensorSum(lifted[0], lifted[1], scaling, into: products)
                    if first > 0 { add(products, to: sums, scaling) }
                }
            }
            var result = Ciphertext(
                (0..<3).map { _ in polynomial(rowCount: scaling.baseCount, form: .coefficient) })
            scaleDown(sums, scaling, into: (0..<3).map { result.polynomials[$0].mutableRows })
            return result
        }
    }

    /// Products that are summed before their sum is added to that of others: as many as a cache can hold lifted.
    package static var pairsPerSum: Int { 2 }

    /// Room for a ciphertext over all rings of a scaling.
    func liftedRows(_ scaling: BaseScaling, _ workspace: Workspace) -> CiphertextRows {
        CiphertextRows(
            first: rows(scaling.allRings.count, workspace), second: rows(scaling.allRings.count, workspace))
    }

    /// Steps 1 and 2 for a polynomial in coefficient form: over all rings, in evaluation form.
    func lift(coefficients: Rows, into output: Rows, _ scaling: BaseScaling) {
        scaling.lift(coefficients, into: output)
        for (row, ring) in scaling.allRings.enumerated() {
            if row < scaling.baseCount {
                rk_forward_reducing(ring.kernel, output[row], coefficients[row])
            } else {
                ring.forwardTransform(output[row])
            }
        }
    }

    /// The same for a polynomial in evaluation form; its own rows are there already.
    func lift(evaluations: Rows, into output: Rows, _ scaling: BaseScaling) {
        output.copy(from: evaluations)
        for row in 0..<scaling.baseCount { rings[row].inverseTransform(output[row]) }
        scaling.lift(output, into: output)
        output.copy(from: evaluations)
        for row in scaling.baseCount..<output.count {
            scaling.allRings[row].forwardTransform(output[row])
        }
    }

    /// Room for the three polynomials of a product over all rings of a scaling.
    func tensorRows(_ scaling: BaseScaling, _ workspace: Workspace) -> TensorRows {
        TensorRows(polynomials: (0..<3).map { _ in rows(scaling.allRings.count, workspace) })
    }

    /// The sum of tensor products of lifted ciphertexts, in evaluation form.
    func tensorSum(
        _ left: [CiphertextRows], _ right: [CiphertextRows], _ scaling: BaseScaling, into sums: TensorRows
    ) {
        let count = left.count
        let output = sums.polynomials
        withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: 4 * count) { pointers in
            let start = pointers.baseAddress!
            for (row, ring) in scaling.allRings.enumerated() {
                for index in 0..<count {
                    start[index] = UnsafeRawPointer(left[index].first[row])
                    start[count + index] = UnsafeRawPointer(left[index].second[row])
                    start[2 * count + index] = UnsafeRawPointer(right[index].first[row])
                    start[3 * count + index] = UnsafeRawPointer(right[index].second[row])
                }
                rk_tensor_sum(
                    ring.kernel, output[0][row], output[1][row], output[2][row], start, start + count,
                    start + 2 * count, start + 3 * count, count)
            }
        }
    }

    func add(_ products: TensorRows, to sums: TensorRows, _ scaling: BaseScaling) {
        for (product, sum) in zip(products.polynomials, sums.polynomials) {
            for (row, ring) in scaling.allRings.enumerated() {
                rk_add(ring.kernel, sum[row], sum[row], product[row])
            }
        }
    }

    /// Steps 3 and 4: from evaluations over all rings to coefficients over the ciphertext moduli. Overwrites the sums.
    func scaleDown(_ sums: TensorRows, _ scaling: BaseScaling, into output: [Rows]) {
        for (sum, output) in zip(sums.polynomials, output) {
            for (row, ring) in scaling.allRings.enumerated() { ring.inverseTransform(sum[row]) }
            scaling.round(sum, into: output)
        }
    }
}
