package import ServiceRules
import URLFilter

/// The operator's issuers and PIR servers of the model: what they remember and whom they refuse, by the rules of the
/// real ones, with numbers in place of tokens, users and keys.
///
/// Numbers of token keys and of evaluation keys start again after 32 767, for a device is one of a million; only equal
/// and unequal matter. 0 stands for none.
package struct SimulatedServices: Sendable {
    /// A service's answer to a request.
    package struct Answer: Sendable {
        package var refusal: ServiceRefusal?
        /// The issuer's token key, or the evaluation key that the PIR server has. For `.queries` the one that the
        /// answer was computed with.
        package var number: Int16 = 0
        /// The evaluation key had to be read from its store.
        package var readsKey = false
    }

    /// Token keys of each region's issuer. All begin with the same; a restart makes a new one.
    private var tokenKeys: [TokenKeyEpochs<Int16>]
    private var lastTokenKey: Int16 = 1
    /// Tokens of each user's day; empty without a limit.
    private var allowance: DailyAllowance?
    private var accounts: [DailyAllowance.Account]
    private var keys: KeyStores

    /// - Parameters:
    ///   - secondsTokenKeysKept: How long the PIR servers take tokens after the issuer of their region has restarted.
    ///   - servers: By region.
    package init(
        deviceCount: Int, tokensPerUserPerDay: Int?, secondsTokenKeysKept: Int64 = 0, servers: [KeyServers]
    ) {
        tokenKeys = Array(
            repeating: TokenKeyEpochs([1], secondsKept: secondsTokenKeysKept), count: servers.count)
        allowance = tokensPerUserPerDay.map(DailyAllowance.init(limit:))
        accounts = Array(repeating: .init(), count: tokensPerUserPerDay == nil ? 0 : deviceCount)
        keys = KeyStores(servers, deviceCount: deviceCount)
    }

    static func next(_ number: Int16) -> Int16 { number == .max ? 1 : number + 1 }

    /// Key that a region's issuer makes tokens with.
    package func tokenKey(in region: Int) -> Int16 { tokenKeys[region].current[0] }

    /// Tokens that a user got on the latest day; 0 without a limit.
    package func tokensTaken(by device: Int) -> Int { allowance?.taken(accounts[device]) ?? 0 }

    /// Evaluation key that a server has, or can read, of a device.
    package func key(of device: Int, at server: ServerPlace) -> Int16 { keys.number(of: device, at: server) }

    /// See ``KeyStores/usage``.
    package var keyUsage: (peak: Int, evictions: Int)? { keys.usage }

    /// Answers a request, in the order of the real services: the first thing that is wrong is the answer.
    ///
    /// - Parameters:
    ///   - token: Key of the token spent, or for `.issue` the one that is asked for.
    ///   - key: Evaluation key that the device uses with the request, or uploads.
    ///   - isConfigurationServed: The one that a lookup was made for.
    package mutating func answer(
        _ request: ExchangeRequest, token: Int16, key: Int16, isConfigurationServed: Bool = true,
        at server: ServerPlace
    ) -> Answer {
        switch request.endpoint {
        case .directory, .tokenKey: return Answer(number: tokenKey(in: server.region))
        case .issue: return Answer(refusal: issue(request, of: token, in: server.region))
        case .config, .key, .queries, .report:
            guard tokenKeys[server.region].takes(token, at: request.second) else {
                return Answer(refusal: .tokenNotTaken)
            }
            if let refusal = refusal(ofPaid: request, isConfigurationServed, at: server) {
                return Answer(refusal: refusal)
            }
            return answerPaid(request, key: key, at: server)
        }
    }

    /// A request for a key that is gone counts for nobody's day.
    private mutating func issue(
        _ request: ExchangeRequest, of key: Int16, in region: Int
    ) -> ServiceRefusal? {
        guard tokenKeys[region].makes(key) else { return .tokenRequestUnusable }
        allowance?.begin(day: DailyAllowance.day(of: request.second))
        return allowance?.take(&accounts[request.device]) ?? true ? nil : .budgetExhausted
    }

    private func refusal(
        ofPaid request: ExchangeRequest, _ isConfigurationServed: Bool, at server: ServerPlace
    ) -> ServiceRefusal? {
        guard request.endpoint == .queries else { return nil }
        return .ofLookup(
            hasKey: request.carriesKey || key(of: request.device, at: server) != 0,
            isConfigurationServed: isConfigurationServed)
    }

    private mutating func answerPaid(
        _ request: ExchangeRequest, key: Int16, at server: ServerPlace
    ) -> Answer {
        switch request.endpoint {
        case .directory, .tokenKey, .issue, .report: return Answer()
        case .config: return Answer(number: keys.look(for: request.device, at: server))
        case .key:
            keys.insert(key, of: request.device, at: server)
            return Answer()
        case .queries where request.carriesKey: return Answer(number: key)
        case .queries:
            return Answer(
                number: self.key(of: request.device, at: server),
                readsKey: keys.use(request.device, at: server))
        }
    }

    /// Gives a server the key of a device, without a request.
    mutating func upload(_ key: Int16, of device: Int, at server: ServerPlace) {
        keys.insert(key, of: device, at: server)
    }

    /// A part of a region loses what it keeps in memory.
    ///
    /// - Parameters:
    ///   - instances: `nil` for all.
    ///   - second: The services' clock.
    package mutating func restart(_ part: Part, region: Int, instances: Range<Int>?, second: Int64) {
        switch part {
        // The instances of an issuer have their key from elsewhere.
        case .issuer where instances == nil:
            lastTokenKey = Self.next(lastTokenKey)
            tokenKeys[region].change(to: [lastTokenKey], at: second)
        case .pir: keys.restart(region: region, instances: instances)
        default: break
        }
    }
}
