import Experiment
import FleetModel
import Testing
import URLFilter

/// The privacy ledger of a run: who could read what, by the run's own counts.
@Suite struct DisclosureTests {
    private typealias Datum = DisclosureResult.Datum

    private static func run(
        _ settings: String = "", reports: String? = nil
    ) async throws -> (records: [ReplicationRecord], count: (Datum, Part) -> Int) {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }\n" + settings)
        // Without a past, so that tokens are ordered in the few minutes of the run.
        let preparation =
            try reports.map {
                try small.prepare("devices[pupils].reports=\($0)", "devices[pupils].count=400")
            } ?? small.prepare("history=0s")
        let outcome = try await Runner.run(preparation, threads: 1)
        let (records, result) = (outcome.records, outcome.result)
        let rows = try #require(result.points.first?.disclosures)
        // The others are no part of a message of the filter.
        let others: [Datum] = [.deviceIdentity, .host, .hashPrefix, .url, .cachedAnswer]
        #expect(rows.map(\.datum) == Datum.allCases.filter { !others.contains($0) })
        return (records, { datum, party in rows.first { $0.datum == datum }?.counts[party] ?? -1 })
    }

    @Test func eachPartyReadsWhatTheProtocolShowsIt() async throws {
        let (records, count) = try await Self.run()
        func requests(_ endpoints: [Endpoint]) -> Int {
            records.reduce(0) { sum, record in
                sum + endpoints.reduce(0) { $0 + (record.urlFilter.endpoints[$1]?.requests ?? 0) }
            }
        }
        // Nothing fails, so every party sees every request that is for it, but for those under way at the end.
        let unfinished = records.reduce(0) {
            $0 + $1.urlFilter.endpoints.values.reduce(0) { $0 + $1.unfinished }
        }
        func agree(_ seen: Int, _ sent: Int) -> Bool { seen > 0 && (sent - unfinished...sent).contains(seen) }
        #expect(agree(count(.clientAddress, .relay), requests(Endpoint.allCases)))
        #expect(agree(count(.sizeAndTime, .gateway), requests(Endpoint.allCases)))
        #expect(agree(count(.userToken, .issuer), requests([.tokenKey, .issue])))
        #expect(agree(count(.userIdentifier, .pir), requests([.config, .key, .queries])))
        #expect(agree(count(.token, .gateway), requests([.config, .key, .queries])))
        let keywords = records.reduce(0) { $0 + $1.urlFilter.lookups.keywords }
        #expect(count(.encryptedKeyword, .pir) > 0 && count(.encryptedKeyword, .pir) <= keywords)
        #expect(count(.shardIndex, .pir) == count(.encryptedKeyword, .pir))
        let fetches = records.reduce(0) {
            $0 + $1.urlFilter.prefilter.downloads + $1.urlFilter.prefilter.unchanged
        }
        #expect(count(.clientAddress, .prefilterOrigin) == fetches)
        // What nobody is to know.
        for party in URLFilterModel.parts {
            #expect(count(.blockedEntry, party) == 0)
            let knowsWho = count(.clientAddress, party) > 0
            #expect(
                !knowsWho
                    || [.token, .userToken, .userIdentifier, .encryptedKeyword].allSatisfy {
                        count($0, party) == 0
                    })
        }
        #expect(count(.userIdentifier, .issuer) == 0 && count(.userToken, .pir) == 0)
    }

    /// A report names what was blocked, to everybody who sees what is inside a sealed request for it.
    @Test func reportsTellTheOperatorWhatWasMet() async throws {
        let (records, count) = try await Self.run(reports: "{ interval: 1h }")
        let sent = records.reduce(0) { $0 + ($1.urlFilter.endpoints[.report]?.requests ?? 0) }
        for party in [Part.gateway, .pir] {
            #expect(count(.blockedEntry, party) > 0 && count(.blockedEntry, party) <= sent)
        }
        for party in [Part.relay, .issuer, .prefilterOrigin] { #expect(count(.blockedEntry, party) == 0) }
    }

    @Test func whatDoesNotArriveIsNotRead() async throws {
        let (_, count) = try await Self.run("faults: [{ kind: outage, service: gateway, at: 10s, for: 40s }]")
        #expect(count(.sizeAndTime, .gateway) < count(.clientAddress, .relay))
        #expect(
            count(.sizeAndTime, .issuer) + count(.sizeAndTime, .pir) <= count(.sizeAndTime, .gateway))
    }
}
