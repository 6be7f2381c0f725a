extension RingModulus {
    /// x += y
    package func add(_ x: MutableRow, _ y: Row) {
        update(x, y) { [arithmetic] in arithmetic.add($0, $1) }
    }

    /// x -= y
    package func subtract(_ x: MutableRow, _ y: Row) {
        update(x, y) { [arithmetic] in arithmetic.subtract($0, $1) }
    }

    /// x = -x
    package func negate(_ x: MutableRow) {
        let modulus = arithmetic
        for index in 0..<degree { x[index] = modulus.negate(x[index]) }
    }

    /// x *= y, element by element: the product of polynomials in evaluation form.
    package func multiply(_ x: MutableRow, _ y: Row) {
        if arithmetic.isNarrow {
            update(x, y) { [arithmetic] in arithmetic.reduce($0 &* $1) }
        } else {
            update(x, y) { [arithmetic] in arithmetic.multiply($0, $1) }
        }
    }

    /// x *= factor
    package func multiply(_ x: MutableRow, by factor: UInt64) {
        let modulus = arithmetic
        let constant = modulus.constant(modulus.reduce(factor))
        for index in 0..<degree { x[index] = modulus.multiply(x[index], constant) }
    }

    /// Residues for another modulus, taken as integers and reduced.
    package func reduce(_ input: Row, of other: RingModulus, into output: MutableRow) {
        if other.modulus <= modulus {
            _ = output.update(fromContentsOf: input)
        } else {
            let modulus = arithmetic
            for index in 0..<degree { output[index] = modulus.reduce(input[index]) }
        }
    }

    /// x += floor(modulus / 2), the first half of a division with rounding.
    package func addHalf(_ x: MutableRow) {
        let modulus = arithmetic
        let half = modulus.value / 2
        for index in 0..<degree { x[index] = modulus.add(x[index], half) }
    }

    /// x = (x + floor(p/2) - shifted) / p for the modulus `p` of another ring.
    ///
    /// - Parameter shifted: The residues modulo `p`, after ``addHalf(_:)``.
    package func subtractAndDivide(_ x: MutableRow, _ shifted: Row, by other: RingModulus) {
        let modulus = arithmetic
        let half = modulus.reduce(other.modulus / 2)
        let inverse = modulus.constant(modulus.inverse(modulus.reduce(other.modulus)))
        for index in 0..<degree {
            let difference = modulus.subtract(modulus.add(x[index], half), modulus.reduce(shifted[index]))
            x[index] = modulus.multiply(difference, inverse)
        }
    }

    /// Residues of small signed numbers.
    package func lift(_ numbers: [Int8], into output: MutableRow) {
        let modulus = modulus
        for index in 0..<degree {
            let wide = Int64(numbers[index])
            // Adds the modulus to negative numbers without a branch: they may be secret.
            output[index] = UInt64(bitPattern: wide) &+ (UInt64(bitPattern: wide &>> 63) & modulus)
        }
    }

    /// Residues of message coefficients, those above `plaintextModulus / 2` taken as negative.
    package func liftCentered(_ message: Row, from plaintextModulus: UInt64, into output: MutableRow) {
        let threshold = (plaintextModulus + 1) / 2
        let offset = modulus - plaintextModulus
        for index in 0..<degree {
            output[index] = message[index] < threshold ? message[index] : message[index] &+ offset
        }
    }

    /// The coefficients as -1, 0 and 1, or `nil` if there are others. Variable time.
    package func signedTernary(_ row: Row) -> [Int8]? {
        var result: [Int8] = []
        result.reserveCapacity(degree)
        for residue in row {
            guard residue <= 1 || residue == modulus - 1 else { return nil }
            result.append(residue <= 1 ? Int8(residue) : -1)
        }
        return result
    }

    @inline(__always)
    private func update(_ x: MutableRow, _ y: Row, _ operation: (UInt64, UInt64) -> UInt64) {
        precondition(x.count == degree && y.count == degree, "rows have \(degree) residues")
        for index in 0..<degree { x[index] = operation(x[index], y[index]) }
    }
}
