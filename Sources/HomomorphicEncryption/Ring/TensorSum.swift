/// The sum of tensor products of two-polynomial ciphertexts in evaluation form.
struct TensorSum {
    private let rings: [RingModulus]

    /// For each ring the sums of a0·b0, a0·b1 + a1·b0 and a1·b1.
    private let sums: [[ProductSum]]

    init(rings: [RingModulus]) {
        self.rings = rings
        sums = rings.map { ring in (0..<3).map { _ in ProductSum(ring: ring) } }
    }

    /// Adds the tensor product of two pairs of polynomials over all rings.
    func add(_ left: [Polynomial], _ right: [Polynomial]) {
        for row in rings.indices {
            for (leftIndex, leftPolynomial) in left.enumerated() {
                for (rightIndex, rightPolynomial) in right.enumerated() {
                    leftPolynomial.withRow(row) { x in
                        rightPolynomial.withRow(row) { y in sums[row][leftIndex + rightIndex].add(x, y) }
                    }
                }
            }
        }
    }

    /// The three sums, in evaluation form over all rings.
    func polynomials() -> [Polynomial] {
        (0..<3).map { index in
            var result = Polynomial(degree: rings[0].degree, rowCount: rings.count, form: .evaluation)
            for row in rings.indices { result.withMutableRow(row) { sums[row][index].store(into: $0) } }
            return result
        }
    }
}
