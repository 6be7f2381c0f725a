import HomomorphicEncryption
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import RandomStreams

/// Questions of devices.
extension World {
    func ask(
        _ device: WorldDevice, _ question: WorldEvent.Question, isSealed: Bool, _ random: inout SplitMix64
    ) {
        if isSealed, device.gatewayKey == nil { return ask(device, .gatewayKeys, isSealed: false, &random) }
        guard let (kind, inner, nonce) = device.request(question, stock: stock, script.seed, &random),
            let message = makeMessage(device, kind, inner, nonce, isSealed: isSealed)
        else { return }
        send(message, &random)
    }

    private func makeMessage(
        _ device: WorldDevice, _ kind: WorldMessage.Kind, _ inner: BinaryHTTPRequest, _ nonce: TokenNonce?,
        isSealed: Bool
    ) -> WorldMessage? {
        var (request, seal): (BinaryHTTPRequest, WorldMessage.Seal?) = (inner, nil)
        if isSealed, case .gatewayKeys = kind {
        } else if isSealed, let key = device.gatewayKey {
            guard let encoded = try? inner.encoded(), let (content, context) = try? key.client.seal(encoded)
            else { return nil }
            request = BinaryHTTPRequest(
                authority: "",
                path: messages.count.isMultiple(of: 2) ? ServiceNames.relayPath : ServiceNames.gatewayPath,
                fields: [BinaryHTTPField("content-type", OHTTPMediaType.request)], content: content)
            seal = .init(context: context, key: key)
        }
        let message = WorldMessage(
            number: messages.count, device: device.number, kind: kind, request: (request, inner), seal: seal,
            nonce: nonce, made: (time.now, oracle.gatewayEpoch))
        messages.append(message)
        return message
    }

    /// The same request without a seal.
    func addMessage(like message: WorldMessage) -> WorldMessage {
        let copy = WorldMessage(
            number: messages.count, device: message.device, kind: message.kind,
            request: (message.inner, message.inner), seal: nil, nonce: message.nonce,
            made: (time.now, oracle.gatewayEpoch))
        messages.append(copy)
        return copy
    }

    /// A question for the configuration with a token that was kept for it, which tells whose key the server has.
    func lastQuestion(of device: WorldDevice) -> WorldMessage? {
        guard let (kind, request, nonce) = device.lastQuestion(stock: stock) else { return nil }
        return makeMessage(device, kind, request, nonce, isSealed: false)
    }
}

extension WorldDevice {
    typealias Request = (kind: WorldMessage.Kind, request: BinaryHTTPRequest, nonce: TokenNonce?)

    /// The last token is kept for the end of the world.
    private static let lastToken = WorldSettings.tokensPerDevice - 1

    /// - Returns: `nil` if it cannot ask that.
    func request(
        _ question: WorldEvent.Question, stock: WorldStock, _ seed: UInt64, _ random: inout SplitMix64
    ) -> Request? {
        switch question {
        case .next:
            if tokens.isEmpty { return token(stock) }
            guard edition != nil else { return configuration(stock) }
            return request(needsKey ? .key : .lookup, stock: stock, seed, &random)
        case .token: return token(stock)
        case .configuration: return configuration(stock)
        case .key: return key(stock, seed, &random)
        case .lookup: return lookup(stock, seed, &random)
        case .report:
            return spend(stock).map { token in
                var request = self.pir(ServiceNames.reportPath, token, Array("[\"word1.example\"]".utf8))
                request.fields.append(BinaryHTTPField("content-type", "application/json"))
                return (.report, request, token.input.nonce)
            }
        case .publicConfiguration:
            return (
                .publicConfiguration,
                BinaryHTTPRequest(
                    method: "GET", authority: ServiceNames.pirAuthority, path: PIRService.Endpoint.config.path
                ),
                nil
            )
        case .gatewayKeys:
            return (
                .gatewayKeys,
                BinaryHTTPRequest(method: "GET", authority: "", path: ServiceNames.gatewayPath), nil
            )
        }
    }

    private func token(_ stock: WorldStock) -> Request? {
        guard nextToken < Self.lastToken, let token = stock.token(nextToken, device: number, tier: tier)
        else {
            return nil
        }
        let request = BinaryHTTPRequest(
            authority: ServiceNames.issuerAuthority, path: ServiceNames.issuePath,
            fields: [
                BinaryHTTPField("authorization", "Bearer \(userToken)"),
                BinaryHTTPField("content-type", TokenRequest.mediaType),
            ], content: token.request.encoded)
        defer { nextToken += 1 }
        return (.token(number: nextToken, answer: token.answer), request, nil)
    }

    private func configuration(_ stock: WorldStock) -> Request? {
        spend(stock).map { token in
            (
                .configuration, pir(.config, token, WireCoding.bytes(of: session.configRequest())),
                token.input.nonce
            )
        }
    }

    func lastQuestion(stock: WorldStock) -> Request? {
        tokens = [Self.lastToken]
        return configuration(stock)
    }

    private func key(_ stock: WorldStock, _ seed: UInt64, _ random: inout SplitMix64) -> Request? {
        guard edition != nil, let token = spend(stock) else { return nil }
        lastTimestamp += 1
        var next = session
        var generator = Self.generator(seed, &random)
        guard let upload = try? next.makeKeyUpload(timestamp: lastTimestamp, using: &generator) else {
            return nil
        }
        return (
            .key(next, timestamp: lastTimestamp), pir(.key, token, WireCoding.bytes(of: upload)),
            token.input.nonce
        )
    }

    private func lookup(_ stock: WorldStock, _ seed: UInt64, _ random: inout SplitMix64) -> Request? {
        guard let edition, session.keyTimestamp != nil, let token = spend(stock) else { return nil }
        let words = (0...random.index(below: 3)).map { _ in WorldStock.word(random.index(below: 110)) }
        var generator = Self.generator(seed, &random)
        guard
            let (pending, message) = try? session.makeRequests(
                words.map { Array($0.utf8) }, using: &generator)
        else { return nil }
        return (
            .lookup(session, pending, words: words, edition: edition),
            pir(.queries, token, WireCoding.bytes(of: message)), token.input.nonce
        )
    }

    private static func generator(_ seed: UInt64, _ random: inout SplitMix64) -> RandomStream {
        RandomStream(
            seed: seed, replication: 0, entity: UInt32(truncatingIfNeeded: random.next()),
            purpose: StreamPurpose("device asks"))
    }

    private func spend(_ stock: WorldStock) -> Token? {
        guard let number = tokens.first else { return nil }
        tokens.removeFirst()
        return stock.token(number, device: self.number, tier: tier)?.token
    }

    private func pir(_ endpoint: PIRService.Endpoint, _ token: Token, _ content: [UInt8]) -> BinaryHTTPRequest
    {
        pir(endpoint.path, token, content)
    }

    private func pir(_ path: String, _ token: Token, _ content: [UInt8]) -> BinaryHTTPRequest {
        BinaryHTTPRequest(
            authority: ServiceNames.pirAuthority, path: path,
            fields: [
                BinaryHTTPField("authorization", token.authorization),
                BinaryHTTPField(ServiceNames.userIdentifierField, name),
                BinaryHTTPField("user-agent", "world/1.0"),
            ], content: content)
    }

    /// Takes what an answer says.
    func read(
        _ answer: BinaryHTTPResponse, to message: WorldMessage, stock: WorldStock,
        _ random: inout RandomStream
    ) {
        guard answer.status == 200 else {
            // As a device does that is told that it has to begin again.
            if answer.status == 410 { edition = nil }
            if case .lookup = message.kind, answer.status == 400 { needsKey = true }
            return
        }
        switch message.kind {
        case .token(let number, _): if !tokens.contains(number) { tokens.append(number) }
        case .configuration, .publicConfiguration:
            guard let response = try? WireCoding.message(WireConfigResponse.self, from: answer.content),
                let step = try? session.receive(response, using: &random)
            else { return }
            edition = stock.editions.firstIndex {
                $0.usecase.configurationID == Array(session.configurationID)
            }
            if case .configuration = message.kind { needsKey = step == .uploadKey }
        case .key(let next, let timestamp):
            guard timestamp > session.keyTimestamp ?? 0 else { return }
            session = next
            edition = stock.editions.firstIndex { $0.usecase.configurationID == Array(next.configurationID) }
            needsKey = false
        case .gatewayKeys:
            guard let configurations = try? OHTTPKeyConfiguration.decodeList(answer.content),
                let client = configurations.lazy.compactMap({ try? OHTTPClient(configuration: $0) }).first
            else { return }
            gatewayKey = GatewayKey(
                client: client, asked: message.made.time, epoch: message.made.gatewayEpoch)
        case .lookup, .report: break
        }
    }
}
