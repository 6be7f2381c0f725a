package import Experiment
package import URLFilter

/// The cause that changes a harm most from one result to another.
package struct HarmShift: Codable, Equatable, Sendable {
    package var harm: Harm
    package var cause: HarmCause
    package var failure: FailureCause?
    /// Means over the replications of each side.
    package var baseline: Double
    package var candidate: Double

    /// One for each harm that changed.
    static func all(from before: PointResult, to after: PointResult) -> [HarmShift] {
        Harm.allCases.compactMap { harm in
            let sides = [before, after].map { point in
                let causes = point.harms?.first { $0.harm == harm }?.causes ?? []
                return Dictionary(uniqueKeysWithValues: causes.map { ($0.origin, $0.count) })
            }
            let origins = Set(sides.flatMap(\.keys)).sorted { $0.order < $1.order }
            let shifts = origins.map { origin in
                HarmShift(
                    harm: harm, cause: origin.cause, failure: origin.failure,
                    baseline: sides[0][origin] ?? 0, candidate: sides[1][origin] ?? 0)
            }
            return shifts.filter { $0.change != 0 }.max { $0.change.magnitude < $1.change.magnitude }
        }
    }

    private var change: Double { candidate - baseline }
}
