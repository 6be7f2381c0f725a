import CGSL

/// The distribution functions taken from GSL.
///
/// Only what was measured to be right is used. GSL's `gsl_cdf_beta_Pinv` and
/// `gsl_cdf_gamma_Pinv` return NaN (beta at n = 10 000, gamma at shape 0.1 and
/// at 10⁶) or do not return at all (beta at n = 10⁸), so ``Inversion`` inverts
/// the forward functions, and those give way to ``LargeShapeTails``.
///
/// Every function returns `nil` where GSL reports a domain error or gives up.
package enum SpecialFunctions {
    private static func quietly(_ evaluate: () -> Double) -> Double? {
        guard GSL.isQuiet else { return nil }
        let value = evaluate()
        return value.isNaN ? nil : value
    }

    /// P(Z ≤ z) of the standard normal distribution.
    static func normalCDF(_ z: Double) -> Double? {
        quietly { gsl_cdf_ugaussian_P(z) }
    }

    /// The z with P(Z ≤ z) = `probability`; infinite at 0 and 1.
    static func normalQuantile(_ probability: Double) -> Double? {
        guard (0...1).contains(probability) else { return nil }
        return quietly { gsl_cdf_ugaussian_Pinv(probability) }
    }

    /// P(T ≤ t) of Student's distribution.
    static func studentCDF(_ t: Double, degreesOfFreedom: Double) -> Double? {
        quietly { gsl_cdf_tdist_P(t, degreesOfFreedom) }
    }

    /// P(T > t), accurate where it is tiny.
    static func studentUpperTail(_ t: Double, degreesOfFreedom: Double) -> Double? {
        quietly { gsl_cdf_tdist_Q(t, degreesOfFreedom) }
    }

    static func studentQuantile(_ probability: Double, degreesOfFreedom: Double) -> Double? {
        guard (0...1).contains(probability), degreesOfFreedom > 0 else { return nil }
        return quietly { gsl_cdf_tdist_Pinv(probability, degreesOfFreedom) }
    }

    /// The regularized lower incomplete gamma function P(shape, x).
    static func gammaLowerTail(_ x: Double, shape: Double) -> Double? {
        guard shape > 0, shape.isFinite, x >= 0 else { return nil }
        if x == .infinity { return 1 }
        if shape >= LargeShapeTails.threshold { return LargeShapeTails.gamma(x, shape: shape)?.lower }
        return quietly { gsl_cdf_gamma_P(x, shape, 1) }
    }

    /// The regularized upper incomplete gamma function Q(shape, x).
    static func gammaUpperTail(_ x: Double, shape: Double) -> Double? {
        guard shape > 0, shape.isFinite, x >= 0 else { return nil }
        if x == .infinity { return 0 }
        if shape >= LargeShapeTails.threshold { return LargeShapeTails.gamma(x, shape: shape)?.upper }
        return quietly { gsl_cdf_gamma_Q(x, shape, 1) }
    }

    /// P(X ≤ x) of the beta distribution.
    static func betaLowerTail(_ x: Double, _ a: Double, _ b: Double) -> Double? {
        guard a > 0, b > 0 else { return nil }
        if a + b >= LargeShapeTails.threshold { return LargeShapeTails.beta(x, a, b)?.lower }
        return quietly { gsl_cdf_beta_P(x, a, b) }
    }

    /// P(X > x) of the beta distribution.
    static func betaUpperTail(_ x: Double, _ a: Double, _ b: Double) -> Double? {
        guard a > 0, b > 0 else { return nil }
        if a + b >= LargeShapeTails.threshold { return LargeShapeTails.beta(x, a, b)?.upper }
        return quietly { gsl_cdf_beta_Q(x, a, b) }
    }

    /// P(B ≤ successes) of the binomial distribution.
    ///
    /// By the beta function rather than `gsl_cdf_binomial_P`, which does the
    /// same but takes at most 2³² - 1 trials.
    static func binomialCDF(_ successes: Int, trials: Int, probability: Double) -> Double? {
        if successes < 0 { return 0 }
        if successes >= trials { return 1 }
        return betaUpperTail(probability, Double(successes) + 1, Double(trials - successes))
    }

    /// P(B > successes) of the binomial distribution.
    static func binomialUpperTail(_ successes: Int, trials: Int, probability: Double) -> Double? {
        if successes < 0 { return 1 }
        if successes >= trials { return 0 }
        return betaLowerTail(probability, Double(successes) + 1, Double(trials - successes))
    }

    /// Γ(x) divided by Stirling's √(2π/x) (x/e)ˣ: near 1 for large x.
    static func gammaStar(_ x: Double) -> Double? {
        guard x > 0 else { return nil }
        return quietly { gsl_sf_gammastar(x) }
    }

    /// ln Γ(x) for positive x.
    package static func logGamma(_ x: Double) -> Double? {
        guard x > 0 else { return nil }
        return quietly { gsl_sf_lngamma(x) }
    }

    /// The second derivative of ln Γ(x) for positive x.
    static func trigamma(_ x: Double) -> Double? {
        guard x > 0 else { return nil }
        return quietly { gsl_sf_psi_1(x) }
    }
}
