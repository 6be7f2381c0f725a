import Decoding
import EventSimulation
import FleetModel
import RunMetrics
import Scenarios
import Timing
import URLFilter

/// How the devices followed an update of the list.
extension ResultBuilder {
    func freshness() -> FreshnessResult? {
        let series = records.compactMap(\.urlFilter.freshness)
        guard let first = series.first, series.count == records.count else { return nil }
        let forecast = FreshnessForecast(preparation.scenario)
        func curve(
            _ stage: String, _ meaning: String, _ value: (FreshnessSeries.Point) -> Double,
            predicted: (FreshnessForecast, Double) -> Double?
        ) -> FreshnessCurve {
            let count = series.map(\.points.count).min() ?? 0
            return FreshnessCurve(
                stage: stage, meaning: meaning,
                points: (0..<count).map { index in
                    let seconds = Double(index) * first.step.seconds
                    return point(
                        seconds, series.map { value($0.points[index]) },
                        predicted: forecast.flatMap { predicted($0, seconds) })
                })
        }
        func stages(
            _ list: [(
                String, String, (FreshnessSeries.Point) -> Double, (FreshnessForecast, Double) -> Double?
            )]
        ) -> [FreshnessCurve] {
            list.map { curve($0.0, $0.1, $0.2, predicted: $0.3) }
        }
        let (exposed, overblocked) = exposures(forecast)
        return FreshnessResult(
            published: Double(nanoseconds: first.published.nanoseconds), devices: first.deviceCount,
            added: stages([
                ("prefilter", "the prefilter is fetched", \.fetched, { $0.fetched($1) }),
                ("app", "and the app has started since", \.started, { $0.started($1) }),
                (
                    "reload", "and the PIR servers have loaded it", \.loaded,
                    { form, time in form.started(time).map { form.isLoaded(time) ? $0 : 0 } }
                ),
                ("configuration", "and the PIR configuration is fetched", \.configured, { $0.blocks($1) }),
                ("blocks", "and no cached answer stands against it", \.blocks, { _, _ in nil }),
            ]),
            removed: stages([
                (
                    "configuration", "the PIR servers have loaded it and the configuration is fetched",
                    \.asksUpdate, { $0.configured($1) }
                ),
                ("cache", "and no cached answer stands against it", \.hearsUpdate, { _, _ in nil }),
                ("allows", "or the app uses the new prefilter", \.allows, { $0.allows($1) }),
            ]),
            repairs: forecast?.repairs(
                answersKept: Double(
                    nanoseconds: preparation.configuration.urlFilter.device.pirCacheTimeToLive)),
            exposed: exposed, overblocked: overblocked, delays: delays(forecast),
            ownDelay: forecast.flatMap { forecast in
                editionInterval.flatMap { BlockingDelay(forecast, published: $0) }
            })
    }

    private var editionInterval: Double? {
        preparation.configuration.urlFilter.prefilter.republishInterval.map(\.seconds).flatMap {
            $0 > 0 ? $0 : nil
        }
    }

    private func delays(_ forecast: FreshnessForecast?) -> [BlockingDelay]? {
        guard let forecast, let editionInterval else { return nil }
        return BlockingDelay.grid(forecast, published: editionInterval)
    }

    private func exposures(_ forecast: FreshnessForecast?) -> (FreshnessExposure?, FreshnessExposure?) {
        let predicted = forecast.flatMap(predictedShares)
        let listed = records.compactMap { record in
            record.observedSeconds > 0
                ? Double(record.urls.listed) / record.observedSeconds * 86_400 : nil
        }.mean
        func exposure(_ metric: Metric, _ share: Double?) -> FreshnessExposure? {
            let samples = metrics.compactMap { $0[metric] }
            let confidence = preparation.scenario.replications.confidence
            return samples.mean.map { mean in
                FreshnessExposure(
                    perDay: mean, interval: Interval(samples, in: .amount, confidence: confidence),
                    predicted: listed.flatMap { listed in share.map { $0 * listed } })
            }
        }
        return (exposure(.exposed, predicted?.new), exposure(.overblocked, predicted?.removed))
    }

    /// Over the visits to listed URLs: those to new entries that are not blocked yet, and to removed ones that are.
    /// Each edition counts from its publication, or from the end of the warm-up, to the end of the run; and so do those
    /// before the start that not all devices have followed then.
    func predictedShares(_ forecast: FreshnessForecast) -> (new: Double, removed: Double)? {
        let configuration = preparation.configuration
        let prefilter = configuration.urlFilter.prefilter
        guard let interval = prefilter.republishInterval?.seconds, interval > 0 else { return nil }
        let (begin, end) = (warmUp.length.seconds, configuration.duration.seconds)
        var (new, removed) = (0.0, 0.0)
        let first = prefilter.firstPublication?.seconds ?? interval
        var published = first - configuration.followedEditions * interval
        while published < end {
            let ages = max(0, begin - published)...max(0, begin - published, end - published)
            guard let exposure = forecast.exposure(ages) else { return nil }
            new += exposure.new
            if published >= first { removed += exposure.removed }
            published += interval
        }
        let gone = removed * prefilter.removedEntryShare / (end - begin)
        guard let threats = prefilter.threats else {
            return (new * prefilter.newEntryShare / (end - begin), gone)
        }
        guard let seconds = threatSeconds(forecast, threats, interval, begin...end) else { return nil }
        let steady = (1 - threats.shortLivedShare) * prefilter.newEntryShare * seconds.known
        return ((steady + threats.shortLivedShare * seconds.short) / (end - begin), gone)
    }

    /// Over the editions of which something is known in the observed period: the next one after its end, too.
    private func threatSeconds(
        _ forecast: FreshnessForecast, _ threats: ThreatEntries, _ interval: Double,
        _ observed: ClosedRange<Double>
    ) -> (known: Double, short: Double)? {
        var sums = (known: 0.0, short: 0.0)
        let configuration = preparation.configuration
        var published =
            (configuration.urlFilter.prefilter.firstPublication?.seconds ?? interval)
            - configuration.followedEditions * interval
        while published - interval < observed.upperBound {
            let times =
                max(-interval, observed.lowerBound - published)...(observed.upperBound - published)
            let life = threats.shortLife.seconds
            guard let known = forecast.exposureOfKnown(times, interval: interval),
                let short = forecast.exposureOfShortLived(times, interval: interval, life: life)
            else { return nil }
            sums.known += known
            sums.short += short
            published += interval
        }
        return sums
    }

    private func point(_ seconds: Double, _ samples: [Double], predicted: Double?) -> FreshnessPoint {
        let confidence = preparation.scenario.replications.confidence
        return FreshnessPoint(
            seconds: seconds, share: samples.mean ?? .nan,
            interval: Interval(samples, in: .share, confidence: confidence), predicted: predicted)
    }
}
