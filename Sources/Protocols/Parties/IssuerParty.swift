import Decoding
package import ObliviousHTTP
package import PrivacyPass
import ServiceRules
import Synchronization

/// The issuer: shows its keys, and signs tokens for users that it knows.
///
/// HTTP requests in, HTTP responses out; no input or output of its own. Any number of threads may call, and no lock
/// is held while a token is signed.
package final class IssuerParty: Sendable {
    /// Who gets tokens.
    package enum Users: Sendable {
        /// Every bearer of any user token, all in one tier.
        case anyone(UserTier)
        case listed(UserTokenTable)

        package var tiers: Set<UserTier> {
            switch self {
            case .anyone(let tier): [tier]
            case .listed(let table): table.allTiers
            }
        }

        func tier(authorization: String?) throws(UserTokenError) -> UserTier {
            switch self {
            case .anyone(let tier):
                _ = try UserTokenTable.userToken(authorization: authorization)
                return tier
            case .listed(let table): return try table.tier(authorization: authorization)
            }
        }
    }

    private struct State {
        var issuers: TieredIssuers
        var users: Users
        var budget: IssuanceBudget?
        var isCounting = true
        /// Users whose tokens of the latest day are in the budget, and which day that is.
        var recalled: Set<String> = []
        var latestDay = Int64.min
    }

    /// The user's tokens of today cannot be counted. The reason names files, which are not the user's business.
    private struct UnknownCount: Error {}

    private let state: Mutex<State>
    /// Notes each token that counts for a user's day, so that a restart does not forget it.
    private let noteIssued: @Sendable (_ user: String, _ day: Int64) -> Void
    private let issuedOn: @Sendable (_ user: String, _ day: Int64) throws -> Int

    /// - Parameters:
    ///   - issuers: One for every tier of `users`.
    ///   - tokensPerUserPerDay: Nil for no limit.
    ///   - noteIssued: Gets the user token and the day that its token counts for, which is the latest one that the
    ///     service's clock has shown, whatever it shows now.
    ///   - issuedOn: How many were noted for a day; asked once per user and day. While it throws, the user gets none.
    package init(
        issuers: TieredIssuers, users: Users, tokensPerUserPerDay: Int? = nil,
        noteIssued: @escaping @Sendable (_ user: String, _ day: Int64) -> Void = { _, _ in },
        issuedOn: @escaping @Sendable (_ user: String, _ day: Int64) throws -> Int = { _, _ in 0 }
    ) {
        state = Mutex(
            State(
                issuers: issuers, users: users,
                budget: tokensPerUserPerDay.map(IssuanceBudget.init(tokensPerUserPerDay:))))
        self.noteIssued = noteIssued
        self.issuedOn = issuedOn
    }

    /// Keys that tokens may be made with, in the order of the directory.
    package var publicKeys: [TokenPublicKey] { state.withLock { $0.issuers.publicKeys } }

    /// Goes on with other keys and users. Tokens of keys that are gone are no longer made.
    package func replace(issuers: TieredIssuers, users: Users) {
        state.withLock {
            $0.issuers = issuers
            $0.users = users
        }
    }

    /// Whether tokens count for the users' day at all. Says nothing when there is no limit.
    package func setCounting(_ isCounting: Bool) { state.withLock { $0.isCounting = isCounting } }

    /// - Parameter second: The service's clock, for the daily token budget.
    package func respond(to request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        switch (request.method, request.plainPath) {
        case ("GET", IssuerDirectory.path[...]): directory()
        case ("GET", ServiceNames.tokenKeyPath[...]): tokenKey(for: request)
        case ("POST", ServiceNames.issuePath[...]): issue(request, second: second)
        case (_, IssuerDirectory.path[...]), (_, ServiceNames.tokenKeyPath[...]):
            .refusal(.methodNotAllowed, "the method must be GET", fields: [BinaryHTTPField("allow", "GET")])
        default: BinaryHTTPResponse(status: ServiceRefusal.notOffered.status)
        }
    }

    /// Gives back what an answer took from the user's day, when the answer was not sent.
    ///
    /// - Parameter second: The one of the answer.
    package func takeBack(_ request: BinaryHTTPRequest, second: Int64) {
        guard let user = try? UserTokenTable.userToken(authorization: request.authorization) else { return }
        guard let mark = (try? TokenRequest(decoding: request.content))?.mark else { return }
        state.withLock { $0.budget?.giveBack(user: user, request: mark, at: .seconds(second)) }
    }

    private func directory() -> BinaryHTTPResponse {
        do {
            let directory = try IssuerDirectory(
                issuerRequestURI: ServiceNames.issuePath, keys: publicKeys.map { IssuerDirectory.Key($0) })
            return BinaryHTTPResponse(
                status: 200, fields: [BinaryHTTPField("content-type", IssuerDirectory.mediaType)],
                content: directory.encoded)
        } catch {
            return .refusal(.failed, "\(error)")
        }
    }

    private func tokenKey(for request: BinaryHTTPRequest) -> BinaryHTTPResponse {
        do {
            let issuer = try issuer(for: request)
            return BinaryHTTPResponse(status: 200, content: issuer.publicKey.subjectPublicKeyInfo)
        } catch {
            return .refusal(.userUnknown, error)
        }
    }

    private func issuer(for request: BinaryHTTPRequest) throws(UserTokenError) -> Issuer {
        let (issuers, users) = state.withLock { ($0.issuers, $0.users) }
        let tier = try users.tier(authorization: request.authorization)
        guard let issuer = issuers[tier] else { throw .unknownToken }
        return issuer
    }

    private func issue(_ request: BinaryHTTPRequest, second: Int64) -> BinaryHTTPResponse {
        do {
            let issuer = try issuer(for: request)
            let user = try UserTokenTable.userToken(authorization: request.authorization)
            let tokenRequest = try TokenRequest(decoding: request.content)
            // A request for a key that is gone is refused before it counts for the user's day.
            let current = issuer.publicKey.truncatedKeyID
            guard tokenRequest.truncatedKeyID == current else {
                throw IssuanceError.unknownKey(truncatedID: tokenRequest.truncatedKeyID, expected: current)
            }
            try count(tokenRequest, of: user, second: second)
            let response = try issuer.issue(tokenRequest)
            return BinaryHTTPResponse(
                status: 200, fields: [BinaryHTTPField("content-type", TokenResponse.mediaType)],
                content: response.encoded)
        } catch let error as UserTokenError {
            return .refusal(.userUnknown, error)
        } catch let error as IssuanceBudgetExhausted {
            let seconds = (error.retryAfter + .seconds(1) - 1) / .seconds(1)
            return .refusal(.budgetExhausted, error, fields: [BinaryHTTPField("retry-after", "\(seconds)")])
        } catch is UnknownCount {
            return .refusal(.stateUnavailable, "the server cannot read its state")
        } catch let error as IssuanceError {
            return .refusal(.tokenRequestUnusable, error)
        } catch let error as TokenFormatError {
            return .refusal(.tokenRequestUnusable, error)
        } catch {
            return .refusal(.failed, "\(error)")
        }
    }

    private func count(_ request: TokenRequest, of user: String, second: Int64) throws {
        while true {
            if let result = try countOnce(request, of: user, second: second) {
                if let day = try result.get() { noteIssued(user, day) }
                return
            }
        }
    }

    /// - Returns: The day for which the token counts, if it counts; `nil` if another day began while the tokens of the
    ///   user were read, which says nothing of the new day.
    private func countOnce(
        _ request: TokenRequest, of user: String, second: Int64
    ) throws -> Result<Int64?, IssuanceBudgetExhausted>? {
        // A clock that goes back over midnight gives nobody the tokens of another day.
        let (day, isKnown) = state.withLock { state in
            let day = max(DailyAllowance.day(of: second), state.latestDay)
            return (
                day, state.budget == nil || (day == state.latestDay && state.recalled.contains(user))
            )
        }
        let before: Int
        do {
            before = isKnown ? 0 : try issuedOn(user, day)
        } catch {
            throw UnknownCount()
        }
        return state.withLock { state in
            guard state.isCounting, state.budget != nil else { return .success(nil) }
            guard day >= state.latestDay else { return nil }
            if day > state.latestDay {
                state.latestDay = day
                state.recalled = []
            }
            return Result { () throws(IssuanceBudgetExhausted) in
                let now = Int64.seconds(second)
                if state.recalled.insert(user).inserted {
                    for _ in 0..<before { try state.budget?.take(user: user, at: now) }
                }
                let counts = try state.budget?.take(user: user, request: request.mark, at: now) ?? false
                return counts ? state.latestDay : nil
            }
        }
    }
}
