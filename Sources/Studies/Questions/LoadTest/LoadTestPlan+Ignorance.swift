import Decoding
package import Experiment
import RunMetrics

/// The rates of a load test over what nobody knows.
extension LoadTestPlan {
    /// Says for how much of what is plausible the rate of step `minute` is enough, as its lookups go with those of a
    /// device and day.
    ///
    /// - Parameters:
    ///   - known: Of the devices that ask the tested servers.
    ///   - risk: Share of the draws that may have a higher rate.
    package mutating func addIgnorance(_ known: IgnoranceResult, risk: Double) {
        let metric = Metric.lookupsPerDeviceDay
        if let reason = known.note ?? known.refused.first(where: { metric.isOf($0) })?.reason {
            notes.append("what nobody knows is in no rate: \(reason)")
        }
        guard known.finished, let minute = steps.first, let lookups = known[metric], lookups.value > 0,
            lookups.centre > 0, !lookups.points.isEmpty
        else { return }
        let rates = lookups.points.map { minute.rate * $0 / lookups.centre }.sorted()
        let above = Int(saturating: (risk * Double(rates.count)).rounded(.down))
        let range = lookups.scaled(by: minute.rate / lookups.value).interval
        let found = Plausible(
            low: Self.rounded(range.low), high: Self.rounded(range.high), points: rates.count,
            enough: lookups.points.count { $0 <= lookups.centre }, risk: risk,
            rate: Self.rounded(rates[max(0, rates.count - 1 - above)]))
        plausible = found
        notes.append(
            "minute: over what nobody knows of lookups the rate is \(Self.number(found.low)) to"
                + " \(Self.number(found.high)) a second, and that of the step is enough in \(found.enough) of"
                + " \(found.points) draws; a risk of at most \(Self.number(risk * 100)) % takes"
                + " \(Self.number(found.rate)) a second")
    }
}

extension Metric {
    fileprivate func isOf(_ refusal: IgnoranceResult.Refusal) -> Bool {
        name == refusal.name && statistic == refusal.statistic
    }
}
