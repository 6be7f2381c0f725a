import Experiment
import FleetModel
import RunMetrics
import Wording

/// Closed forms beside what was simulated.
extension Format {
    /// Both are the same thing for a reader below it.
    private static let farFactor = 2.0

    /// Whether a reader would ask why they differ: the form lies outside the interval, and is less than half or more
    /// than twice as much.
    static func isFar(_ predicted: Double, from simulated: Double, _ interval: Interval?) -> Bool {
        if let interval, interval.low <= predicted, predicted <= interval.high { return false }
        // Fewer than one event may well have stayed out.
        if simulated == 0, predicted < 1 { return false }
        let (low, high) = (min(predicted, simulated), max(predicted, simulated))
        return high > farFactor * low
    }

    /// Why a closed form of ``PointResult/analytic`` stands far from the simulation; empty for one that does not.
    static func distance(_ form: AnalyticResult) -> String {
        guard isFar(form.predicted, from: form.simulated, form.interval) else { return "" }
        return queues.contains(form.name) && form.simulated > form.predicted
            ? "far: requests come in bursts, the form has them one by one"
            : "far: the simulation has what the form leaves out"
    }

    /// The names of forms for waiting.
    private static let queues = Set(
        Metric.stations.map(\.queue.words) + [Metric.stage(.pirWaiting).words])
}
