import Decoding
import Experiment
import FleetModel
import Foundation
import RandomStreams
import Statistics
import Workload

/// The numbers of a scenario that a part of a server's log tells, each with its interval.
package struct LogFit: Sendable {
    /// One fitted number.
    package struct Value: Codable, Sendable {
        /// The setting that it becomes, or what it is of.
        package let name: String
        package let value: Double
        /// `s`, or empty for numbers without one.
        package let unit: String
        /// 95 %.
        package let low: Double?
        package let high: Double?
        package let samples: Int
        /// How well the law fits, in words.
        package let fit: String
    }

    private(set) var traffic: LookupTraffic
    let deviceCount: Int
    /// Seconds of requests that found a core free.
    var services: [LoggedEndpoint: [Double]] = [:]
    /// Seconds between servers and back, without their work.
    var ways: [LoggedPlace: Double] = [:]
    package internal(set) var values: [Value] = []
    /// Values that the log does not tell, what it would take, and what stands instead.
    package internal(set) var notFitted: [String] = []

    static let rateName = "lookups per device and day"
    static let leastServices = 20
    private static let leastDevices = 20

    /// - Parameter devices: Of the scenario, for a log without pseudonyms.
    init(_ part: LogPart, devices: Int, hasDuration: Bool) throws(ObservationProblem) {
        let seen = part.devices.count
        deviceCount = seen > 0 ? seen : devices
        guard part.lookups >= Self.leastServices else {
            throw .tooFew("lookups with status 200", found: part.lookups, needed: Self.leastServices)
        }
        traffic = LookupTraffic(perDay: 1)
        fitRates(part, hasNames: seen > 0)
        if seen > 0 {
            fitSkew(part)
        } else {
            notFitted.append(
                "how devices differ: there is no column 'device' with a pseudonym; all ask alike, and the number of"
                    + " devices is the scenario's \(devices)")
        }
        fitBursts(part, hasNames: seen > 0)
        guard hasDuration else { throw .noDuration }
        try fitServices(part)
        fitWays(part)
    }

    /// Fit from pages of Prometheus, which know neither devices nor single requests.
    init(_ part: PrometheusPart, devices: Int) throws(ObservationProblem) {
        deviceCount = devices
        guard part.lookups >= Double(Self.leastServices) else {
            throw .tooFew("lookups with status 200", found: Int(part.lookups), needed: Self.leastServices)
        }
        var (lookups, seconds) = (Array(repeating: 0.0, count: 24), Array(repeating: 0.0, count: 24))
        for gap in part.hours {
            lookups[gap.hour] += gap.lookups
            seconds[gap.hour] += gap.seconds
        }
        let hasDay = seconds.allSatisfy { $0 >= 3_600 }
        let rates = zip(lookups, seconds).map { $1 > 0 ? $0 / $1 : 0 }
        let mean = hasDay ? rates.reduce(0, +) / 24 : part.lookups / part.seconds
        traffic = LookupTraffic(perDay: Self.rounded(mean * 86_400 / Double(devices)))
        if hasDay { traffic.hourWeights = rates.map { Self.rounded($0 / mean) } }
        let estimate = MeanEstimate(replicationMeans: part.perSecond)
        add(
            Self.rateName, traffic.perDay, "",
            estimate.map { estimate in
                let half = estimate.halfWidth / max(estimate.mean, 1e-9)
                return traffic.perDay * (1 - half)...traffic.perDay * (1 + half)
            }, Int(part.lookups), "\(devices) devices, of the scenario")
        if !hasDay {
            notFitted.append(
                "the shape of a day: the fitted part does not have all 24 hours; the rate is taken to be the same all"
                    + " day"
            )
        }
        notFitted.append(
            "how devices differ, and bursts: pages have no single requests; it takes an access log")
        let ratios = part.work.filter { $0.expected > 0 }
        guard
            let ratio = RatioEstimate(
                numerators: ratios.map(\.seconds), denominators: ratios.map(\.expected))
        else {
            throw .tooFew("pages with CPU times or durations of lookups", found: ratios.count, needed: 3)
        }
        add(
            "PIR server's time over this machine's", ratio.ratio, "",
            (ratio.ratio - ratio.halfWidth)...(ratio.ratio + ratio.halfWidth), ratios.count,
            "ratio over pages")
    }

    mutating func add(
        _ name: String, _ value: Double, _ unit: String = "", _ bounds: ClosedRange<Double>?, _ samples: Int,
        _ fit: String
    ) {
        // Nothing that is fitted can be negative, which the t distribution does not know.
        values.append(
            Value(
                name: name, value: value, unit: unit, low: bounds.map { max(0, $0.lowerBound) },
                high: bounds?.upperBound, samples: samples, fit: fit))
    }

    private mutating func fitRates(_ part: LogPart, hasNames: Bool) {
        let exposure = part.hourSeconds
        let rates = zip(part.hours, exposure).map { $1 > 0 ? Double($0) / $1 : nil }
        let known = rates.compactMap { $0 }
        let hasDay = exposure.allSatisfy { $0 >= 3_600 }
        // Per second and device, in the mean hour.
        var mean = Double(part.lookups) / part.seconds
        if hasDay, let daily = known.mean {
            mean = daily
            traffic.hourWeights = rates.map { Self.rounded(($0 ?? mean) / mean) }
        }
        traffic.perDay = Self.rounded(mean * 86_400 / Double(deviceCount))
        var half: Double?
        if hasNames, part.devices.devices.count > 1 {
            let counts = part.devices.devices.values.map { Double($0.lookups) }
            half = MeanEstimate(replicationMeans: counts).map { $0.halfWidth / max($0.mean, 1e-9) }
        }
        // Times of day and bursts move all devices together; a whole day has all of its times.
        let days = part.seconds / 86_400
        if hasDay, days < 2, half != nil {
            notFitted.append(
                "what moves all devices together from one day to the next: the fitted part has"
                    + " \(Self.text(days)) days, and it takes two; it is in no interval")
        } else if let doubt = hasDay && days >= 2 ? Self.levelDoubt(part, rates) : Self.doubt(part.counts) {
            half = max(half ?? 0, doubt)
        }
        add(
            Self.rateName, traffic.perDay, "",
            half.map { traffic.perDay * (1 - $0)...traffic.perDay * (1 + $0) }, part.lookups,
            hasNames ? "\(deviceCount) devices seen" : "\(deviceCount) devices, of the scenario")
        guard hasDay else {
            let hours = String(format: "%.1f", part.seconds / 3_600)
            notFitted.append(
                "the shape of a day: the fitted part has \(hours) h, and it takes all 24 hours; the rate is taken to be"
                    + " the same all day")
            return
        }
        let total = exposure.reduce(0, +)
        let test = ChiSquareTest(observed: part.hours, probabilities: exposure.map { $0 / total })
        let (low, high) = (traffic.hourWeights.min() ?? 1, traffic.hourWeights.max() ?? 1)
        let peak = traffic.hourWeights.firstIndex(of: high) ?? 0
        let busiest = PoissonRateEstimate(eventCount: part.hours[peak], exposure: exposure[peak])
        add(
            "busiest hour over the mean (\(peak) h UTC)", high, "",
            busiest.map { ($0.bounds.lowerBound / mean)...($0.bounds.upperBound / mean) }, part.hours[peak],
            "least \(Self.text(low)); a flat day: χ² p = \(Self.text(test?.pValue ?? 1))")
    }

    /// Ten sums of neighbours, whose spread has the correlation of the parts in it.
    private static func batches(_ counts: [Double]) -> [Double] {
        // The last interval may be shorter.
        let whole = counts.dropLast()
        let length = whole.count / 10
        guard length > 0 else { return [] }
        return (0..<10).map { batch in whole[(batch * length)..<((batch + 1) * length)].reduce(0, +) }
    }

    /// Half width of the mean of all batches, relative.
    private static func doubt(_ counts: [Int]) -> Double? {
        MeanEstimate(replicationMeans: batches(counts.map(Double.init))).map {
            $0.halfWidth / max($0.mean, 1e-9)
        }
    }

    /// The same against what the hours of the day give the batches: none is another for the hours that it has.
    ///
    /// - Parameters:
    ///   - part: Of two days and more, whose intervals are an hour long and begin anywhere in one.
    ///   - rates: Lookups a second by hour of the day.
    private static func levelDoubt(_ part: LogPart, _ rates: [Double?]) -> Double? {
        let days = part.seconds / 86_400
        let late = Double(part.range.lowerBound % .hours(1)) / Double(Int64.hours(1))
        let expected = part.counts.indices.map { number in
            let hour = part.hour(ofInterval: number)
            return (rates[hour] ?? 0) * (1 - late) + (rates[(hour + 1) % 24] ?? 0) * late
        }
        let level = RatioEstimate(
            numerators: batches(part.counts.map(Double.init)), denominators: batches(expected))
        // The shape is that of the same days, and takes one of so many differences between them.
        return level.map { $0.halfWidth / max($0.ratio, 1e-9) * (days / (days - 1)).squareRoot() }
    }

    /// The gamma law of the rates, from how many bursts each device had: a negative binomial number.
    private mutating func fitSkew(_ part: LogPart) {
        let bursts = part.devices.devices.values.map { Double($0.bursts) }.sorted()
        guard bursts.count >= Self.leastDevices else {
            notFitted.append(
                "how devices differ: there are \(bursts.count) devices; \(Self.leastDevices - bursts.count) more would"
                    + " do; all ask alike")
            return
        }
        do {
            let fit = try DistributionFit(.negativeBinomial, to: bursts)
            guard let size = fit["size"], size.value < 1_000 else { throw FitError.notOverdispersed }
            traffic.skewShape = max(Self.rounded(size.value), 0.01)
            add(
                "skewShape", size.value, "", size.bounds, bursts.count,
                "bursts per device, negative binomial: " + Self.words(fit, bursts))
        } catch {
            notFitted.append("how devices differ: no more than by chance; all ask alike")
        }
    }

    private mutating func fitBursts(_ part: LogPart, hasNames: Bool) {
        guard hasNames else { return fitDispersion(part) }
        let sizes = part.burstSizes.values
        let mean = sizes.mean ?? 0
        traffic.burstSize = min(max(Self.rounded(mean), 1), 10_000)
        let fit = try? DistributionFit(.geometric, to: sizes.map { $0 - 1 })
        let bounds = fit?["probability"].map { (1 / $0.bounds.upperBound)...(1 / $0.bounds.lowerBound) }
        add(
            "burstSize", mean, "", bounds, part.burstSizes.count,
            fit.map { "geometric: " + Self.words($0, sizes.map { $0 - 1 }) } ?? "all are single or alike")
        let gaps = part.gaps.values
        guard gaps.count >= DistributionFit.minimumSampleCount,
            let best = DistributionFit.ranked(ThinkFit.families, samples: gaps).first,
            let law = Distribution(best)
        else {
            if mean > 1 {
                notFitted.append(
                    "the gaps in bursts: there are \(gaps.count); lookups of a burst come at once")
            }
            return
        }
        traffic.burstGap = law
        let estimate = QuantileEstimate(samples: gaps, probability: 0.5)
        add(
            "burstGap, median", estimate?.value ?? best.distribution.quantile(0.5) ?? 0, "s",
            estimate?.bounds,
            part.gaps.count, "\(best.family.rawValue): " + Self.words(best, gaps))
    }

    /// Without names: in a process of bursts the variance of counts over their mean is `2 × size − 1` for geometric
    /// sizes. Neighbouring windows are compared, so that the time of day has no part in it.
    private mutating func fitDispersion(_ part: LogPart) {
        guard part.dispersion.sums >= 100 else {
            notFitted.append(
                "bursts: neighbouring windows of 10 s have \(Int(saturating: part.dispersion.sums)) lookups; it takes"
                    + " 100 or the column 'device'")
            return
        }
        let index = part.dispersion.squares / part.dispersion.sums
        traffic.burstSize = max(Self.rounded((index + 1) / 2), 1)
        traffic.burstGap = .exponential(mean: 1)
        add(
            "burstSize", traffic.burstSize, "", nil, Int(saturating: part.dispersion.sums),
            "from the dispersion of counts in 10 s, \(Self.text(index)); 1 if lookups came by chance")
        notFitted.append("the gaps in bursts: there is no column 'device'; 1 s on average (assumption)")
    }

    /// Distance and p-value; with many samples every law is refused, and the distance tells more.
    static func words(_ fit: DistributionFit, _ samples: [Double]) -> String {
        // Few resamples: it is one figure of many.
        let kept = Array(samples.prefix(500))
        guard let small = try? DistributionFit(fit.family, to: kept),
            let test = GoodnessOfFit(of: small, samples: kept, resampleCount: 39, seed: 1)
        else { return "fit not tested" }
        return
            "KS distance \(text(test.kolmogorovSmirnovDistance)), p = \(text(test.kolmogorovSmirnovPValue))"
    }

    private static func rounded(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        let scale = pow(10, 4 - log10(value).rounded(.down))
        return (value * scale).rounded() / scale
    }

    /// The rate as a scenario writes it, with what the log leaves open of it: nobody knows it better than that.
    var rate: String {
        guard let rate = values.first(where: { $0.name == Self.rateName }), let low = rate.low, low > 0,
            let high = rate.high, low < high
        else { return "\(traffic.perDay)" }
        let ends = [min(Self.rounded(low), traffic.perDay), max(Self.rounded(high), traffic.perDay)]
        return "{ value: \(traffic.perDay), between: \(ends[0])..\(ends[1]) }"
    }

    static func text(_ value: Double) -> String { String(format: "%.3g", value) }
}
