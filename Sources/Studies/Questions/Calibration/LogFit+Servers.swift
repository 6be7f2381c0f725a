import Statistics
import Workload

/// Times of the servers, and of the ways between them.
extension LogFit {
    mutating func fitServices(_ part: LogPart) throws(ObservationProblem) {
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

    mutating func fitWays(_ part: LogPart) {
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
}
