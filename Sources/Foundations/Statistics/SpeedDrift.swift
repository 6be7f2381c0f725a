import Foundation

/// The difference of the level of a machine's speed from a calibration to a run after it.
///
/// The steps from each calibration to the next show it: what a run differs by within hours, and what days add to that.
/// Few steps say little, so each counts for a tenth and the drift of the kept runs for the rest.
package struct SpeedDrift: Hashable, Sendable {
    /// One measurement of the level: lookups back to back.
    package struct Calibration: Codable, Hashable, Sendable {
        /// Seconds since 1970.
        package var time: Double
        /// Mean logarithm of the CPU seconds of a lookup.
        package var level: Double

        package init(time: Double, level: Double) {
            self.time = time
            self.level = level
        }
    }

    /// Standard deviation of log(service time of the run / of the calibration before it) of so many runs in
    /// `Notebooks/validation`, which a test recomputes.
    package static let kept = 0.06
    package static let keptRuns = 39
    /// Steps with which the kept drift says nothing any more.
    package static let enoughSteps = 10
    /// Calibrations farther apart are of different days, seconds.
    package static let pause = 6 * 3_600.0

    package let calibrations: Int
    package let days: Int
    /// Deviation of the logarithm: within a day, and what another day adds.
    package let run: Double
    package let day: Double

    package var deviation: Double { (run * run + day * day).squareRoot() }
    /// Share of ``run`` that was measured.
    package let measuredShare: Double

    /// - Parameter calibrations: Of one machine, database and build, in any order.
    package init(_ calibrations: [Calibration]) {
        let sorted = calibrations.sorted { $0.time < $1.time }
        var within: [Double] = []
        var across: [Double] = []
        for (next, last) in zip(sorted.dropFirst(), sorted) {
            let square = (next.level - last.level) * (next.level - last.level)
            if next.time - last.time > Self.pause { across.append(square) } else { within.append(square) }
        }
        self.calibrations = sorted.count
        days = sorted.isEmpty ? 0 : 1 + across.count
        let missing = Double(max(0, Self.enoughSteps - within.count))
        let steps = Double(within.count) + missing
        let variance = (within.reduce(0, +) + missing * Self.kept * Self.kept) / steps
        run = variance.squareRoot()
        measuredShare = Double(within.count) / steps
        let more = across.reduce(0) { $0 + $1 - variance }
        day = max(0, more / Double(max(Self.enoughSteps, across.count))).squareRoot()
    }

    /// Root mean square of the steps within sessions.
    ///
    /// - Parameter sessions: Levels in the order in which they were measured.
    /// - Returns: `nil` with fewer than two steps.
    package static func rootMeanSquareStep(_ sessions: [[Double]]) -> Double? {
        let steps = sessions.flatMap { levels in zip(levels.dropFirst(), levels).map { $0 - $1 } }
        guard steps.count >= 2 else { return nil }
        return (steps.reduce(0) { $0 + $1 * $1 } / Double(steps.count)).squareRoot()
    }
}
