package import FleetModel
import Scenarios
import URLFilter

/// How often each party could read one kind of datum, over all replications of a point.
///
/// The counts are those of the run; which party can read what in a request follows from the protocol, which the live
/// stack's tests check on the actual bytes.
package struct DisclosureResult: Codable, Equatable, Sendable {
    package typealias Datum = FleetModel.Datum

    package var datum: Datum
    /// Messages, or for shards and keywords the number of those; 0 means never.
    package var counts: [Part: Int]
}

extension ResultBuilder {
    /// `nil` for another architecture than the URL filter.
    func privacy() -> PrivacyLedger? {
        preparation.costs.shardCount.map { PrivacyLedger(preparation.scenario, shards: $0) }
    }

    /// One per datum that some party of the URL filter, or of the mechanism, can read.
    func disclosures() -> [DisclosureResult] {
        guard preparation.scenario.mechanism == nil else { return mechanismDisclosures() }
        return Datum.ofMessages.map { datum in
            var counts = Dictionary(uniqueKeysWithValues: URLFilterModel.parts.map { ($0, 0) })
            for record in records {
                for party in URLFilterModel.parts {
                    counts[party, default: 0] += record.urlFilter.count(datum, at: party)
                }
            }
            return DisclosureResult(datum: datum, counts: counts)
        }
    }

    /// Loads, or messages, of which the servers of a mechanism read something; of fetches the origin of the list.
    private func mechanismDisclosures() -> [DisclosureResult] {
        let parties = Set(records.flatMap(\.operations.readings.keys)).union([.prefilterOrigin])
        return [Datum.clientAddress, .sizeAndTime, .hashPrefix, .host, .url].map { datum in
            var counts = Dictionary(uniqueKeysWithValues: parties.map { ($0, 0) })
            for record in records {
                for (party, data) in record.operations.readings {
                    counts[party, default: 0] += data[datum, default: 0]
                }
                counts[.prefilterOrigin, default: 0] += record.urlFilter.count(datum, at: .prefilterOrigin)
            }
            return DisclosureResult(datum: datum, counts: counts)
        }
    }
}

extension URLFilterRecord {
    fileprivate func count(_ datum: DisclosureResult.Datum, at party: Part) -> Int {
        let readings = readings
        func sum(_ requests: [Endpoint: Int], where isCounted: (Endpoint) -> Bool) -> Int {
            requests.reduce(0) { $0 + (isCounted($1.key) ? $1.value : 0) }
        }
        switch party {
        case .prefilterOrigin:
            let fetches = prefilter.downloads + prefilter.unchanged
            return [.clientAddress, .sizeAndTime, .listEdition].contains(datum) ? fetches : 0
        case .relay:
            let isOutside = datum == .clientAddress || datum == .sizeAndTime
            return isOutside ? sum(readings.relay) { _ in true } : 0
        case .gateway:
            return inside(datum, keywords: readings.gatewayKeywords) { sum(readings.gateway, where: $0) }
        case .issuer:
            return inside(datum, keywords: 0) { isCounted in
                sum(readings.service) { $0.isAnsweredByIssuer && isCounted($0) }
            }
        case .pir:
            return inside(datum, keywords: readings.serviceKeywords) { isCounted in
                sum(readings.service) { !$0.isAnsweredByIssuer && isCounted($0) }
            }
        default: return 0
        }
    }

    /// Counts a datum that stands inside sealed requests.
    private func inside(
        _ datum: DisclosureResult.Datum, keywords: Int, _ sum: ((Endpoint) -> Bool) -> Int
    ) -> Int {
        switch datum {
        case .sizeAndTime: sum { _ in true }
        case .shardIndex, .encryptedKeyword: keywords
        // Keys that lookups bring are not counted.
        default: sum { $0.readable().contains(datum) }
        }
    }
}

extension Datum {
    /// Those that some message of the URL filter has inside or around it.
    fileprivate static let ofMessages = allCases.filter { datum in
        [.clientAddress, .sizeAndTime, .listEdition].contains(datum)
            || Endpoint.allCases.contains { $0.readable(withKey: true).contains(datum) }
    }
}
