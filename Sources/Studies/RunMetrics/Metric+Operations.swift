import EventSimulation
import FleetModel

/// Metrics that every architecture has: time that pages take longer, and what filtering costs.
extension Metric {
    static let operations: [Metric] = [
        pageTime(percentile: 50), pageTime(percentile: 95), pageTime(percentile: 99), handOver,
        operatorCores, operatorPeakCores, operatorMemory, operatorEgress, operatorIngress, deviceBytes,
        deviceCPU, accessRequests,
    ]

    /// The queue of a mechanism's servers. Work beyond what they can do makes a utilization above 1.
    package static let mechanismUtilization = mechanismLoad("mean", \.load)
    package static let mechanismBusiest = mechanismLoad("max", \.peakLoad)

    package static let mechanismInstances = amount("mechanism.instances", "mean", .number) {
        $0.servers.map { Double($0.instances) }
    }

    /// Cores of all instances together.
    package static let mechanismCores = amount("mechanism.cores", "mean", .number) {
        $0.servers.map { Double($0.cores) }
    }

    package static let mechanismWaiting = amount("mechanism.waiting", "mean", .seconds, .lower) {
        $0.servers?.meanWait
    }

    /// Share of the pages through the servers whose wait would have been longer than anybody's patience.
    package static let unserved = share("mechanism.unserved", .lower) {
        $0.servers?.unserved ?? 0
    } of: {
        $0.servers?.pages ?? 0
    }

    /// Hours a day for which a device's tunnel is up, new keys meanwhile, and set-ups.
    package static let tunnelHours = tunnel("tunnel.connected", "hoursPerDay", .neither) {
        $0.connectedSeconds / 3_600
    }
    package static let tunnelRekeys = tunnel("tunnel.rekeys", "perDay", .lower, \.rekeys)
    package static let tunnelSetUps = tunnel("tunnel.setUps", "perDay", .lower) { $0.setUps + $0.handOvers }

    private static func tunnel(
        _ name: String, _ statistic: String, _ better: Direction,
        _ read: @escaping @Sendable (TunnelRecord) -> Double
    ) -> Metric {
        Metric(
            name, statistic, .number, better,
            reading: .value { record, devices in
                let days = Double(devices) * record.observedSeconds / 86_400
                return days > 0 ? record.operations.tunnel.map { read($0) / days } : nil
            })
    }

    static let mechanismServers: [Metric] = [
        mechanismUtilization, mechanismBusiest, mechanismInstances, mechanismCores, mechanismWaiting,
        unserved, tunnelHours, tunnelRekeys, tunnelSetUps,
    ]

    private static func mechanismLoad(
        _ statistic: String, _ load: any KeyPath<ServersRecord, Double> & Sendable
    ) -> Metric {
        Metric(
            "mechanism.utilization", statistic, .share, .lower, support: .amount,
            reading: .value { record, _ in record.servers?[keyPath: load] })
    }

    /// Requests for access by readers of a block page, a day.
    package static let accessRequests = amount("page.accessRequests", "perDay", .number, .lower) { record in
        let days = record.observedSeconds / 86_400
        return days > 0 ? record.operations.accessRequests.map { $0 / days } : nil
    }

    package static let leakedByGrain = count("url.leaked.grain", "count", .lower) { $0.urls.leakedByGrain }

    package static let blockedByGrain = count("url.falselyBlocked.grain", "count", .lower) {
        $0.urls.blockedByGrain
    }

    package static let blockedByWildcard = count("url.falselyBlocked.wildcard", "count", .lower) {
        $0.urls.blockedByWildcard
    }

    /// How much longer pages took because of the filter; of a trace, URLs.
    package static func pageTime(percentile percent: Double) -> Metric {
        let rank = (percent * 1_000).rounded() / 100_000
        return amount("page.added", "p" + PercentileCurve.label(percent), .seconds, .lower) {
            $0.pageTimes.quantile(rank)?.seconds
        }
    }

    package static let handOver = amount("handOver.setUp", "mean", .seconds, .lower) {
        $0.handOverTimes.mean?.seconds
    }

    /// Busy cores of all the operator's servers: over the whole period, and in the busiest interval of the series.
    package static let operatorCores = amount("operator.cores", "mean", .number, .lower) {
        $0.observedSeconds > 0 ? $0.operations.cpuSeconds / $0.observedSeconds : nil
    }

    package static let operatorPeakCores = amount("operator.cores", "max", .number, .lower) {
        $0.operations.peakCores
    }

    package static let operatorMemory = amount("operator.memory", "max", .bytes, .lower) {
        $0.operations.memoryBytes > 0 ? $0.operations.memoryBytes : nil
    }

    package static let operatorEgress = perDay("operator.egress", \.egressBytes)
    package static let operatorIngress = perDay("operator.ingress", \.ingressBytes)

    /// On the line of a device because of the filter.
    package static let deviceBytes = Metric(
        "device.bytes", "perDay", .bytes, .lower,
        reading: .value { record, devices in
            let days = Double(devices) * record.observedSeconds / 86_400
            return days > 0 ? record.operations.deviceBytes / days : nil
        })

    /// CPU time of the device, a day; only where the model has a figure for it.
    package static let deviceCPU = Metric(
        "device.cpu", "perDay", .seconds, .lower,
        reading: .value { record, devices in
            let days = Double(devices) * record.observedSeconds / 86_400
            let seconds = record.operations.deviceCPUSeconds
            return days > 0 && seconds > 0 ? seconds / days : nil
        })

    private static func perDay(
        _ name: String, _ bytes: any KeyPath<OperationsRecord, Double> & Sendable
    ) -> Metric {
        amount(name, "perDay", .bytes, .lower) { record in
            let days = record.observedSeconds / 86_400
            return days > 0 ? record.operations[keyPath: bytes] / days : nil
        }
    }
}
