import RingKernels

/// A step of the expansion of a query: an automorphism, as often as it takes, and the key for it.
package struct ExpansionStep: Sendable {
    /// The element that is applied, and its key.
    let automorphism: Automorphism
    let key: KeySwitchKey
    let repetitions: Int
    /// The second output is multiplied by X to the power of minus this. A power of two below `N`.
    let exponent: Int
    /// That power in evaluation form.
    let power: Polynomial
}

/// The tree that turns a ciphertext of a query into one per position (article "PIR protocol", section "Expansion").
///
/// Its ciphertexts have the first polynomial in evaluation form, which spares the transforms of all but one row of
/// every key switch, and the second as coefficients, which the next key switch needs.
extension BFVContext {
    /// - Parameter repetitions: How often the element is applied in a row.
    package func expansionStep(
        element: UInt32, repetitions: Int, exponent: Int, key: EvaluationKey
    ) throws(BFVError) -> ExpansionStep {
        try check(galoisElement: element)
        guard let keySwitchKey = key.galoisKeys[element] else {
            throw .missingGaloisKey(element, available: key.galoisElements)
        }
        return ExpansionStep(
            automorphism: automorphism(element), key: keySwitchKey, repetitions: repetitions,
            exponent: exponent, power: inversePowerOfX(exponent))
    }

    /// Scratch memory that is lent for the time of a call.
    package func withWorkspace<Result, Failure: Error>(
        _ body: (Workspace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try workspaces.lend(body)
    }

    /// Memory of a ciphertext over the moduli of fresh ones, in bytes.
    package var evaluationCiphertextByteCount: Int { 2 * parameters.ciphertextModulusCount * rowStride }

    /// Room for ciphertexts over the moduli of fresh ones.
    package func ciphertexts(_ count: Int, _ workspace: Workspace) -> [CiphertextRows] {
        (0..<count).map { _ in
            CiphertextRows(
                first: rows(parameters.ciphertextModulusCount, workspace),
                second: rows(parameters.ciphertextModulusCount, workspace))
        }
    }

    /// The root of the tree, from a ciphertext in coefficient form.
    package func copy(_ ciphertext: Ciphertext, toRoot root: CiphertextRows) {
        precondition(
            ciphertext.form == .coefficient && ciphertext.polynomials.count == 2
                && ciphertext.rowCount == root.first.count,
            "queries are fresh ciphertexts in coefficient form")
        root.first.copy(from: ciphertext.polynomials[0].rows)
        root.second.copy(from: ciphertext.polynomials[1].rows)
        for row in 0..<root.first.count { rings[row].forwardTransform(root.first[row]) }
    }

    /// Splits a node: the sum with its image under the automorphism takes its place, the difference times a power
    /// of X goes to `odd`.
    package func split(
        _ node: CiphertextRows, odd: CiphertextRows, _ step: ExpansionStep, _ workspace: Workspace
    ) {
        workspace.scope {
            let rowCount = node.first.count
            let before = image(of: node, step, repetitions: step.repetitions - 1, workspace)
            let moved = CiphertextRows(first: rows(rowCount, workspace), second: rows(rowCount, workspace))
            for row in 0..<rowCount {
                step.automorphism.moveEvaluations(rings[row], before.first[row], into: moved.first[row])
                step.automorphism.moveCoefficients(rings[row], before.second[row], into: moved.second[row])
            }
            let sums = switchedSums(of: moved.second, using: step.key, workspace)
            split(
                node.first, node.first, odd: odd.first,
                image: Image(
                    sum: sums.first, quotients: roundedQuotients(of: sums.first, workspace),
                    moved: moved.first), step)
            finishCoefficients(sums.second, into: moved.second)
            for row in 0..<rowCount {
                rk_split(
                    rings[row].kernel, node.second[row], odd.second[row], node.second[row],
                    moved.second[row], step.exponent)
            }
        }
    }

    /// The same when both outputs are wanted in evaluation form altogether: the key switch ends in it.
    package func splitToEvaluations(
        _ node: CiphertextRows, odd: CiphertextRows, _ step: ExpansionStep, _ workspace: Workspace
    ) {
        workspace.scope {
            let rowCount = node.first.count
            let before = image(of: node, step, repetitions: step.repetitions - 1, workspace)
            let moved = rows(rowCount, workspace)
            let digits = rows(rowCount, workspace)
            let evaluations = rows(rowCount, workspace)
            let secondAsEvaluations = rows(rowCount, workspace)
            for row in 0..<rowCount {
                let ring = rings[row]
                rk_forward_reducing(ring.kernel, secondAsEvaluations[row], before.second[row])
                step.automorphism.moveEvaluations(ring, before.first[row], into: moved[row])
                step.automorphism.moveEvaluations(ring, secondAsEvaluations[row], into: evaluations[row])
                step.automorphism.moveCoefficients(ring, before.second[row], into: digits[row])
            }
            let sums = switchedSums(of: digits, evaluations: evaluations, using: step.key, workspace)
            split(
                node.first, node.first, odd: odd.first,
                image: Image(
                    sum: sums.first, quotients: roundedQuotients(of: sums.first, workspace), moved: moved),
                step)
            if step.repetitions > 1 {
                for row in 0..<rowCount {
                    rk_forward_reducing(rings[row].kernel, secondAsEvaluations[row], node.second[row])
                }
            }
            split(
                secondAsEvaluations, node.second, odd: odd.second,
                image: Image(
                    sum: sums.second, quotients: roundedQuotients(of: sums.second, workspace), moved: nil),
                step)
        }
    }

    /// Doubles a node, in whatever form: a branch that ends a step early misses one doubling.
    package func double(_ node: CiphertextRows) {
        for rows in [node.first, node.second] {
            for row in 0..<rows.count { rk_add(rings[row].kernel, rows[row], rows[row], rows[row]) }
        }
    }

    /// Brings the second polynomial of a node into evaluation form, too.
    package func convertSecondToEvaluations(_ node: CiphertextRows) {
        for row in 0..<node.second.count { rings[row].forwardTransform(node.second[row]) }
    }

    /// Image of a polynomial under the automorphism, as three rows per modulus to be summed.
    private struct Image {
        /// The end of a key switch; see ``switchedSums(of:evaluations:using:_:)``.
        let sum: Rows
        /// See ``roundedQuotients(of:_:)``.
        let quotients: Rows
        /// The moved polynomial itself.
        let moved: Rows?
    }

    /// The same in evaluation form for one polynomial. The even output may be where the input is.
    private func split(_ input: Rows, _ even: Rows, odd: Rows, image: Image, _ step: ExpansionStep) {
        for row in 0..<input.count {
            rk_split_evaluations(
                rings[row].kernel, even[row], odd[row], input[row], image.sum[row], image.quotients[row],
                image.moved.map { UnsafeRawPointer($0[row]) }, step.power.rows[row])
        }
    }

    /// The node after some applications of the automorphism; the node itself for none.
    private func image(
        of node: CiphertextRows, _ step: ExpansionStep, repetitions: Int, _ workspace: Workspace
    ) -> CiphertextRows {
        guard repetitions > 0 else { return node }
        let rowCount = node.first.count
        var from = node
        var outputs = [0, 1].prefix(repetitions).map { _ in
            CiphertextRows(first: rows(rowCount, workspace), second: rows(rowCount, workspace))
        }
        for _ in 0..<repetitions {
            let output = outputs.removeFirst()
            workspace.scope {
                let digits = rows(rowCount, workspace)
                for row in 0..<rowCount {
                    step.automorphism.moveEvaluations(rings[row], from.first[row], into: output.first[row])
                    step.automorphism.moveCoefficients(rings[row], from.second[row], into: digits[row])
                }
                let sums = switchedSums(of: digits, using: step.key, workspace)
                finishEvaluations(sums.first, addend: output.first, into: output.first, workspace)
                finishCoefficients(sums.second, into: output.second)
            }
            outputs.append(output)
            from = output
        }
        return from
    }
}
