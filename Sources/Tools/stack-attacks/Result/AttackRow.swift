/// Cost of an honest client to the server: the measure of what an attacker costs.
struct HonestCost: Codable, Sendable {
    /// CPU seconds of a lookup, relay and gateway included.
    var lookupCPU: Double
    var lookupByteCount: Int
    /// CPU seconds for the set-up of a device.
    var setUpCPU: Double

    /// CPU seconds of what honest clients did during an attack.
    func cpu(of record: HonestRecord) -> Double {
        Double(record.lookups) * lookupCPU + Double(record.newcomers) * setUpCPU
    }
}

/// How one attack went.
struct AttackRow: Codable, Sendable {
    var name: String
    var summary: String
    var limits: AttackLimits
    var tried: Int
    var sentByteCount: Int
    /// Statuses of the answers, or words where there was none, and how often.
    var answers: [String: Int]
    /// CPU seconds of the server that honest work does not explain; nil when the server is gone.
    var cpu: Double?
    /// The same per request or byte, as a multiple of the honest one; nil where nothing is counted.
    var costRatio: Double?
    var peakByteCount: Int?
    var honest: HonestRecord
    var healthAsked: Int
    var healthFailed: Int
    var healthSlowestSeconds: Double
    /// Sentences that explain the numbers.
    var notes: [String]
    /// Why the attack has not been withstood; empty if it has.
    var failures: [String] = []

    var passed: Bool { failures.isEmpty }

    /// - Parameter cpu: CPU seconds of the server during the attack; nil when it is gone.
    init(
        _ attack: Attack, _ log: AttackLog.State, cpu: Double?, peakByteCount: Int?, cost: HonestCost,
        honest: HonestRecord, health: HealthWatch.Reading
    ) {
        name = attack.name
        summary = attack.summary
        limits = attack.limits
        tried = log.tried
        sentByteCount = log.sentByteCount
        answers = log.answers
        self.cpu = cpu.map { max(0, $0 - cost.cpu(of: honest)) }
        self.peakByteCount = peakByteCount
        self.honest = honest
        healthAsked = health.asked
        healthFailed = health.failed
        healthSlowestSeconds = health.slowestSeconds
        notes = log.notes
        costRatio = ratio(to: cost)
        failures = log.problems + judgements
    }

    private func ratio(to cost: HonestCost) -> Double? {
        guard let cpu, cost.lookupCPU > 0 else { return nil }
        return switch limits.cost {
        case .perRequest where tried > 0: cpu / Double(tried) / cost.lookupCPU
        case .perByte where sentByteCount > 0:
            cpu / Double(sentByteCount) / (cost.lookupCPU / Double(max(1, cost.lookupByteCount)))
        default: nil
        }
    }

    /// Failures to keep the limits. No data is one too: an attack of which nothing is known has not been withstood.
    private var judgements: [String] {
        var failures: [String] = []
        func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
            if !holds { failures.append(sentence()) }
        }
        require(tried > 0, "nothing was tried")
        if let limit = limits.cost?.limit {
            require(
                costRatio.map { $0 <= limit } ?? false,
                costRatio.map { "cost \(Text.ratio($0)) > \(Text.ratio(limit))" } ?? "the cost is not known")
        }
        require(
            peakByteCount.map { $0 <= limits.memoryByteCount } ?? false,
            peakByteCount.map { "memory \(Text.bytes($0)) > \(Text.bytes(limits.memoryByteCount))" }
                ?? "the memory is not known")
        require(
            honest.percentile99.map { $0 < limits.latencySeconds } ?? false,
            honest.percentile99.map { "p99 \(Text.seconds($0)) >= \(Text.seconds(limits.latencySeconds))" }
                ?? "no honest lookup was made")
        require(
            honest.tried > 0 && honest.failureShare < limits.failureShare,
            "\(honest.failed) of \(honest.tried) honest failed (\(Text.counts(honest.causes)))")
        require(honest.wrongVerdicts == 0, "\(honest.wrongVerdicts) wrong verdicts")
        require(
            healthAsked > 0 && healthFailed == 0,
            "\(healthFailed) of \(healthAsked) /health not answered in \(Text.seconds(limits.healthSeconds))")
        return failures
    }
}

extension AttackLimits.Cost {
    var limit: Double {
        switch self {
        case .perRequest(let limit), .perByte(let limit): limit
        }
    }
}
