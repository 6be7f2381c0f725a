import Experiment
import FleetModel
import Foundation
import Questions
import Report
import Scenarios
import Wording

/// How many servers, by closed form: the planner of `urlfilter capacity` with rates that are typed.
struct ServersAnswer: Encodable {
    /// Knobs of the page, as a user types them.
    struct Question: Decodable {
        var devices: String
        var lookups: String
        /// CPU time of a lookup at the PIR server and at the gateway.
        var pir: String
        var gateway: String
        /// Busiest five minutes over the mean of the day.
        var peak: String
        /// Time that 99 of 100 lookups do not exceed where nobody waits at a server, and with waits.
        var way: String
        var limit: String
        var regions: String
        var detour: String
        var spare: String
        var survivesRegion: Bool
        var utilization: String
        var prices: String
    }

    struct Service: Encodable {
        var service: String
        var region: String?
        var instances: Int
        var cores: Int
        /// Share of the cores that is busy in the worst situation that has to be survived, and what is allowed.
        var utilization: Double
        var limit: Double
    }

    struct Situation: Encodable {
        var name: String
        var words: String
        var utilization: Double?
        /// Seconds at 99 %; absent where a line only grows.
        var latency: Double?
        var failedShare: Double?
    }

    /// The plan with another number of PIR instances in each region.
    struct Instances: Encodable {
        var instances: Int
        var money: Double
        var healthy: Double?
        var instanceLost: Double?
        var regionLost: Double?
    }

    /// The cheapest plan of a smaller or larger fleet.
    struct Fleet: Encodable {
        var devices: Int
        var money: Double
        var cores: Int
    }

    var sentence: String
    var currency: String
    /// Absent if no machines meet the limit.
    var money: Double?
    var services: [Service] = []
    var situations: [Situation] = []
    var byInstances: [Instances] = []
    var byDevices: [Fleet] = []
    /// Instances of the PIR server in each region with one.
    var chosen: Int?
    var limit: Double

    static let percentile = 0.99
    private static let largest = 200_000_000
    private static let mostRegions = 4

    init(_ question: Question) throws {
        let (rates, rule) = (try Self.rates(question), try Self.rule(question))
        let prices = try Prices.named(question.prices)
        let planner = ServerPlanner(
            FleetDemand(rates), rule: rule, prices: prices, geography: rates.geography, keys: .stored,
            outage: try OutageLaw.usual)
        currency = prices.currency
        limit = rule.shownLimit ?? 0
        guard let plan = planner.plan() else {
            sentence =
                "No servers meet \(Format.milliseconds(limit)) ms: the way alone takes "
                + "\(Format.milliseconds(rates.way)) ms."
            return
        }
        money = plan.total
        services = zip(plan.regions.flatMap(\.machines), plan.fill).map { machines, fill in
            Service(
                service: machines.service.name, region: fill.region, instances: machines.instances,
                cores: machines.coresPerInstance, utilization: fill.utilization, limit: fill.limit)
        }
        situations = plan.states.map {
            Situation(
                name: $0.situation.rawValue, words: $0.situation.words, utilization: $0.utilization,
                latency: $0.latency, failedShare: $0.failedShare)
        }
        chosen = plan.regions.compactMap { $0[.pir]?.instances }.max()
        byInstances = Self.byInstances(planner, plan)
        byDevices = Self.byDevices(planner)
        sentence = Self.sentence(plan, prices, rates.devices)
    }

    static func rates(_ question: Question) throws -> FleetDemand.Rates {
        var rates = FleetDemand.Rates(
            devices: try Knob.count(question.devices, "devices", in: 1...largest),
            lookupsPerDeviceDay: try Knob.number(
                question.lookups, "lookups a day", in: 1e-6...1e6, like: "25"),
            peakOverMean: try Knob.number(question.peak, "busiest time", in: 1...100, like: "3"),
            percentile: percentile, way: try Knob.seconds(question.way, "without waits", in: 0...60))
        rates.pirSeconds = try Knob.seconds(question.pir, "CPU of the PIR server", in: 0...600)
        rates.gatewaySeconds = try Knob.seconds(question.gateway, "CPU of the gateway", in: 0...60)
        rates.issuerSeconds = rates.gatewaySeconds
        rates.regions = try Knob.count(question.regions, "regions", in: 1...mostRegions)
        rates.detour = try Knob.seconds(question.detour, "detour", in: 0...10)
        return rates
    }

    static func rule(_ question: Question) throws -> PlanRule {
        PlanRule(
            latencies: [
                PlanRule.Latency(
                    percentile: percentile, limit: try Knob.seconds(question.limit, "limit", in: 0.001...600))
            ],
            targetUtilization: try Knob.number(
                question.utilization, "busy cores", in: 0.01...0.99, like: "60%"),
            spareInstances: try Knob.count(question.spare, "spare instances", in: 0...10),
            survivesRegion: question.survivesRegion)
    }

    private static func byInstances(_ planner: ServerPlanner, _ plan: ServerPlan) -> [Instances] {
        let now = plan.regions.compactMap { $0[.pir]?.instances }.max() ?? 1
        let step = max(1, now / 8)
        let counts = Set(
            stride(from: max(1, now - 8 * step), through: now + 6 * step, by: step).map { $0 } + [now])
        return counts.sorted().map { count in
            var changed = plan
            for region in changed.regions.indices {
                for machine in changed.regions[region].machines.indices
                where changed.regions[region].machines[machine].service == .pir {
                    changed.regions[region].machines[machine].instances = count
                }
            }
            let described = planner.describe(changed)
            return Instances(
                instances: count, money: described.total, healthy: described[.healthy]?.latency,
                instanceLost: described[.instanceLost]?.latency,
                regionLost: described[.regionLost]?.latency)
        }
    }

    private static func byDevices(_ planner: ServerPlanner) -> [Fleet] {
        [0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8].compactMap { factor in
            var other = planner
            other.demand = planner.demand.scaled(traffic: factor, devices: factor)
            return other.plan().map {
                Fleet(devices: other.demand.devices, money: $0.total, cores: $0.cores)
            }
        }
    }

    private static func sentence(_ plan: ServerPlan, _ prices: Prices, _ devices: Int) -> String {
        let pir = plan.regions.compactMap { $0[.pir] }
        let instances = pir.reduce(0) { $0 + $1.instances }
        let cores = Set(pir.map(\.coresPerInstance)).sorted().map(String.init).joined(separator: " or ")
        let places = plan.regions.count > 1 ? " in \(plan.regions.count) regions" : ""
        return "\(Format.count(instances, "PIR server")) of \(cores) cores\(places) for "
            + "\(Format.count(devices, "device")): \(prices.currency) \(Format.number(plan.total)) a month."
    }
}
