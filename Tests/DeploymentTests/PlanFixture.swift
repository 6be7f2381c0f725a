import Deployment
import Foundation
import Questions

/// A plan of two regions, as `capacity --output` writes it: 8 PIR servers of 4 cores in the first, 5 in the second.
enum PlanFixture {
    static func json(scenario: String, regions: [String], hasServers: Bool = true) throws -> Data {
        let instances = [8, 5]
        var point: [String: Any] = [
            "settings": [String: String](), "demand": demand(regions), "objectives": [String](),
            "isUndominated": true, "isForecast": false,
        ]
        if hasServers {
            let amounts: [(String, Double)] = [
                ("egress", 1_500), ("ingress", 2_000), ("download", 9_000), ("storage", 700),
            ]
            let cost = regions.flatMap { region -> [[String: Any]] in
                amounts.map { ["item": $0.0, "region": region, "amount": $0.1, "price": 0.01] }
            }
            point["plan"] = [
                "regions": zip(regions, instances).map { name, count in
                    ["name": name, "machines": machines(pir: count)] as [String: Any]
                }, "unserved": [String: String](), "shards": 4, "cost": ["rows": cost], "states": [String](),
                "fill": regions.flatMap(fill),
            ]
        }
        var document: [String: Any] = [
            "schema": "urlfilter.server-plan/1", "scenario": scenario, "devices": 2_000_000,
            "rule": [
                "latencies": [["percentile": 0.99, "limit": 0.8]], "targetUtilization": 0.6,
                "spareInstances": 1, "survivesRegion": true, "lostRegionUtilization": 0.9,
                "coresPerInstance": [2, 4, 8], "waitFactor": 1,
            ], "prices": prices, "points": [point], "checks": [String](), "unplanned": [String](),
        ]
        if hasServers { document["best"] = 0 }
        return try JSONSerialization.data(withJSONObject: document)
    }

    static func plan(
        scenario: String = "two regions", regions: [String] = ["Europe", "North America"]
    ) throws -> DeployedPlan {
        let data = try json(scenario: scenario, regions: regions)
        return try DeployedPlan(JSONDecoder().decode(ServerPlanResult.self, from: data), scenario: nil)
    }

    private static var prices: [String: Any] {
        [
            "currency": "USD",
            "rates": [
                "coreHour": 0.03, "memoryGigabyteMonth": 3, "egressGigabyte": 0.07, "ingressGigabyte": 0,
                "downloadGigabyte": 0.04, "storageGigabyteMonth": 0.02,
            ],
            "regions": [String: String](), "targetUtilization": 0.6, "spareInstances": 1, "waitedSecond": 0,
            "brokenPage": 0, "exposedVisit": 0, "sources": [String: String](),
        ]
    }

    private static func machines(pir: Int) -> [[String: Any]] {
        [machines("gateway", 3, 2, 0), machines("issuer", 2, 2, 0), machines("pir", pir, 4, 400e6)]
    }

    private static func machines(
        _ service: String, _ instances: Int, _ cores: Int, _ memory: Double
    ) -> [String: Any] {
        [
            "service": service, "instances": instances, "coresPerInstance": cores,
            "memoryPerInstance": memory,
        ]
    }

    private static func fill(_ region: String) -> [[String: Any]] {
        [fill(region, "gateway", 2), fill(region, "issuer", 0.5), fill(region, "pir", 12)]
    }

    private static func fill(_ region: String, _ service: String, _ peak: Double) -> [String: Any] {
        [
            "region": region, "service": service, "peakCores": peak, "peakLow": 0.9 * peak,
            "peakHigh": 1.1 * peak, "utilization": 0.5, "limit": 0.6,
        ]
    }

    /// Half as busy on average as at the peak, and a tenth in the quietest interval.
    private static func load(_ service: String, _ peak: Double, _ seconds: Double) -> [String: Any] {
        [
            "service": service, "meanCores": peak / 2, "peakCores": peak, "peakLow": 0.9 * peak,
            "peakHigh": 1.1 * peak, "series": [peak / 10, peak / 2, peak], "serviceSeconds": seconds,
        ]
    }

    private static func demand(_ regions: [String]) -> [String: Any] {
        let loads = [load("gateway", 2, 0.000_5), load("issuer", 0.5, 0.001), load("pir", 12, 0.02)]
        let homes = zip(regions, [0.6, 0.4]).map { name, share -> [String: Any] in
            ["name": name, "loads": loads, "share": share]
        }
        return [
            "devices": 2_000_000, "sample": 500, "replications": 5, "interval": 300, "seriesStart": 0,
            "regions": homes, "percentiles": [["percentile": 0.99, "seconds": 0.4]],
            "lookupsPerDeviceDay": 4, "egressBytesPerDay": 9e10, "ingressBytesPerDay": 6.912e12,
            "downloadBytesPerDay": 4e12, "shards": 4, "databaseBytes": 200e6, "evaluationKeyBytes": 600e3,
            "days": [String](),
        ]
    }
}
