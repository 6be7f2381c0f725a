/// Results of independent questions, in the order of the questions.
enum OrderedTasks {
    /// - Parameter threads: That may be used; the results do not depend on it.
    static func results<Question: Sendable, Result: Sendable>(
        of questions: [Question], threads: Int, _ answer: @escaping @Sendable (Question) -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            var results: [Result?] = questions.map { _ in nil }
            var waiting = Array(questions.enumerated())[...]
            for (index, question) in waiting.prefix(max(1, threads)) {
                group.addTask { (index, answer(question)) }
            }
            waiting = waiting.dropFirst(max(1, threads))
            for await (index, result) in group {
                results[index] = result
                guard let (next, question) = waiting.popFirst() else { continue }
                group.addTask { (next, answer(question)) }
            }
            return results.compactMap(\.self)
        }
    }
}
