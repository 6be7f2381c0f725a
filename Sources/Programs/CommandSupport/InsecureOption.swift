package import ArgumentParser

/// `--allow-insecure`: parameters that no device accepts.
package struct InsecureOption: ParsableArguments {
    @Flag(help: "Allow encryption parameters named 'insecure_…', made for tests: they hide nothing.")
    package var allowInsecure = false

    package init() {}

    /// - Parameter names: Of sets of encryption parameters.
    package func require(_ names: [String]) throws(ValidationError) {
        guard !allowInsecure, let name = names.first(where: { $0.hasPrefix("insecure_") }) else { return }
        throw ValidationError("'\(name)' is made for tests and hides nothing; allow it with --allow-insecure")
    }
}
