import Experiment
import RunMetrics
import Statistics
import URLFilter

/// Rates of a load test, lookups per second.
struct LoadTestRates {
    let minute: Double
    let second: Double
    /// Factor for keys and users.
    let growth: Double
    /// Source of the rates.
    let sentences: [String]

    /// Share of the PIR servers that is busy in step `second` at most, unless the minute asks more. Assumption: what
    /// comes in one second is done in the next ones, but kept for two minutes it would only queue.
    private static let mostBusy = 0.85

    init(_ source: LoadTestSource, _ point: PointResult, _ options: LoadTestOptions) throws(LoadTestError) {
        let number = LoadTestPlan.number
        let most = Self.mostBusy / source.workPerLookup
        let busiest: Double
        if let planned = options.plannedUtilization {
            let seconds = point[EndpointMetrics(.queries).peak]?.perReplication.compactMap(\.self) ?? []
            growth = 1
            minute = planned / source.workPerLookup
            busiest = seconds.mean ?? minute
            sentences = [
                "minute: the peak for which the servers were bought, at which \(number(planned * 100)) % of those of"
                    + " this test are busy; second: lookups of the busiest second of such a run"
            ]
        } else {
            let growth = 1 + options.growth
            func peak(_ metric: Metric) throws(LoadTestError) -> Double {
                let samples = point[metric]?.perReplication.compactMap(\.self) ?? []
                guard
                    let bound = PredictionBound(
                        samples: samples, probability: options.quantile, law: .gumbel)
                else { throw .noSpread(replications: samples.count) }
                return bound.value * growth
            }
            self.growth = growth
            minute = try peak(RelayMetrics(nil).peakMinute) * source.lookupShare / 60
            busiest = try peak(EndpointMetrics(.queries).peak)
            sentences = [
                "minute: requests of the busiest minute that another such run stays below with"
                    + " \(number(options.quantile * 100)) %, × \(number(growth)) for growth, ×"
                    + " \(number(source.lookupShare)) lookups among requests, / 60; second: the same of the busiest"
                    + " second's lookups"
            ]
        }
        second = max(minute, min(busiest, most))
    }
}
