import RingKernels

extension BFVContext {
    /// Applies the automorphism X -> X^element to the message of a ciphertext in coefficient form.
    ///
    /// - Throws: If the key for the element is missing.
    package func applyGalois(
        _ ciphertext: Ciphertext, element: UInt32, key: EvaluationKey
    ) throws(BFVError) -> Ciphertext {
        precondition(ciphertext.form == .coefficient, "automorphisms are applied in coefficient form")
        try check(galoisElement: element)
        guard ciphertext.polynomials.count == 2 else {
            throw .polynomialCount(ciphertext.polynomials.count, expected: 2)
        }
        guard let keySwitchKey = key.galoisKeys[element] else {
            throw .missingGaloisKey(element, available: key.galoisElements)
        }
        let automorphism = automorphism(element)
        let rowCount = ciphertext.rowCount
        return workspaces.lend { workspace in
            var result = Ciphertext((0..<2).map { _ in polynomial(rowCount: rowCount, form: .coefficient) })
            let first = result.polynomials[0].mutableRows
            let second = result.polynomials[1].mutableRows
            let moved = rows(rowCount, workspace)
            for row in 0..<rowCount {
                automorphism.moveCoefficients(
                    rings[row], ciphertext.polynomials[0].rows[row], into: first[row])
                automorphism.moveCoefficients(
                    rings[row], ciphertext.polynomials[1].rows[row], into: moved[row])
            }
            let sums = switchedSums(of: moved, using: keySwitchKey, workspace)
            finishCoefficients(sums.first, into: moved)
            for row in 0..<rowCount { rk_add(rings[row].kernel, first[row], first[row], moved[row]) }
            finishCoefficients(sums.second, into: second)
            return result
        }
    }

    /// Turns a product of three polynomials, in coefficient form, into a ciphertext of two.
    ///
    /// - Throws: If the relinearization key is missing.
    package func relinearize(_ ciphertext: Ciphertext, key: EvaluationKey) throws(BFVError) -> Ciphertext {
        precondition(ciphertext.form == .coefficient, "relinearization needs coefficient form")
        guard ciphertext.polynomials.count == 3 else {
            throw .polynomialCount(ciphertext.polynomials.count, expected: 3)
        }
        guard let keySwitchKey = key.relinearizationKey else { throw .missingRelinearizationKey }
        var result = Ciphertext(Array(ciphertext.polynomials[..<2]))
        workspaces.lend { workspace in
            relinearize(
                first: result.polynomials[0].mutableRows, second: result.polynomials[1].mutableRows,
                third: ciphertext.polynomials[2].rows, key: keySwitchKey, workspace)
        }
        return result
    }

    /// Adds to the first two polynomials what the third one stands for. All in coefficient form.
    func relinearize(
        first: Rows, second: Rows, third: Rows, key: KeySwitchKey, _ workspace: Workspace
    ) {
        workspace.scope {
            let sums = switchedSums(of: third, using: key, workspace)
            let switched = rows(third.count, workspace)
            for (sum, target) in [(sums.first, first), (sums.second, second)] {
                finishCoefficients(sum, into: switched)
                for row in 0..<target.count {
                    rk_add(rings[row].kernel, target[row], target[row], switched[row])
                }
            }
        }
    }

    /// Two sums over the digits of a polynomial in coefficient form, digit times key, in evaluation form
    /// (article "Homomorphic encryption", section "Key switching").
    ///
    /// The rows of the ciphertext moduli are divided by the special modulus `P` already; the last row, modulo `P`,
    /// has what is left to be subtracted: ``finishCoefficients(_:into:)`` and ``finishEvaluations(_:addend:into:_:)``.
    ///
    /// - Parameters:
    ///   - polynomial: Its rows are the digits.
    ///   - evaluations: The same polynomial in evaluation form, if it is known.
    func switchedSums(
        of polynomial: Rows, evaluations: Rows? = nil, using key: KeySwitchKey, _ workspace: Workspace
    ) -> (first: Rows, second: Rows) {
        let rowCount = polynomial.count
        let first = rows(rowCount + 1, workspace)
        let second = rows(rowCount + 1, workspace)
        workspace.scope {
            let digits = rows(rowCount, workspace)
            withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: 3 * rowCount) { pointers in
                let left = UnsafeMutableBufferPointer(rebasing: pointers[..<rowCount])
                let firstKeys = UnsafeMutableBufferPointer(rebasing: pointers[rowCount..<2 * rowCount])
                let secondKeys = UnsafeMutableBufferPointer(rebasing: pointers[(2 * rowCount)...])
                for row in 0...rowCount {
                    let modulus = row == rowCount ? rings.count - 1 : row
                    let ring = rings[modulus]
                    for digit in 0..<rowCount {
                        if digit == row, let evaluations {
                            left[digit] = UnsafeRawPointer(evaluations[row])
                        } else {
                            rk_forward_reducing(ring.kernel, digits[digit], polynomial[digit])
                            left[digit] = UnsafeRawPointer(digits[digit])
                        }
                        firstKeys[digit] = UnsafeRawPointer(
                            key.rows(component: digit, polynomial: 0)[modulus])
                        secondKeys[digit] = UnsafeRawPointer(
                            key.rows(component: digit, polynomial: 1)[modulus])
                    }
                    rk_multiply_sums(
                        ring.kernel, first[row], second[row], left.baseAddress!, firstKeys.baseAddress!,
                        secondKeys.baseAddress!, rowCount)
                }
            }
        }
        return (first, second)
    }

    /// The end of a key switch: coefficients over the ciphertext moduli. Overwrites the sum.
    func finishCoefficients(_ sum: Rows, into output: Rows) {
        let rowCount = output.count
        let special = rings[rings.count - 1]
        special.inverseTransform(sum[rowCount])
        for row in 0..<rowCount {
            rings[row].inverseTransform(sum[row])
            rings[row].divideRounding(
                zeroRow.start, remainder: sum[rowCount], modulus: special, addend: sum[row],
                into: output[row])
        }
    }

    /// The end of a key switch in evaluation form. Overwrites the sum.
    ///
    /// Only the row of the special modulus has to go through coefficients.
    ///
    /// - Parameter addend: Added.
    func finishEvaluations(_ sum: Rows, addend: Rows, into output: Rows, _ workspace: Workspace) {
        workspace.scope {
            let quotients = roundedQuotients(of: sum, workspace)
            for row in 0..<output.count {
                let kernel = rings[row].kernel
                rk_add(kernel, sum[row], sum[row], addend[row])
                rk_add(kernel, output[row], sum[row], quotients[row])
            }
        }
    }

    /// The rest of a key switch, to be added to the rows of the ciphertext moduli, in evaluation form. Overwrites the
    /// last row of the sum.
    func roundedQuotients(of sum: Rows, _ workspace: Workspace) -> Rows {
        let rowCount = sum.count - 1
        let special = rings[rings.count - 1]
        let quotients = rows(rowCount, workspace)
        special.inverseTransform(sum[rowCount])
        for row in 0..<rowCount {
            rings[row].divideRounding(
                zeroRow.start, remainder: sum[rowCount], modulus: special, into: quotients[row])
            rings[row].forwardTransform(quotients[row])
        }
        return quotients
    }
}
