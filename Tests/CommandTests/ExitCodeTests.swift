import Testing

/// What scripts see of a run that could not begin.
struct ExitCodeTests {
    @Test(arguments: [
        (["run"], 64), (["run", "missing.yaml", "--thread", "2"], 64), (["run", "missing.yaml"], 65),
        (["--version"], 0), (["nonsense"], 64),
    ])
    func code(_ arguments: [String], _ code: Int) async throws {
        let outcome = try await Program.run(arguments)
        #expect(outcome.status == code)
        if code != 0 {
            #expect(outcome.output.isEmpty)
            #expect(!outcome.errors.isEmpty)
        }
    }
}
