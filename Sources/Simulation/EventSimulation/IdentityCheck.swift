/// A law that every run of every resource obeys, whatever its model: a violation is a bug.
package struct IdentityCheck: Codable, Hashable, Sendable {
    package enum Identity: String, Codable, Hashable, Sendable {
        /// Everything that arrived has left, was lost or is still there. In jobs.
        case conservation
        /// L = λW: the number present, integrated over time, is the sum of the times that
        /// single jobs spent (Little, doi:10.1287/opre.9.3.383). In nanoseconds.
        case littlesLaw
        /// The time that servers were busy is the service that jobs received. In nanoseconds.
        case utilization
    }

    package let identity: Identity
    /// The side that was counted job by job.
    package let expected: Int128
    /// The side that the resource kept over time.
    package let observed: Int128
    /// Amount by which the sides may differ: jobs that are still served, and rounding to whole nanoseconds. 0 where
    /// the law is exact.
    package let tolerance: ClosedRange<Int128>

    /// `observed - expected`.
    package var difference: Int128 { observed - expected }

    package var holds: Bool { tolerance.contains(difference) }

    package init(
        _ identity: Identity, expected: Int128, observed: Int128, tolerance: ClosedRange<Int128> = 0...0
    ) {
        self.identity = identity
        self.expected = expected
        self.observed = observed
        self.tolerance = tolerance
    }
}

extension IdentityCheck: CustomStringConvertible {
    package var description: String {
        let name =
            switch identity {
            case .conservation: "conservation, in jobs"
            case .littlesLaw: "Little's law, in ns"
            case .utilization: "the utilization law, in ns"
            }
        let verdict = holds ? "holds" : "is violated"
        let allowed = tolerance == 0...0 ? "" : ", allowed \(tolerance.lowerBound) to \(tolerance.upperBound)"
        return "\(name), \(verdict): kept over time \(observed), job by job \(expected), "
            + "difference \(difference)\(allowed)"
    }
}

/// A part of a model that can tell at any time whether its own account is consistent.
package protocol CheckedResource {
    /// Every law of the resource from the start of the run to `now`, which is not before its last change.
    func identityChecks(at now: SimulatedTime) -> [IdentityCheck]
}

extension CheckedResource {
    /// The laws that do not hold; never any, unless the model or the resource is broken.
    package func identityViolations(at now: SimulatedTime) -> [IdentityCheck] {
        identityChecks(at: now).filter { !$0.holds }
    }
}
