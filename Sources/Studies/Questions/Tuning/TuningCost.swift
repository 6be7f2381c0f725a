import Decoding
import Experiment
package import FleetModel
import Foundation
package import Scenarios
import URLFilter

/// Payments of the operator per month, as a function of a prefilter's size and of the lookups it causes.
package struct TuningCost: Codable, Equatable, Sendable {
    /// Work of the operator's machines for one keyword: gateway, PIR server, and the token it is paid with.
    package struct Work: Codable, Equatable, Sendable {
        /// Core-seconds of each service.
        package var gateway: Double
        package var issuer: Double
        package var pir: Double
        /// Requests, and responses.
        package var ingressBytes: Double
        package var egressBytes: Double

        package var coreSeconds: Double { gateway + issuer + pir }
        package var bytes: Double { ingressBytes + egressBytes }
    }

    package struct Lookup: Codable, Equatable, Sendable {
        /// The work for a lookup of one keyword, its token included.
        package var first: Work
        /// The same for each keyword of a lookup after the first.
        package var extra: Work

        package init(_ profile: CostProfile) throws {
            func cost(_ endpoint: Endpoint) throws -> EndpointCost {
                guard let cost = profile[endpoint] else {
                    throw CostProfileError.missingEndpoint(endpoint.rawValue)
                }
                return cost
            }
            let queries = try cost(.queries), issue = try cost(.issue)
            first = Work(
                gateway: Double(nanoseconds: queries.gatewayMean + issue.gatewayMean),
                issuer: Double(nanoseconds: issue.serviceMean),
                pir: Double(nanoseconds: queries.serviceMean),
                ingressBytes: Double(queries.requestBytes + issue.requestBytes),
                egressBytes: Double(queries.responseBytes + issue.responseBytes))
            let more = profile.extraKeyword
            extra = Work(
                gateway: Double(nanoseconds: more.gatewayOpens + more.gatewaySeals), issuer: 0,
                pir: Double(nanoseconds: more.serviceAnswers), ingressBytes: Double(more.requestBytes),
                egressBytes: Double(more.responseBytes))
        }
    }

    /// The servers that lookups need.
    package struct Servers: Codable, Equatable, Sendable {
        package var coresPerInstance: Int
        /// The PIR database, and one device's evaluation key.
        package var databaseBytes: Double
        package var evaluationKeyBytes: Double
        /// The place of evaluation keys.
        package var keys: KeyPlace

        package init(coresPerInstance: Int, keys: KeyPlace = .stored, _ profile: CostProfile) {
            self.coresPerInstance = coresPerInstance
            self.keys = keys
            databaseBytes = Double(profile.subject.allBytes)
            evaluationKeyBytes = Double(profile.evaluationKeyBytes)
        }
    }

    /// Effect of a lookup on the person in front of the device.
    package struct Waiting: Codable, Equatable, Sendable {
        /// Seconds from question to answer.
        package var answerTime: Double
        /// Share of the URLs that a page waits for.
        package var pageShare: Double
        /// Share of the lookups that get no answer in time; a filter that fails closed breaks a page then.
        package var unansweredShare: Double

        package init(answerTime: Double, pageShare: Double, unansweredShare: Double) {
            self.answerTime = answerTime
            self.pageShare = pageShare
            self.unansweredShare = unansweredShare
        }
    }

    package enum Basis: String, Codable, Sendable {
        /// Servers that have to stand there for the busiest hour.
        case provisioned
        /// Busy core-seconds at the price of bought ones, and one download a day, as this program counted before.
        case meanCoreSeconds
    }

    package var basis = Basis.provisioned
    package var devices: Int
    /// Lookups of the mean day over those of a day of the trace: a month is thirty of the mean day.
    package var meanDay = 1.0
    package var editions: EditionPlan
    package var prices: Prices
    package var lookup: Lookup
    package var servers: Servers
    package var waiting: Waiting

    package init(
        devices: Int, editions: EditionPlan, prices: Prices, lookup: Lookup, servers: Servers,
        waiting: Waiting
    ) {
        self.devices = devices
        self.editions = editions
        self.prices = prices
        self.lookup = lookup
        self.servers = servers
        self.waiting = waiting
    }

    /// Lookups and further keywords of one device.
    package struct Demand: Equatable, Sendable {
        /// A day.
        package var lookups: Double
        /// Lookups about URLs that are not listed, among ``lookups``.
        package var strayLookups: Double
        /// Keywords after the first, a day.
        package var extraKeywords: Double
        /// A second of the busiest hour.
        package var busiestLookups: Double

        package init(
            lookups: Double, strayLookups: Double, extraKeywords: Double, busiestLookups: Double
        ) {
            self.lookups = lookups
            self.strayLookups = strayLookups
            self.extraKeywords = extraKeywords
            self.busiestLookups = busiestLookups
        }
    }

    /// Demand of the fleet in a day.
    package struct PerDay: Codable, Equatable, Sendable {
        package var downloadBytes: Double
        package var lookups: Double
        package var coreSeconds: Double
        /// Cores that are busy in the busiest hour.
        package var peakCores: Double
        package var ingressBytes: Double
        package var egressBytes: Double
        package var harm: MonthlyCost.Harm
    }
}

extension TuningCost {
    /// - Parameters:
    ///   - byteCount: Of the prefilter.
    ///   - listedVisits: Visits to listed URLs, per device and day.
    package func perDay(byteCount: Double, listedVisits: Double, _ demand: Demand) -> PerDay {
        let fleet = Double(devices)
        func sum(_ part: (Work) -> Double) -> Double {
            fleet * (demand.lookups * part(lookup.first) + demand.extraKeywords * part(lookup.extra))
        }
        let downloads = basis == .provisioned ? editions.downloadsPerDay : 1
        return PerDay(
            downloadBytes: fleet
                * (downloads * byteCount + editions.unchangedPerDay * EditionPlan.unchangedBytes),
            lookups: fleet * demand.lookups, coreSeconds: sum(\.coreSeconds),
            peakCores: sum(\.coreSeconds) * busiestOverMean(demand) / 86_400,
            ingressBytes: sum(\.ingressBytes), egressBytes: sum(\.egressBytes),
            harm: .init(
                waitedSecondsPerDay: fleet * demand.lookups * waiting.answerTime * waiting.pageShare,
                brokenPagesPerDay: fleet * demand.strayLookups * waiting.unansweredShare,
                exposedVisitsPerDay: fleet * editions.exposedShare * listedVisits))
    }

    package func month(_ perDay: PerDay, _ demand: Demand) -> MonthlyCost {
        var cost = MonthlyCost(
            [
                RegionResources(
                    machines: machines(demand), egressBytesPerDay: perDay.egressBytes * meanDay,
                    ingressBytesPerDay: perDay.ingressBytes * meanDay,
                    downloadBytesPerDay: perDay.downloadBytes,
                    storageBytes: basis == .provisioned ? stock.storage(keyBytes: stock.keyBytes) : 0)
            ],
            harm: perDay.harm * meanDay, prices: prices)
        if basis == .meanCoreSeconds {
            let hours = perDay.coreSeconds * meanDay / 3600 * Prices.daysPerMonth
            cost.rows.append(.init(item: .cores, amount: hours, price: prices.rates.coreHour))
        }
        return cost
    }

    /// Core-seconds of a first keyword, and of one after it, by service.
    var services: [(part: Part, work: (Work) -> Double)] {
        [(.gateway, \.gateway), (.issuer, \.issuer), (.pir, \.pir)]
    }

    /// Servers that have to stand there.
    func machines(_ demand: Demand) -> [Machines] {
        guard basis == .provisioned else { return [] }
        let scale = Double(devices) * busiestOverMean(demand) / 86_400
        return Machines.ofURLFilter(
            services.map { part, work in
                let seconds = demand.lookups * work(lookup.first) + demand.extraKeywords * work(lookup.extra)
                return (part, scale * seconds, servers.coresPerInstance)
            }, stock: stock, prices: prices)
    }

    private var stock: PIRStock {
        PIRStock(
            databaseBytes: servers.databaseBytes,
            keyBytes: Double(devices) * servers.evaluationKeyBytes, place: servers.keys)
    }

    private func busiestOverMean(_ demand: Demand) -> Double {
        demand.lookups > 0 ? demand.busiestLookups * 86_400 / demand.lookups : 0
    }
}
