import Statistics
import URLFilter

extension ReplayPoint {
    static let probabilities = [0.5, 0.9, 0.95, 0.99, 0.999]

    init(_ pace: ReplayPace, of state: ReplayRecorder.State) {
        let loads = state.loads.filter { $0.offset >= pace.measuredFrom }
        let exchanges = state.exchanges.filter { $0.offset >= pace.measuredFrom }
        let last = loads.map(\.offset).max() ?? pace.measuredFrom
        self.init(ramp: pace.ramp, warmUp: pace.warmUp, duration: last - pace.measuredFrom)
        switch pace.arrivals {
        case .rate(let rate): self.rate = rate
        case .trace(let speed): self.speed = speed
        }
        count(loads)
        policyCauses = state.causes
        wrongExamples = state.wrongExamples
        endpoints = Self.endpoints(of: exchanges)
        for failure in exchanges.compactMap(\.failure) { errors[failure, default: 0] += 1 }
        errorSentences = state.sentences
        lateness = Self.quantiles(of: loads.map(\.lateness), [0.99]).first
        seconds = Self.seconds(state)
    }

    private mutating func count(_ loads: [ReplayRecorder.LoadSample]) {
        self.loads = loads.count
        var asked: [Double] = []
        var answered = 0
        for load in loads {
            verdicts[load.verdict.rawValue, default: 0] += 1
            if load.source?.isCache == true { answeredByCache += 1 }
            if load.isWrong { wrongVerdicts += 1 }
            if load.verdict == .allowedByPolicy, load.isListed { leakedByPolicy += 1 }
            if load.verdict == .blockedByPolicy, !load.isListed { blockedByPolicyOnly += 1 }
            guard load.source == nil || load.source == .policy else { continue }
            lookups += 1
            asked.append(load.latency)
            if !load.isPolicy { answered += 1 }
        }
        latency = Self.quantiles(of: asked, Self.probabilities)
        if duration > 0 {
            offeredRate = Double(loads.count) / duration
            answeredRate = Double(answered) / duration
        }
    }

    static func quantiles(of samples: [Double], _ probabilities: [Double]) -> [Quantile] {
        let sorted = samples.sorted()
        return probabilities.compactMap { probability in
            guard let value = Percentile.nearestRank(probability, sorted: sorted) else { return nil }
            let bounds = QuantileEstimate(sorted: sorted, probability: probability)?.bounds
            return Quantile(
                probability: probability, seconds: value, low: bounds?.lowerBound, high: bounds?.upperBound)
        }
    }

    /// Endpoints in the order of the protocol; those that were not called are left out.
    static func endpoints(of exchanges: [ReplayRecorder.ExchangeSample]) -> [Endpoint] {
        URLFilter.Endpoint.allCases.compactMap { step in
            let all = exchanges.filter { $0.step == step }
            let good = all.filter { $0.failure == nil }
            guard !all.isEmpty else { return nil }
            return Endpoint(
                name: step.rawValue, count: all.count, failed: all.count - good.count,
                latency: quantiles(of: good.map(\.seconds), [0.5, 0.99]),
                sent: Sizes(all.map(\.sentBytes)), received: Sizes(good.map(\.receivedBytes)))
        }
    }

    private static func seconds(_ state: ReplayRecorder.State) -> [Second] {
        var table: [Int: Second] = [:]
        func update(_ offset: Double, _ body: (inout Second) -> Void) {
            let number = max(0, Int(offset))
            body(&table[number, default: Second(second: number)])
        }
        for load in state.loads {
            update(load.offset) { second in
                second.loads += 1
                if load.isWrong { second.wrong += 1 }
                if load.isPolicy {
                    second.byPolicy += 1
                } else if load.source != nil {
                    second.local += 1
                } else {
                    second.byServer += 1
                }
                if load.source == nil { second.slowest = max(second.slowest, load.latency) }
            }
        }
        for exchange in state.exchanges {
            update(exchange.offset) { second in
                second.exchanges += 1
                if exchange.failure != nil { second.failedExchanges += 1 }
            }
        }
        return table.values.sorted { $0.second < $1.second }
    }
}

extension ReplayPoint.Sizes {
    init(_ sizes: [Int]) {
        let sorted = sizes.sorted().map(Double.init)
        p50 = Int(Percentile.nearestRank(0.5, sorted: sorted) ?? 0)
        p99 = Int(Percentile.nearestRank(0.99, sorted: sorted) ?? 0)
        max = Int(sorted.last ?? 0)
        total = sizes.reduce(0, +)
    }
}
