import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import URLFilter

/// What depends on the generation of the devices that shall work.
extension Patient {
    var rules: GenerationRules { settings.generation.rules }
    /// What devices of 27.3 fetch by way of Apple's cache, without token and pseudonym.
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
}
