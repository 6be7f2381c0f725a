import PrivacyPass
import URLFilter

extension OperationProfiler {
    /// Operations of a device for every URL.
    static func deviceOperations(entries: [[UInt8]]) throws -> [Operation] {
        let parameters = try BloomParameters(
            entryCount: entries.count, falsePositiveTolerance: 0.001, murmurSeed: 1)
        var filter = BloomFilter(parameters: parameters)
        let digests = entries.map { KeyDigest($0, murmurSeed: parameters.murmurSeed) }
        filter.insert(count: digests.count) { digests[$0] }
        let urls = entries.prefix(256).map {
            Array("https://www.".utf8) + $0 + Array("/a/page.html?id=1".utf8)
        }
        let rules = MatchingRules.documented
        var buffer = LookupStringBuffer()
        var hits: [Int] = []
        for url in urls { try buffer.expand(url, rules: rules) }
        let last = buffer.count
        return [
            Operation(
                name: "url.expand", meaning: "one URL into its lookup strings", count: urls.count
            ) {
                for url in urls { try buffer.expand(url, rules: rules) }
            },
            Operation(
                name: "bloom.test", meaning: "all \(last) strings of one URL against the prefilter",
                bytes: filter.bytes.count
            ) {
                hits.removeAll(keepingCapacity: true)
                buffer.appendHits(of: filter, to: &hits)
            },
            Operation(
                name: "bloom.insert", meaning: "one entry into the prefilter", count: digests.count
            ) {
                var filter = BloomFilter(parameters: parameters)
                filter.insert(count: digests.count) { digests[$0] }
            },
        ]
    }

    /// Privacy Pass, from the device's request to the server's check.
    static func tokenOperations() throws -> [Operation] {
        let issuer = try Issuer()
        let client = try TokenClient(
            challenge: TokenChallenge(issuerName: "issuer.example"), publicKey: issuer.publicKey)
        let pending = try client.makePendingToken()
        let response = try issuer.issue(pending.request).encoded
        let token = try pending.finish(with: response)
        let verifier = TokenVerifier(keys: [issuer.publicKey])
        try verifier.verify(token)
        return [
            Operation(
                name: "token.blind", meaning: "one token request on the device",
                bytes: pending.request.encoded.count
            ) { _ = try client.makePendingToken() },
            Operation(
                name: "token.sign", meaning: "one blind signature by the issuer", bytes: response.count
            ) { _ = try issuer.issue(pending.request) },
            Operation(
                name: "token.finalize", meaning: "one token on the device", bytes: token.encoded.count
            ) { _ = try pending.finish(with: response) },
            Operation(name: "token.verify", meaning: "one token at the PIR server") {
                try verifier.verify(token)
            },
        ]
    }
}
