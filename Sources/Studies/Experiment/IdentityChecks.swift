import EventSimulation
import FleetModel
import Foundation
import URLFilter

/// Equations that hold in every replication, whatever it simulates: what came must have gone somewhere.
///
/// A violation is a bug of the simulator, never a property of the scenario, and makes the program end with
/// exit code 1.
struct IdentityChecks {
    private(set) var results: [IdentityResult] = []
    private(set) var warnings: [PointResult.Warning] = []

    /// Relative difference up to which two sums of the same times are equal.
    private static let tolerance = 1e-6

    init(_ records: [ReplicationRecord]) {
        checkVerdicts(records)
        checkRequests(records)
        checkStations(records)
        check(.conservation, "conservation by resource", "arrived = left + lost + still there", records)
        check(
            .littlesLaw, "Little's law by resource", "number present over time = sum of the times spent",
            records)
        check(
            .utilization, "utilization law by resource", "busy time = sum of the services received", records)
    }

    private mutating func checkVerdicts(_ records: [ReplicationRecord]) {
        check("URL checks", "checked = verdicts + unfinished", .urlsNotConserved, records) { record in
            let urls = record.urls
            return [
                ("URL checks", Double(urls.checked), Double(urls.verdicts + urls.unfinished))
            ]
        }
        check(
            "verdicts by the policy", "allowed and blocked by policy = causes", .verdictsNotConserved,
            records
        ) { record in
            let urls = record.urls
            return [
                (
                    "verdicts by the policy", Double(urls.allowedByPolicy + urls.blockedByPolicy),
                    Double(urls.policyCauses.values.reduce(0, +))
                )
            ]
        }
        check("harms", "leaked and wrongly blocked = causes", .harmsNotConserved, records) { record in
            Harm.allCases.map { harm in
                (
                    harm.rawValue, Double(record.count(harm)),
                    Double(record.origins(of: harm).values.reduce(0, +))
                )
            }
        }
    }

    private mutating func checkRequests(_ records: [ReplicationRecord]) {
        check("lookups", "sent = answered + failed + unfinished", .lookupsNotConserved, records) { record in
            let lookups = record.urlFilter.lookups
            let ended = lookups.answered + lookups.failed.values.reduce(0, +) + lookups.unfinished
            return [("lookups", Double(lookups.sent), Double(ended))]
        }
        check(
            "requests by endpoint", "sent = succeeded + failed + unfinished", .requestsNotConserved, records
        ) { record in
            Endpoint.allCases.compactMap { endpoint in
                record.urlFilter.endpoints[endpoint].map { traffic in
                    let ended = traffic.succeeded + traffic.failures + traffic.unfinished
                    return ("\(endpoint.rawValue) requests", Double(traffic.requests), Double(ended))
                }
            }
        }
    }

    private mutating func checkStations(_ records: [ReplicationRecord]) {
        check(
            "requests by station", "present + arrived = completed + rejected + dropped + still present",
            .stationsNotConserved, records
        ) { record in
            URLFilterModel.stations.compactMap { part in
                record.stations[part].map { station in
                    let left = station.completions + station.rejections + station.dropped + station.present
                    return (part.name, Double(station.presentAtStart + station.arrivals), Double(left))
                }
            }
        }
        check(
            "work by station", "busy server time = utilization x server time", .stationsNotConserved,
            records
        ) { record in
            URLFilterModel.stations.compactMap { part in
                record.stations[part].map { station in
                    let share = station.utilization * station.availableSeconds
                    return (part.name, station.busySeconds, share)
                }
            }
        }
    }

    /// A law that the resources checked themselves, exactly and over the whole replication.
    private mutating func check(
        _ identity: IdentityCheck.Identity, _ name: String, _ formula: String, _ records: [ReplicationRecord]
    ) {
        var result = IdentityResult(name: name, formula: formula, checks: 0, violations: 0)
        for record in records {
            for resource in record.resourceChecks where resource.check.identity == identity {
                result.checks += 1
                if resource.check.holds { continue }
                result.violations += 1
                guard result.violations == 1 else { continue }
                warnings.append(
                    .init(
                        code: .resourcesNotConserved,
                        message: "replication \(record.replication), \(resource);"
                            + " this is a bug of the simulator"))
            }
        }
        results.append(result)
    }

    /// - Parameter sides: What to compare in a record, with a name for each pair.
    private mutating func check(
        _ name: String, _ formula: String, _ code: WarningCode, _ records: [ReplicationRecord],
        sides: (ReplicationRecord) -> [(what: String, left: Double, right: Double)]
    ) {
        var result = IdentityResult(name: name, formula: formula, checks: 0, violations: 0)
        for record in records {
            for side in sides(record) {
                result.checks += 1
                let scale = max(side.left.magnitude, side.right.magnitude)
                if (side.left - side.right).magnitude <= Self.tolerance * scale { continue }
                result.violations += 1
                // One example says enough.
                guard result.violations == 1 else { continue }
                warnings.append(
                    .init(
                        code: code,
                        message: "replication \(record.replication), \(side.what): \(formula) does not hold,"
                            + " \(Self.text(side.left)) is not \(Self.text(side.right));"
                            + " this is a bug of the simulator"))
            }
        }
        results.append(result)
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    }
}

extension URLCounts {
    /// URL checks that ended with a verdict.
    fileprivate var verdicts: Int {
        allowedByPrefilter + allowedByServer + blockedByServer + allowedByPolicy + blockedByPolicy
            + (blockedByDevice ?? 0) + (notAsked?.count ?? 0)
    }
}
