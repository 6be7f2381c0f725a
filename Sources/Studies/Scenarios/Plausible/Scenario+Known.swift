extension [PlausibleInput] {
    /// Inputs that are left to know.
    ///
    /// - Parameter known: Names of inputs, or paths of settings, of which nothing else changes.
    package func without(_ known: [String]) throws(ScenarioError) -> [PlausibleInput] {
        var left = self
        for word in known {
            guard contains(where: { $0.name == word || $0.settings.contains(word) }) else {
                throw ScenarioError(
                    file: "--know", field: "",
                    problem: isEmpty
                        ? .conflict("'\(word)' is no input: in this scenario nothing is left to know")
                        : .unknownName(word, allowed: map(\.name)))
            }
            left = left.compactMap { input in
                guard input.name != word else { return nil }
                var input = input
                input.parts.removeAll { $0.path == word }
                return input.parts.isEmpty ? nil : input
            }
        }
        return left
    }
}
