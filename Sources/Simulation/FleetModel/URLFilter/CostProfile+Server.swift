import Decoding
import URLFilter

extension CostProfile {
    /// This machine's costs with another server: work and memory of PIR server and issuer times the ratios, and what is
    /// added to them. Gateway and devices are what they were.
    ///
    /// - Returns: `nil` if the server parses keys at every query and this profile does not have what that takes.
    package func served(by server: ServerDescription) -> CostProfile? {
        let parsing = server.keyParsing.flatMap { $0.at == .atEveryQuery ? $0.cpu?.value : nil }
        guard var profile = parsing == nil ? self : uploadingBytes else { return nil }
        for endpoint in Endpoint.allCases {
            let ratio = server[endpoint].value
            profile.endpoints[endpoint.rawValue]?.serviceAnswers.scale(by: ratio)
            // The ratios are of what a request takes at the port.
            profile.endpoints[endpoint.rawValue]?.servicePort?.scale(by: ratio)
        }
        profile.extraKeyword.serviceAnswers = Int64(
            saturating: (Double(extraKeyword.serviceAnswers) * server[.queries].value).rounded())
        if let parsing { profile.parseKeysAtEveryQuery(times: parsing) }
        if let seconds = server.requestLog?.seconds?.value { profile.logEveryRequest(seconds: seconds) }
        // A file may say anything; a petabyte is as much as too much.
        profile.evaluationKeyBytes = Int(
            saturating:
                min(Double(profile.evaluationKeyBytes) * server.evaluationKeyBytes.value, 1e15).rounded())
        guard !server.isOurs else { return profile }
        // How one by one goes needs no share, and of groups of others nothing is known: nothing is saved.
        profile.followerShare = server.followerShare ?? 1
        profile.server = ServerIdentity(
            name: server.name, version: server.version, obtained: server.obtained,
            lookupRatio: server[.queries])
        return profile
    }

    /// The same with keys that are kept as they came.
    private var uploadingBytes: CostProfile? {
        guard let bytes = keysAsBytes else { return nil }
        var profile = self
        profile.evaluationKeyBytes = bytes.evaluationKeyBytes
        profile.endpoints[Endpoint.key.rawValue]?.serviceAnswers = bytes.upload
        return profile
    }

    private mutating func parseKeysAtEveryQuery(times ratio: Double) {
        guard let parsing = keysAsBytes?.lookup.samples, let queries = self[.queries] else { return }
        // Both are sorted: pairs of them would put the slow ones together.
        endpoints[Endpoint.queries.rawValue]?.serviceAnswers = StageCost(
            samples: queries.serviceAnswers.samples.flatMap { lookup in
                parsing.map { lookup + Int64(saturating: (Double($0) * ratio).rounded()) }
            })
    }

    private mutating func logEveryRequest(seconds: Double) {
        let added = Int64.seconds(rounding: seconds)
        for name in endpoints.keys { endpoints[name]?.serviceAnswers.add(added) }
    }
}

extension StageCost {
    fileprivate mutating func add(_ time: Int64) { samples = samples.map { $0 + time } }

    fileprivate mutating func scale(by factor: Double) {
        samples = samples.map { Int64(saturating: (Double($0) * factor).rounded()) }
    }
}
