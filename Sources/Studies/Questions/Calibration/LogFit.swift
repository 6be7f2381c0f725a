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
    private(set) var services: [LoggedEndpoint: [Double]] = [:]
    /// Seconds between servers and back, without their work.
    private(set) var ways: [LoggedPlace: Double] = [:]
    package private(set) var values: [Value] = []
    /// Values that the log does not tell, what it would take, and what stands instead.
    package private(set) var notFitted: [String] = []

    static let rateName = "lookups per device and day"
    private static let leastServices = 20
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
                "how devices differ: there is no column 'device' with a pseudonym; all ask alike, and the number of "
                    + "devices is the scenario's \(devices)")
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
                "the shape of a day: the fitted part does not have all 24 hours; the rate is taken to be the same all day"
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

    private mutating func add(
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
        // Times of day and bursts move all devices together.
        if let batches = MeanEstimate(replicationMeans: Self.batches(part.counts)) {
            half = max(half ?? 0, batches.halfWidth / max(batches.mean, 1e-9))
        }
        add(
            Self.rateName, traffic.perDay, "",
            half.map { traffic.perDay * (1 - $0)...traffic.perDay * (1 + $0) }, part.lookups,
            hasNames ? "\(deviceCount) devices seen" : "\(deviceCount) devices, of the scenario")
        guard hasDay else {
            let hours = String(format: "%.1f", part.seconds / 3_600)
            notFitted.append(
                "the shape of a day: the fitted part has \(hours) h, and it takes all 24 hours; the rate is taken to be "
                    + "the same all day")
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
    private static func batches(_ counts: [Int]) -> [Double] {
        // The last interval may be shorter.
        let whole = counts.dropLast()
        let length = whole.count / 10
        guard length > 0 else { return [] }
        return (0..<10).map { batch in
            Double(whole[(batch * length)..<((batch + 1) * length)].reduce(0, +))
        }
    }

    /// The gamma law of the rates, from how many bursts each device had: a negative binomial number.
    private mutating func fitSkew(_ part: LogPart) {
        let bursts = part.devices.devices.values.map { Double($0.bursts) }.sorted()
        guard bursts.count >= Self.leastDevices else {
            notFitted.append(
                "how devices differ: there are \(bursts.count) devices; \(Self.leastDevices - bursts.count) more would do"
                    + "; all ask alike")
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
                "bursts: neighbouring windows of 10 s have \(Int(saturating: part.dispersion.sums)) lookups; it takes 100 or the "
                    + "column 'device'")
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

    private mutating func fitServices(_ part: LogPart) throws(ObservationProblem) {
        for endpoint in LoggedEndpoint.allCases {
            guard let samples = part.served[endpoint] else { continue }
            let needed = endpoint == .queries ? Self.leastServices : DistributionFit.minimumSampleCount
            guard samples.count >= needed else {
                notFitted.append(
                    "the time of '\(endpoint.rawValue)': \(samples.count) found a core free; \(needed - samples.count)"
                        + " more would do; it is the profile's")
                continue
            }
            services[endpoint] = samples.values
            let mean = MeanEstimate(replicationMeans: samples.values)
            let best = DistributionFit.ranked(ThinkFit.families, samples: samples.values.filter { $0 > 0 })
                .first
            add(
                "time of '\(endpoint.rawValue)'", mean?.mean ?? 0, "s", mean?.bounds, samples.count,
                best.map { "drawn from the sample; \($0.family.rawValue): " + Self.words($0, samples.values) }
                    ?? "drawn from the sample")
        }
        guard services[.queries] != nil else {
            let found = part.served[.queries]?.count ?? 0
            throw .tooFew(
                "lookups that found a core of the server free", found: found, needed: Self.leastServices)
        }
    }

    private mutating func fitWays(_ part: LogPart) {
        for (outer, name) in [
            (LoggedPlace.gateway, "gateway and the way to its services"),
            (.relay, "relay and the way to the gateway"),
        ] {
            guard let samples = part.ways[outer], let mean = MeanEstimate(replicationMeans: samples.values),
                samples.count >= DistributionFit.minimumSampleCount
            else {
                notFitted.append(
                    "the delay of \(name): it takes the log of the \(outer.rawValue) too, with "
                        + "\(DistributionFit.minimumSampleCount) requests that met no other; it is the scenario's"
                )
                continue
            }
            ways[outer] = mean.mean
            add(
                "\(name), there and back", mean.mean, "s", mean.bounds, samples.count,
                "mean of the difference")
        }
    }

    /// Distance and p-value; with many samples every law is refused, and the distance tells more.
    private static func words(_ fit: DistributionFit, _ samples: [Double]) -> String {
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

    static func text(_ value: Double) -> String { String(format: "%.3g", value) }
}

/// Why nothing can be fitted to a log, and what to do.
package enum ObservationProblem: InputFault, Equatable, CustomStringConvertible {
    case tooFew(String, found: Int, needed: Int)
    case noDuration
    case tooShort(seconds: Double)
    case tooLong(days: Double)
    /// - Parameter thousands: How many times the unit is a thousand times too large; below 0: too small.
    case unlikelyUnit(median: Double, expected: Double, thousands: Int)
    case bytesAreNoSizes(Double)
    case lookupsNotTold
    case gatewayNeedsBytes
    case notThisArchitecture
    case onlyModelled(String)
    case countersRestart(time: String)
    case mixed

    package var description: String {
        switch self {
        case .tooFew(let what, let found, let needed):
            "the part to be fitted has \(found) \(what); \(needed - found) more would do, from a longer log"
        case .noDuration:
            "column 'duration': the log has none, and no service time can be fitted; log it (nginx $request_time, Apache "
                + "%D), or name it with --column duration=NAME"
        case .tooShort(let seconds):
            "the log covers \(seconds) s; it takes a minute at least"
        case .tooLong(let days):
            "the log covers \(days) days, and 400 are read at most; is a time wrong?"
        case .unlikelyUnit(let median, let expected, let thousands):
            "column 'duration': a lookup that did not wait took \(LogFit.text(median)) s at the server, and the real "
                + "cryptography takes \(LogFit.text(expected)) s on this machine; the unit is wrong, or the column"
                + "; give --duration-unit one that is \(thousands > 0 ? "smaller" : "larger"), by a factor of 1 000"
                + (abs(thousands) > 1 ? " once or twice" : "")
                + ", or name the right column with --column duration=NAME"
        case .bytesAreNoSizes(let median):
            "column 'bytes': half of the answers to lookups have at most \(Int(saturating: median)) bytes, and a PIR answer has "
                + "thousands; name the right column with --column bytes=NAME"
        case .lookupsNotTold:
            "column 'endpoint': there is no request to /queries, /gateway or /relay; name the right column with --column "
                + "endpoint=NAME"
        case .gatewayNeedsBytes:
            "column 'bytes': the log of a gateway tells lookups from other requests by the size of the answer, and has "
                + "none; log it, or give the log of the PIR server"
        case .notThisArchitecture:
            "only the URL filter has lookups to calibrate; leave 'architecture' out"
        case .onlyModelled(let scheme):
            "services.pir.implementation: no server of '\(scheme)' wrote a log, as it is modelled from a paper; leave it "
                + "out, or name the server that did"
        case .countersRestart(let time):
            "fewer than three pages of counters that only grow end at \(time); a server that restarts counts anew, give "
                + "the pages of one run of it"
        case .mixed:
            "pages of Prometheus and access logs are fitted apart; give one kind"
        }
    }
}
