import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import URLFilter

/// Checks that depend on the generation of the devices that shall work.
extension Patient {
    var rules: GenerationRules { settings.generation.rules }
    /// Judges the configuration that devices of 27.3 fetch by way of Apple's cache, without token and pseudonym.
    mutating func judgePublicConfiguration(_ findings: inout DoctorFindings) async {
        guard rules.configurationCacheDelay != nil else {
            return findings.skip(.publicConfiguration, Self.onlyNewest)
        }
        do {
            let (request, pending) = client.publicConfigRequest()
            _ = try read(await send(.config, request), to: pending)
            findings.pass(.publicConfiguration, "it has the usecase")
        } catch {
            findings.fail(.publicConfiguration, "\(error)")
        }
    }

    /// A lookup of a device whose key the service has not: this one has uploaded none yet.
    mutating func judgeKeyInQuery(_ findings: inout DoctorFindings) async {
        guard rules.queryKeyShare != nil else { return findings.skip(.keyInQuery, Self.onlyNewest) }
        do {
            let (request, pending) = try client.queriesRequestWithKey(
                [Array(TestEntry.validated.utf8)], second: Self.unixSecond, using: &generator)
            let answer = try read(await send(.queries, request), to: pending)
            guard case .present(let present) = answer, present.count == 1 else {
                throw DoctorFault("there is no answer to the keyword")
            }
            findings.pass(.keyInQuery, "\(request.content.count) bytes accepted; declare them to Apple")
        } catch {
            findings.fail(.keyInQuery, "\(error)")
        }
    }

    private static let onlyNewest = "devices before 27.3 do not ask so; --os 27.3 looks"

    func judgeShards(_ findings: inout DoctorFindings) -> Bool {
        let count = client.session.client?.configuration.shards.count ?? 0
        var isAcceptable = true
        if count <= rules.maximumShards {
            findings.pass(.shardCount, "\(count), at most \(rules.maximumShards)")
        } else {
            findings.fail(.shardCount, "there are \(count), at most \(rules.maximumShards) are accepted")
            isAcceptable = false
        }
        if ShardCount.isPowerOfTwo(count) {
            findings.pass(.powerOfTwoShards, "\(count)")
        } else {
            findings.fail(.powerOfTwoShards, "there are \(count)")
            isAcceptable = false
        }
        if !isAcceptable { findings.skipRest("devices do not accept the configuration") }
        return isAcceptable
    }

    /// A prefilter that names what the service does not know makes devices ask, and remember that it is allowed.
    mutating func judgeGeneration(_ findings: inout DoctorFindings) async {
        guard !settings.newEntries.isEmpty else {
            return findings.skip(.generationOrder, "name --new-entries, what the next prefilter has")
        }
        guard !findings.hasFailed(.reloadedData) else {
            return findings.skip(.generationOrder, "the service still has the old data")
        }
        let count = settings.newEntries.count
        switch await missingNewEntries() {
        case .failure(let fault): findings.fail(.generationOrder, "\(fault)")
        case .success(let missing):
            guard let first = missing.first else {
                return findings.pass(.generationOrder, "\(count) of its entries are listed")
            }
            findings.fail(
                .generationOrder,
                "\(missing.count) of \(count) entries are not there yet, such as '\(first)'")
        }
    }

    mutating func missingNewEntries() async -> Result<[String], DoctorFault> {
        do {
            let (request, pending) = try client.queriesRequest(settings.newEntries, using: &generator)
            guard case .present(let present) = try read(await send(.queries, request), to: pending),
                present.count == settings.newEntries.count
            else { throw DoctorFault("there is no answer to each keyword") }
            return .success(
                zip(settings.newEntries, present).filter { !$1 }.map { String(decoding: $0.0, as: UTF8.self) }
            )
        } catch {
            return .failure(DoctorFault("\(error)"))
        }
    }
}
