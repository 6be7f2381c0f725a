import ObliviousHTTP
import Parties
import PrivacyPass

/// Tokens spent twice, made up or taken in masses, and sealed messages that are not worth opening.
enum TokenAttacks: AttackFamily {
    private static let connectionCount = 4

    static let attacks = [
        Attack(
            name: "tokens.double-spend", summary: "one token, 30 times at once: it wins exactly once",
            duration: 0.7, run: spendTwice),
        Attack(
            name: "tokens.random", summary: "tokens of random bytes, whose key nobody has",
            limits: AttackLimits(cost: .perRequest(0.5))
        ) { target in
            target.flood(connections: connectionCount, expected: [401, 429, 503], "random token") {
                number, turn in
                let bytes = [0, 2] + target.randomBytes(Token.byteCount - 2, connection: number, turn: turn)
                return request(authorization: "PrivateToken token=" + Base64URL.encode(bytes), target)
                    .wireBytes
            }
        },
        Attack(
            name: "tokens.forged", summary: "tokens of the right key with random nonces: a verification each",
            limits: AttackLimits(cost: .perRequest(0.5)), run: forge),
        Attack(
            name: "tokens.issuance", summary: "token requests of an accepted user: a blind signature each",
            limits: AttackLimits(cost: .perRequest(1)), run: issue),
        Attack(
            name: "tokens.owners",
            summary: "token requests, each of another user: as many owners of work as requests",
            limits: AttackLimits(cost: .perRequest(1)), run: issueToMany),
        Attack(
            name: "tokens.replay", summary: "one sealed request with a good token, over and over",
            limits: AttackLimits(cost: .perRequest(0.5)), run: replay),
        Attack(
            name: "tokens.sealed-garbage",
            summary: "what looks sealed, with random content: a key agreement per hundred bytes",
            limits: AttackLimits(cost: .perRequest(0.5)), run: sendGarbage),
    ]

    private static func spendTwice(_ target: Target) throws {
        var device = AttackDevice(target, pseudonym: "spender")
        try device.settle(tokens: 1)
        let request = try device.configRequest().wireBytes
        target.together(30) { _ in
            var peer = HTTPPeer(port: target.port)
            let answer = peer.exchange(request, until: target.answerDeadline)
            target.log.tried(byteCount: request.count)
            target.log.answered(answer?.status, to: "token presented again", expected: [200, 401, 429, 503])
        }
        let wins = target.log.current.answers["200"] ?? 0
        if wins != 1 { target.log.problem("the token was taken \(wins) times; it must be once") }
    }

    private static func forge(_ target: Target) throws {
        var device = AttackDevice(target, pseudonym: "forger")
        try device.settle(tokens: 1)
        let good = try Token(authorization: device.configRequest().authorization ?? "")
        target.flood(connections: connectionCount, expected: [401, 429, 503], "forged token") {
            number, turn in
            let input = TokenInput(
                nonce: TokenNonce(
                    target.randomBytes(TokenNonce.byteCount, connection: number, turn: turn)),
                challengeDigest: good.input.challengeDigest, keyID: good.input.keyID)
            let forged = try? Token(input: input, authenticator: good.authenticator)
            return forged.map { request(authorization: $0.authorization, target).wireBytes }
        }
    }

    private static func issue(_ target: Target) throws {
        var device = AttackDevice(target, pseudonym: "collector")
        try device.fetchTokens(0)
        let request = try device.tokenRequest().wireBytes
        target.flood(connections: connectionCount, expected: [200, 429, 503], "token request") { _, _ in
            request
        }
    }

    private static func issueToMany(_ target: Target) throws {
        var device = AttackDevice(target, pseudonym: "many")
        try device.fetchTokens(0)
        let request = try device.tokenRequest()
        target.flood(connections: connectionCount, expected: [200, 429, 503], "token request") {
            number, turn in
            var other = request
            other.fields.removeAll { $0.name.lowercased() == "authorization" }
            other.fields.append(BinaryHTTPField("authorization", "Bearer owner-\(number)-\(turn)"))
            return other.wireBytes
        }
    }

    private static func replay(_ target: Target) throws {
        var device = AttackDevice(target, pseudonym: "replayer")
        try device.settle(tokens: 1)
        let sealer = try Sealer(port: target.port, path: ServiceNames.relayPath, until: target.answerDeadline)
        let outer = try sealer.seal(device.configRequest()).outer
        target.flood(connections: connectionCount, expected: [200, 400, 429, 503], "sealed request") { _, _ in
            outer
        }
        let wins = target.log.current.answers["200"] ?? 0
        if wins != 1 { target.log.problem("the sealed request was taken \(wins) times; it must be once") }
    }

    private static func sendGarbage(_ target: Target) throws {
        let sealer = try Sealer(port: target.port, path: ServiceNames.relayPath, until: target.answerDeadline)
        target.flood(connections: connectionCount, expected: [400, 422, 429, 503], "sealed garbage") {
            number, turn in
            // An encapsulated key of X25519, a tag of 16 bytes, and something to be opened.
            try? sealer.garbage(target.randomBytes(32 + 16 + 45, connection: number, turn: turn))
        }
    }

    private static func request(authorization: String, _ target: Target) -> BinaryHTTPRequest {
        BinaryHTTPRequest(
            authority: "127.0.0.1:\(target.port)", path: "/config",
            fields: [
                BinaryHTTPField("authorization", authorization), BinaryHTTPField("user-agent", "a"),
                BinaryHTTPField(ServiceNames.userIdentifierField, "attacker"),
            ])
    }
}
