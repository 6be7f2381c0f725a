import Decoding
import EventSimulation
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Statistics
import URLFilter

/// Closed forms beside the simulated figures: where both agree, each checks the other.
extension ResultBuilder {
    func analytic(_ results: [MetricResult], _ regions: [RegionResult]) -> [AnalyticResult] {
        let stations = URLFilterModel.stations.flatMap {
            stationForms($0, results) + regionForms($0, regions)
        }
        // Of another mechanism the prefilter finds more than the list, and asks nobody.
        let hits = preparation.scenario.mechanism == nil ? falseHits() : nil
        return [hits].compactMap(\.self) + stations + [siteLineForm(results)].compactMap(\.self)
    }

    /// The effective false-positive rate per URL, from the rate per string that was counted on the filter.
    private func falseHits() -> AnalyticResult? {
        // A crowd has one URL, which is no sample of strings.
        guard preparation.configuration.crowds.isEmpty else { return nil }
        let urls = records.reduce(0) { $0 + $1.urls.asked }
        let strings = records.reduce(0) { $0 + $1.urls.strings }
        let unlisted = records.map { $0.urls.asked - $0.urls.askedListed }
        let hits = records.map { $0.urls.hit - $0.urls.askedListed }
        let total = unlisted.reduce(0, +)
        guard urls > 0, total > 0 else { return nil }
        let rate = preparation.inputs.prefilter.summary.countedStringRate
        let perURL = Double(strings) / Double(urls)
        let confidence = preparation.scenario.replications.confidence
        let seen = zip(hits, unlisted).filter { $0.1 > 0 }
        let share = ReplicatedShare(
            seen.map { Double($0) / Double($1) }, of: seen.map(\.1),
            independentCount: seen.count, confidence: confidence)
        let isDecided = preparation.scenario.decidesHits
        return AnalyticResult(
            name: "url.falseHit rate",
            formula: String(
                format: "1 - (1 - p)^k with the rate p counted on the filter and k = %.1f strings per URL",
                perURL),
            unit: .share, predicted: -expm1(perURL * log1p(-(rate.low + rate.high) / 2)),
            simulated: share?.mean ?? Double(hits.reduce(0, +)) / Double(total),
            interval: isDecided
                ? nil
                : share.map {
                    Interval(
                        low: $0.bounds.lowerBound, high: $0.bounds.upperBound, confidence: confidence,
                        method:
                            "wider of Student's t over \(seen.count) replications and Clopper-Pearson over"
                            + " \($0.trials) independent trials")
                })
    }

    private func stationForms(_ station: Part, _ results: [MetricResult]) -> [AnalyticResult] {
        // The formulas know no change of the servers, none that are slow at times, and one place.
        let servers = preparation.configuration.services[station]
        guard servers.scaling == nil, servers.isSteady, preparation.configuration.services.regions.isEmpty,
            let load = offeredLoad(station)
        else { return [] }
        let metrics = StationMetrics(station)
        var forms: [AnalyticResult] = []
        func add(_ metric: Metric, _ formula: String, _ predicted: Double?) {
            guard let predicted, let found = results.first(where: { $0.isOf(metric) }) else { return }
            forms.append(
                AnalyticResult(
                    name: metric.words, formula: formula, unit: metric.unit, predicted: predicted,
                    simulated: found.value, interval: found.interval))
        }
        // A group takes less time than its lookups alone, and waits for its last.
        let grouping = preparation.configuration.services[station].grouping
        if load.isFromProfile, grouping.map({ $0.followerShare == 1 }) ?? true {
            add(
                metrics.utilization,
                "offered load: requests x mean CPU time of the cost profile / (servers x time)",
                load.utilization)
        }
        // The formula knows no outages, and no limit of CPU time.
        guard preparation.configuration.faults.isEmpty, servers.threadsPerInstance <= servers.cores else {
            return forms
        }
        guard grouping == nil else { return forms }
        guard let share = InstanceShare(preparation.configuration.services[station]) else { return forms }
        let waits = meanWaits(load, at: share)
        let formula =
            "Allen-Cunneen at the arrival rate of each interval, \(share.words), which the bursts of a page are not"
        add(metrics.queue, formula, waits?.queue)
        if station == .pir { add(.stage(.pirWaiting), formula, waits?.wait) }
        return forms
    }

    /// The servers of each region, each with the work that came there.
    private func regionForms(_ part: Part, _ results: [RegionResult]) -> [AnalyticResult] {
        let services = preparation.configuration.services
        guard let load = offeredLoad(part), load.isFromProfile else { return [] }
        return zip(services.regions, results).compactMap { region, result in
            let servers = region[part]
            let metrics = RegionMetrics(result.name).stations
            guard servers.scaling == nil, servers.isSteady,
                servers.grouping.map({ $0.followerShare == 1 }) ?? true,
                let metric = metrics.first(where: { $0.part == part })?.utilization,
                let found = result[metric]
            else { return nil }
            let stations = records.compactMap { record in
                record.regions.first { $0.name == result.name }?.stations[part]
            }
            let arrivals = stations.reduce(0) { $0 + $1.arrivals }
            let seconds = stations.reduce(0) { $0 + $1.availableSeconds }
            guard seconds > 0 else { return nil }
            let service = load.meanService / services[part].cpuFactor * servers.cpuFactor
            return AnalyticResult(
                name: metric.words,
                formula:
                    "offered load: what came there x mean CPU time of all regions' requests / server time",
                unit: metric.unit, predicted: Double(arrivals) * service / seconds, simulated: found.value,
                interval: found.interval)
        }
    }

    /// Waiting at one station if each interval of the series were in equilibrium at its own rate.
    private func meanWaits(_ load: OfferedLoad, at share: InstanceShare) -> (wait: Double, queue: Double)? {
        var wait = 0.0
        for weight in load.profile {
            // No queue in equilibrium is long enough for an interval that is overloaded.
            guard
                let here = try? QueueingTheory.allenCunneenMeanWait(
                    arrivalRate: load.arrivalRate * weight / Double(share.instances),
                    meanService: load.meanService, servers: load.servers / share.instances,
                    arrivalVariability: share.arrivalVariability,
                    serviceVariability: load.serviceVariability)
            else { return nil }
            wait += here * weight / Double(load.profile.count)
        }
        return (wait, load.arrivalRate * wait)
    }

    /// Share of the requests that one queue of a station gets.
    private struct InstanceShare {
        /// Queues that share the requests evenly.
        var instances: Int
        /// Variance of the gaps over their squared mean.
        var arrivalVariability: Double
        var words: String

        /// - Returns: `nil` where the choice depends on the queues: there is no closed form.
        init?(_ station: StationConfiguration) {
            switch station.instances == 1 ? .pooled : station.balancing {
            case .pooled: (instances, arrivalVariability, words) = (1, 1, "Poisson arrivals")
            case .random, .stickyByUser:
                (instances, arrivalVariability) = (station.instances, 1)
                words = "Poisson arrivals at each of \(instances) instances"
            case .roundRobin:
                (instances, arrivalVariability) = (station.instances, 1 / Double(station.instances))
                words = "one of \(instances) Poisson arrivals in turn at each instance"
            case .leastOutstanding, .powerOfTwo: return nil
            }
        }
    }

    /// Work that a station is asked to do, per second.
    private struct OfferedLoad {
        var arrivalRate: Double
        /// Seconds.
        var meanService: Double
        /// Variance over squared mean.
        var serviceVariability: Double
        var servers: Int
        /// Arrival rate of each interval over the mean rate.
        var profile: [Double]
        var isFromProfile: Bool

        var utilization: Double { arrivalRate * meanService / Double(servers) }
    }

    private func offeredLoad(_ station: Part) -> OfferedLoad? {
        let seconds = records.reduce(0.0) { $0 + $1.observedSeconds }
        let services = preparation.configuration.services
        let servers = services[station].serverCount
        guard seconds > 0, servers > 0 else { return nil }
        var load = OfferedLoad(
            arrivalRate: 0, meanService: 0, serviceVariability: 0, servers: servers, profile: rateProfile(),
            isFromProfile: preparation.costProfile != nil)
        if let profile = preparation.costProfile {
            var (count, sum, squares) = (0.0, 0.0, 0.0)
            for (stage, number, extra) in stages(of: station, profile) {
                let scale = services[station].cpuFactor * Double(nanoseconds: 1)
                let squareMean =
                    stage.samples.reduce(0.0) {
                        $0 + (Double($1) + extra) * (Double($1) + extra)
                    } / Double(stage.samples.count)
                count += number
                sum += number * (stage.mean + extra) * scale
                squares += number * squareMean * scale * scale
            }
            guard count > 0, sum > 0 else { return nil }
            load.arrivalRate = count / seconds
            load.meanService = sum / count
            load.serviceVariability = max(0, squares / count / (load.meanService * load.meanService) - 1)
        } else {
            // Measured service times: only what the queue adds is predicted.
            let completions = records.reduce(0) { $0 + ($1.stations[station]?.completions ?? 0) }
            let busy = records.reduce(0.0) {
                $0 + ($1.stations[station]?.utilization ?? 0) * Double(servers) * $1.observedSeconds
            }
            guard completions > 0, busy > 0, let variability = measuredVariability(station) else {
                return nil
            }
            load.arrivalRate = Double(completions) / seconds
            load.meanService = busy / Double(completions)
            load.serviceVariability = variability
        }
        return load
    }

    /// Variance over squared mean of the service times, where each was measured for itself: at the PIR servers.
    private func measuredVariability(_ station: Part) -> Double? {
        guard station == .pir else { return nil }
        let working = records.compactMap { $0.urlFilter.stages[.pirWorking] }
            .reduce(into: LatencyHistogram()) { $0.merge($1) }
        guard let mean = working.mean?.seconds, mean > 0 else { return nil }
        let squares = working.nonEmptyBuckets.reduce(0.0) { sum, bucket in
            let middle = (bucket.lowest.seconds + bucket.highest.seconds) / 2
            return sum + Double(bucket.count) * middle * middle
        }
        return max(0, squares / Double(working.count) / (mean * mean) - 1)
    }

    /// The kinds of work a station did: cost, how often, and mean nanoseconds added by further keywords and the port.
    private func stages(
        of station: Part, _ profile: CostProfile
    ) -> [(StageCost, count: Double, extra: Double)] {
        let keywords = records.reduce(0) { $0 + $1.urlFilter.lookups.keywords }
        let lookups = records.reduce(0) { $0 + $1.urlFilter.lookups.sent }
        let further = lookups > 0 ? Double(keywords - lookups) / Double(lookups) : 0
        return Endpoint.allCases.flatMap { endpoint -> [(StageCost, count: Double, extra: Double)] in
            guard let cost = profile[endpoint] else { return [] }
            let requests = Double(
                records.reduce(0) { $0 + ($1.urlFilter.endpoints[endpoint]?.requests ?? 0) })
            let share = endpoint == .queries ? further : 0
            let extra = profile.extraKeyword
            switch station {
            case .gateway:
                return [
                    (
                        cost.gatewayOpens, requests,
                        share * Double(extra.gatewayOpens) + (cost.gatewayPort?.mean ?? 0)
                    ),
                    (cost.gatewaySeals, requests, share * Double(extra.gatewaySeals)),
                ]
            case .issuer where endpoint.isAnsweredByIssuer, .pir where !endpoint.isAnsweredByIssuer:
                let port = cost.servicePort?.mean ?? 0
                return [(cost.serviceAnswers, requests, share * Double(extra.serviceAnswers) + port)]
            default: return []
            }
        }
    }

    /// Lookups of each observed interval over their mean, over all replications; 1 without a series.
    func rateProfile() -> [Double] {
        let length = records.map(\.series.points.count).min() ?? 0
        let interval = preparation.configuration.seriesInterval
        let first = Int(saturating: (warmUp.length / interval).rounded(.up))
        let end = min(Int(preparation.configuration.duration / interval), length)
        guard first < end else { return [1] }
        let sums = (first..<end).map { index in
            records.reduce(0.0) { $0 + Double($1.series.points[index].lookups) }
        }
        let total = sums.reduce(0, +)
        guard total > 0 else { return [1] }
        return sums.map { $0 * Double(sums.count) / total }
    }
}

extension URLCounts {
    /// URLs that the filter sees.
    fileprivate var asked: Int { checked - (notAsked?.count ?? 0) }
    fileprivate var askedListed: Int { listed - (notAsked?.listed ?? 0) }
}
