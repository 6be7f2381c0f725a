import HomomorphicEncryption
import ServiceRules
import Synchronization

extension PIRService {
    /// Answers several clients' `/queries` at once, with fewer passes over a database than
    /// ``handle(_:userIdentifier:body:)`` one by one would make.
    ///
    /// - Returns: For each request what it would get alone.
    package func answerQueries(_ requests: [Request]) -> [Reply] {
        var questions: [Question] = []
        // A store that keeps bytes makes a key anew each time it is asked.
        var found: [EvaluationKeyName: EvaluationKey] = [:]
        let ranges = requests.map { request in
            Result {
                let message = try message(WireRequests.self, from: request.body, to: .queries)
                let asked = try message.requests.map {
                    try question($0, user: request.userIdentifier, &found)
                }
                questions += asked
                return (questions.count - asked.count)..<questions.count
            }
        }
        let answers = answers(to: questions)
        return ranges.map { range in
            do {
                var message = WireResponses()
                message.responses = try answers[try range.get()].map { answer in
                    var response = WireResponse()
                    response.pirResponse = try answer.get()
                    return response
                }
                return (200, WireCoding.bytes(of: message))
            } catch {
                return refusal(error)
            }
        }
    }

    /// Query of a request, the shard that it goes to and the key to answer it with.
    private struct Question {
        let usecase: PIRUsecase
        let shardIndex: Int
        let query: WireEncryptedIndices
        let key: EvaluationKey

        func isForShard(of other: Question) -> Bool {
            usecase.configurationID == other.usecase.configurationID && usecase.name == other.usecase.name
                && shardIndex == other.shardIndex
        }
    }

    /// Questions to one shard share passes over its database.
    private func answers(to questions: [Question]) -> [Result<WirePIRResponse, any Error>] {
        var answers: [Result<WirePIRResponse, any Error>?] = questions.map { _ in nil }
        var open = Array(questions.indices)
        while let first = open.first {
            let group = open.filter { questions[$0].isForShard(of: questions[first]) }
            open.removeAll(where: group.contains)
            let shard = questions[first].usecase.shards[questions[first].shardIndex]
            do {
                let results = try shard.respond(
                    to: group.map { (questions[$0].query, questions[$0].key) }, pool: pool)
                for (number, result) in zip(group, results) { answers[number] = result }
            } catch {
                for number in group { answers[number] = .failure(error) }
            }
        }
        return answers.compactMap { $0 }
    }

    /// - Parameter found: Keys of the requests before.
    private func question(
        _ request: WireRequest, user: String, _ found: inout [EvaluationKeyName: EvaluationKey]
    ) throws -> Question {
        let query: WirePIRRequest
        switch request.request {
        case .pirRequest(let message): query = message
        case .oprfRequest: throw PIRServiceError.notImplemented("oprf_request")
        case nil: throw WireError.missing("pir_request")
        }
        guard !query.hasShardID else { throw PIRServiceError.notImplemented("shard_id") }
        let name = EvaluationKeyName(
            user: user, identifier: Array(query.evaluationKeyMetadata.identifier))
        let versions = usecases.withLock { $0[request.usecase] }
        let served = versions?[Array(query.configurationHash)]
        let refusal = ServiceRefusal.ofLookup(
            hasKey: try query.hasEvaluationKey || keys.timestamp(of: name) != nil,
            isConfigurationServed: served != nil)
        if refusal == .keyMissing { throw PIRServiceError.evaluationKeyNotFound }
        guard versions != nil else { throw PIRServiceError.unknownUsecase(request.usecase) }
        guard let usecase = served else { throw PIRServiceError.configurationGone(request.usecase) }
        guard let shardIndex = Int(exactly: query.shardIndex), shardIndex < usecase.shards.count else {
            throw PIRError.shardIndex(Int(clamping: query.shardIndex), shardCount: usecase.shards.count)
        }
        let key: EvaluationKey
        if query.hasEvaluationKey {
            key = try usecase.evaluationKey(usecase.neededPart(of: query.evaluationKey.evaluationKey))
        } else {
            guard name.identifier == usecase.configuration.evaluationKeyIdentifier else {
                throw PIRServiceError.evaluationKeyOfOtherConfiguration
            }
            let stored =
                try found[name]
                ?? keys.key(name) { bytes in
                    try usecase.evaluationKey(
                        WireCoding.message(WireSerializedEvaluationKey.self, from: bytes))
                }
            guard let stored else { throw PIRServiceError.evaluationKeyNotFound }
            found[name] = stored
            key = stored
        }
        return Question(usecase: usecase, shardIndex: shardIndex, query: query.query, key: key)
    }
}
