import LiveValidation

/// A validation beside other tests, which take the cores from it.
enum SlowMachine {
    /// Gives a validation more time while it says that it had too little.
    ///
    /// - Parameter body: Gets how many times longer than on a machine with nothing else to do it may take.
    static func patiently(_ body: (_ factor: Double) async throws -> Void) async throws {
        for factor in [1.0, 3, 9] {
            do {
                return try await body(factor)
            } catch LiveValidationError.nothingCalibrated { continue } catch LiveValidationError.slowStart {
                continue
            }
        }
        try await body(27)
    }
}
