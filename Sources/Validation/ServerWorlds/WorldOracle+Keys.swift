import HomomorphicEncryption
import ObliviousHTTP
import PrivateInformationRetrieval

/// Evaluation keys, configurations and lookups.
extension WorldOracle {
    mutating func lookAtConfiguration(
        _ arrival: Arrival, _ answer: BinaryHTTPResponse, at now: Int64
    ) {
        expect([200], answer, arrival, at: now)
        guard answer.status == 200,
            let response = try? WireCoding.message(WireConfigResponse.self, from: answer.content)
        else { return }
        for status in response.keyInfo {
            let name = KeyName(
                device: arrival.message.device, identifier: WireCoding.sha256(status.keyConfig))
            let found =
                lost(name, status.timestamp, asked: arrival.begun, at: now)
                ?? replaced(name, status.timestamp, asked: arrival.begun)
            keyReadings[name, default: []].append(
                KeyReading(timestamp: status.timestamp, begun: arrival.begun, ended: now))
            guard let found else { continue }
            fail(.keyLost, at: now, "device \(name.device): key \(status.timestamp) instead of \(found)")
        }
    }

    /// Uploads that overlap may take effect in either order, and it is the answers that tell in which: a key that one
    /// has told of goes only when another one takes effect after it. An upload takes effect before it ends, if at all.
    /// So where all uploads of the key that is told now had ended when the earlier question came, they were before the
    /// key that was told then, and cannot have replaced it.
    ///
    /// - Returns: The key that was told of earlier, if nothing can have replaced it by this one.
    private func replaced(_ name: KeyName, _ timestamp: UInt64, asked: Int64) -> UInt64? {
        guard settings.keyRoom == WorldSettings.wideKeyRoom else { return nil }
        let uploads = uploads[name]?.values.filter { $0.timestamp == timestamp } ?? []
        return keyReadings[name]?.first { earlier in
            earlier.ended <= asked && earlier.timestamp != timestamp
                && uploads.allSatisfy { ($0.ended ?? .max) < earlier.begun }
        }?.timestamp
    }

    /// - Returns: The acknowledged key that should have been found, if this one is an older one or none.
    private func lost(_ name: KeyName, _ timestamp: UInt64, asked: Int64, at now: Int64) -> UInt64? {
        guard settings.keyRoom == WorldSettings.wideKeyRoom, let all = uploads[name]?.values else {
            return nil
        }
        // Of those that were there when the question came, and not yet replaced for sure.
        guard
            let last = all.filter({ $0.isAcknowledged && ($0.ended ?? .max) <= asked })
                .max(by: { $0.begun < $1.begun })
        else { return nil }
        let isPossible = all.contains { $0.timestamp == timestamp && ($0.ended ?? .max) >= last.begun }
        return isPossible ? nil : last.timestamp
    }

    mutating func lookAtUpload(
        _ arrival: Arrival, _ session: PIRSession, _ answer: BinaryHTTPResponse, at now: Int64
    ) {
        let name = Self.keyName(session, arrival.message)
        uploads[name]?[arrival.number]?.ended = now
        if answer.status == 200 { uploads[name]?[arrival.number]?.isAcknowledged = true }
        let isKnown =
            stock.identifiers(of: arrival.served).contains(name.identifier)
            && stock.identifiers(of: served).contains(name.identifier)
        expect(isKnown ? [200] : [200, 400], answer, arrival, at: now)
    }

    mutating func lookAtLookup(
        _ arrival: Arrival, _ session: PIRSession,
        _ asked: (queries: [PendingQuery], words: [String], edition: Int), _ answer: BinaryHTTPResponse,
        at now: Int64
    ) {
        let name = Self.keyName(session, arrival.message)
        let isServed = arrival.served.contains(asked.edition) && served.contains(asked.edition)
        let text = "message \(arrival.message.number)"
        switch answer.status {
        case 200:
            guard isLatestKey(session, name), let truth = stock.editions[at: asked.edition]?.entries else {
                return
            }
            guard let response = try? WireCoding.message(WireResponses.self, from: answer.content),
                let found = try? session.readResponses(response, to: asked.queries)
            else { return fail(.wrongAnswer, at: now, "\(text): an answer that cannot be read") }
            if found.map({ $0 != nil }) != asked.words.map(truth.contains) {
                fail(.wrongAnswer, at: now, "\(text): a wrong answer")
            }
        case 410:
            if isServed { fail(.versionLost, at: now, "\(text): edition \(asked.edition) is gone") }
        case 400:
            if isServed, lost(name, 0, asked: arrival.begun, at: now) != nil {
                fail(.keyLost, at: now, "\(text): no key, though one was acknowledged")
            }
        default: expect([200], answer, arrival, at: now)
        }
    }

    /// Whether the server has used this session's key: no other upload ended after its began.
    private func isLatestKey(_ session: PIRSession, _ name: KeyName) -> Bool {
        guard let all = uploads[name]?.values,
            let own = all.filter({ $0.timestamp == session.keyTimestamp }).min(by: { $0.begun < $1.begun })
        else { return false }
        return all.allSatisfy { $0.timestamp == own.timestamp || ($0.ended ?? .max) < own.begun }
    }
}

extension Array {
    fileprivate subscript(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension WorldStock {
    /// Key configurations of these editions.
    fileprivate func identifiers(of editions: [Int]) -> Set<[UInt8]> {
        Set(editions.compactMap { self.editions[at: $0]?.usecase.configuration.evaluationKeyIdentifier })
    }
}
