/// Whether two numbers agree to a relative tolerance, or both are 0.
func agree(_ found: Double?, _ expected: Double, within tolerance: Double = 1e-11) -> Bool {
    guard let found else { return false }
    return found == expected || (found - expected).magnitude <= tolerance * expected.magnitude
}

/// Share of `runs` for which an interval covers the truth; a run without an
/// interval counts as a miss.
func coverage(runs: Int, _ covers: (Int) throws -> Bool) rethrows -> Double {
    Double(try (0..<runs).count(where: covers)) / Double(runs)
}
