import Parties
import URLFilter

/// The stock of tokens: the rules are those of article "Device", section "Tokens".
extension LiveDevice {
    /// Returns when there is a token; the caller has to use it before it lets others run.
    func needToken() async throws {
        discardOldTokens()
        while client.tokenCount == 0 {
            orderInBackground(missingTokens(to: settings.constants.tokensWhenEmpty))
            try await withCheckedThrowingContinuation { tokenWaiters.append($0) }
        }
    }

    /// Orders what is missing to a stock of any size, and returns when all has come in.
    func stockUp(to stock: Int) async throws {
        // By the dozen, so that a thousand devices that prepare at once do not overrun the issuer.
        while client.tokenCount + tokensUnderWay < stock {
            try await orderTokens(upTo: min(stock, client.tokenCount + tokensUnderWay + 12))
        }
    }

    /// Orders what is missing to a stock, and returns when all has come in.
    func orderTokens(upTo stock: Int) async throws {
        let missing = missingTokens(to: stock)
        guard missing > 0 else { return }
        tokensUnderWay += missing
        try await order(missing)
    }

    /// A request that spends a token was made.
    func noteSpentTokens() {
        let spent = tokenTimes.count - client.tokenCount
        guard spent > 0 else { return }
        tokenTimes.removeFirst(spent)
        guard client.tokenCount < settings.constants.tokenRefillBelow, refill == nil else { return }
        let constants = settings.constants
        let pause = Duration.nanoseconds(
            constants.tokenRefillDelay + Int64.random(in: 0...max(0, constants.tokenRefillSpread)))
        refill = Task {
            try? await clock.sleep(for: pause)
            if !Task.isCancelled { try? await orderTokens(upTo: constants.tokenStock) }
            refill = nil
        }
    }

    private func missingTokens(to stock: Int) -> Int { stock - client.tokenCount - tokensUnderWay }

    private func discardOldTokens() {
        let life = Duration.nanoseconds(settings.constants.tokenLife)
        let expired = tokenTimes.prefix { clock.now - $0 >= life }.count
        client.discardTokens(oldest: expired)
        tokenTimes.removeFirst(expired)
    }

    private func orderInBackground(_ count: Int) {
        guard count > 0 else { return }
        tokensUnderWay += count
        Task { try? await order(count) }
    }

    /// - Parameter count: Tokens that are counted as under way already.
    /// - Throws: Why one of them did not come.
    private func order(_ count: Int) async throws {
        do {
            try await needTokenKey()
        } catch {
            tokensUnderWay -= count
            failWaiters(error)
            throw error
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await self.issue() } }
            var failure: (any Error)?
            while let result = await group.nextResult() {
                if case .failure(let error) = result { failure = error }
            }
            if let failure { throw failure }
        }
    }

    private func issue() async throws {
        let keyNumber = tokenKeyNumber
        do {
            _ = try await perform(.issue) { try $0.issueRequest() }
            tokensUnderWay -= 1
            tokenTimes.append(clock.now)
            tokenFailure = nil
            guard !tokenWaiters.isEmpty else { return }
            tokenWaiters.removeFirst().resume()
            // That one takes the token; the others wait for further ones.
            if !tokenWaiters.isEmpty {
                orderInBackground(missingTokens(to: settings.constants.tokensWhenEmpty) + 1)
            }
        } catch {
            tokensUnderWay -= 1
            // Those of the same order that were not sent any more fail for a reason that explains nothing.
            let first = tokenFailure ?? error
            tokenFailure = first
            // The issuer no longer knows the key: ask the directory again before the next try. Further refusals of
            // the same key come in late and must not spoil the new one.
            if let error = error as? DeviceError, error.status == 422, keyNumber == tokenKeyNumber,
                client.knowsTokenKey
            {
                client.forgetTokenKey()
            }
            failWaiters(first)
            throw first
        }
    }

    private func needTokenKey() async throws {
        guard !client.knowsTokenKey else { return }
        if let tokenKeyFetch { return try await tokenKeyFetch.value }
        let fetch = Task {
            _ = try await perform(.directory) { $0.directoryRequest() }
            _ = try await perform(.tokenKey) { $0.tokenKeyRequest() }
        }
        tokenKeyFetch = fetch
        defer { tokenKeyFetch = nil }
        try await fetch.value
        tokenKeyNumber += 1
    }

    /// No token is left and none is coming: what waits for one fails.
    private func failWaiters(_ error: any Error) {
        guard client.tokenCount == 0, tokensUnderWay == 0 else { return }
        let waiters = tokenWaiters
        tokenWaiters = []
        tokenFailure = nil
        for waiter in waiters { waiter.resume(throwing: error) }
    }
}
