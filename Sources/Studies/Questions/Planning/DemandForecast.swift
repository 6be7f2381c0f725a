import Decoding
package import Experiment
import FleetModel
import Foundation
import RunMetrics
package import Scenarios
import URLFilter

/// Forecast of what a fleet would ask of another design, by closed forms, from a sample that was simulated with one.
///
/// Lookups of listed strings stay as they are, those of stray hits follow the chance that one of a URL's strings hits;
/// tokens follow the lookups. Every request costs what the other design's profile says. Caches, retries and the order
/// of things are as in the sample: a simulation of the other design says what that leaves out.
package struct DemandForecast: Sendable {
    private let demand: FleetDemand
    private let design: FilterDesign
    private let requests: [Endpoint: Double]
    /// Mean bytes that the sample's messages have, by endpoint.
    private let sent: [Endpoint: Double]
    private let received: [Endpoint: Double]
    /// Keywords of a lookup.
    private let keywords: Double
    /// Share of the lookups that found an entry.
    private let listedShare: Double
    /// Share of the URLs that only a stray hit sends to the server.
    private let strayShare: Double
    /// Seconds that a byte takes over the mean device's line, up and down.
    private let line: (up: Double, down: Double)
    /// CPU time of a device over that of the profile's machine.
    private let deviceFactor: Double

    /// - Parameters:
    ///   - demand: Of the sample.
    ///   - point: What the sample did.
    ///   - design: With which it was simulated.
    package init(
        _ demand: FleetDemand, _ point: PointResult, design: FilterDesign, of scenario: Scenario
    ) {
        self.demand = demand
        self.design = design
        func byEndpoint(_ metric: (EndpointMetrics) -> Metric) -> [Endpoint: Double] {
            Dictionary(
                uniqueKeysWithValues: Metric.endpoints.map { ($0.endpoint, point[metric($0)]?.value ?? 0) })
        }
        requests = byEndpoint(\.requests)
        sent = byEndpoint(\.request.mean)
        received = byEndpoint(\.response.mean)
        keywords = point[.keywordsPerLookup]?.value ?? 1
        let (listed, false_) = (point[.answeredListed]?.value ?? 0, point[.answeredFalseHit]?.value ?? 0)
        listedShare = listed + false_ > 0 ? listed / (listed + false_) : 0
        strayShare = max(0, (point[.hits]?.value ?? 0) - (point[.listedURLs]?.value ?? 0))
        let devices = scenario.devices.reduce(0.0) { $0 + Double($1.count) }
        func mean(_ rate: KeyPath<AccessNetwork, Double>) -> Double {
            scenario.devices.reduce(0) { $0 + Double($1.count) / devices / $1.access[keyPath: rate] }
        }
        line = (mean(\.uplink), mean(\.downlink))
        deviceFactor = scenario.behaviour.cpuFactor
    }

    /// Lookups with another chance of stray hits, over those of the sample.
    func lookupRatio(_ stringRate: Double) -> Double {
        guard stringRate != design.stringRate else { return 1 }
        // As if every URL had so many unlisted strings that as many of them hit as did.
        let strings =
            strayShare > 0 && strayShare < 1 && design.stringRate > 0
            ? log1p(-strayShare) / log1p(-design.stringRate) : 1
        func hits(_ rate: Double) -> Double { -expm1(strings * log1p(-min(rate, 1 - 1e-12))) }
        return listedShare + (1 - listedShare) * hits(stringRate) / max(hits(design.stringRate), 1e-300)
    }

    /// The demand of the whole fleet with another design.
    package func callAsFunction(_ other: FilterDesign) -> FleetDemand {
        let ratio = lookupRatio(other.stringRate)
        let asked = requests.merging(changed(by: ratio)) { $1 }
        var forecast = demand
        forecast.regions = demand.regions.map { region in
            var region = region
            region.loads = region.loads.map { load in
                let now = work(of: load.service, requests, design.costs)
                let then = work(of: load.service, asked, other.costs)
                guard now.cpu > 0, now.count > 0, then.count > 0 else { return load }
                return load.scaled(
                    then.cpu / now.cpu, seconds: then.cpu / then.count / (now.cpu / now.count))
            }
            return region
        }
        let (up, down) = (bytes(asked, other.costs), bytes(requests, design.costs))
        forecast.ingressBytesPerDay *= down.sent > 0 ? up.sent / down.sent : 1
        forecast.egressBytesPerDay *= down.received > 0 ? up.received / down.received : 1
        forecast.downloadBytesPerDay *= other.outline.bytesPerDay / max(design.outline.bytesPerDay, 1)
        forecast.lookupsPerDeviceDay *= ratio
        forecast.shards = other.costs.subject.shards
        forecast.databaseBytes = Double(other.costs.subject.allBytes)
        forecast.evaluationKeyBytes = Double(other.costs.evaluationKeyBytes)
        let longer = seconds(other.costs) - seconds(design.costs)
        forecast.percentiles = demand.percentiles.map {
            $0.with(max(0, $0.seconds + longer), high: $0.high.map { max(0, $0 + longer) })
        }
        forecast.days = []
        return forecast
    }

    /// Requests that follow the lookups: the lookups themselves, and the tokens for everything that spends one.
    private func changed(by ratio: Double) -> [Endpoint: Double] {
        let lookups = requests[.queries] ?? 0
        let spent = requests.reduce(0) { $0 + ($1.key.needsToken ? $1.value : 0) }
        let issued = spent > 0 ? 1 + lookups * (ratio - 1) / spent : 1
        return [.queries: lookups * ratio, .issue: (requests[.issue] ?? 0) * issued]
    }

    /// Evaluation keys that come with a lookup instead of before it.
    private var keysInLookups: Double {
        guard let cost = design.costs[.queries], let key = design.costs[.key], key.requestBytes > 0 else {
            return 0
        }
        let rest =
            (sent[.queries] ?? 0) - Double(cost.requestBytes)
            - extra * Double(design.costs.extraKeyword.requestBytes)
        return max(0, rest / Double(key.requestBytes))
    }

    private var extra: Double { max(0, keywords - 1) }

    /// CPU nanoseconds of a service for the sample's requests, and how many of them it answers.
    private func work(
        of service: Part, _ requests: [Endpoint: Double], _ costs: CostProfile
    ) -> (cpu: Double, count: Double) {
        var (cpu, count) = (0.0, 0.0)
        for (endpoint, number) in requests {
            guard let cost = costs[endpoint] ?? costs[.config] else { continue }
            let isLookup = endpoint == .queries
            switch service {
            case .gateway:
                let more = Double(costs.extraKeyword.gatewayOpens + costs.extraKeyword.gatewaySeals)
                cpu += number * (cost.gatewayMean + (isLookup ? extra * more : 0))
                count += number
            case .issuer where endpoint.isAnsweredByIssuer, .pir where !endpoint.isAnsweredByIssuer:
                let more = extra * Double(costs.extraKeyword.serviceAnswers)
                let keys = keysInLookups * (costs[.key]?.serviceAnswers.mean ?? 0)
                cpu += number * (cost.serviceMean + (isLookup ? more + keys : 0))
                count += number
            default: continue
            }
        }
        return (cpu, count)
    }

    /// All bytes of the sample's messages, if they were as long as with these costs.
    private func bytes(
        _ requests: [Endpoint: Double], _ costs: CostProfile
    ) -> (sent: Double, received: Double) {
        var (up, down) = (0.0, 0.0)
        for (endpoint, number) in requests {
            guard let then = costs[endpoint], let now = design.costs[endpoint] else {
                up += number * (sent[endpoint] ?? 0)
                down += number * (received[endpoint] ?? 0)
                continue
            }
            var (longer, more) = (
                Double(then.requestBytes - now.requestBytes), Double(then.responseBytes - now.responseBytes)
            )
            if endpoint == .queries {
                let (old, new) = (design.costs.extraKeyword, costs.extraKeyword)
                longer += extra * Double(new.requestBytes - old.requestBytes)
                more += extra * Double(new.responseBytes - old.responseBytes)
                longer +=
                    keysInLookups
                    * Double((costs[.key]?.requestBytes ?? 0) - (design.costs[.key]?.requestBytes ?? 0))
            }
            up += number * max(0, (sent[endpoint] ?? 0) + longer)
            down += number * max(0, (received[endpoint] ?? 0) + more)
        }
        return (up, down)
    }

    /// Seconds of a lookup that depend on the design: computing, and the bytes on the mean device's line.
    private func seconds(_ costs: CostProfile) -> Double {
        guard let lookup = costs[.queries] else { return 0 }
        let device = (lookup.deviceBegins.mean + lookup.deviceEnds.mean) * deviceFactor
        return Double(nanoseconds: device + lookup.gatewayMean + lookup.serviceMean)
            + Double(lookup.requestBytes) * line.up + Double(lookup.responseBytes) * line.down
    }
}
