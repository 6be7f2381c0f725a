import CGSL

/// Turns off what GSL does by default on an error: abort the process.
enum GSL {
    /// Read before the first call of any function of GSL; always `true`.
    static let isQuiet: Bool = {
        _ = gsl_set_error_handler_off()
        return true
    }()
}
