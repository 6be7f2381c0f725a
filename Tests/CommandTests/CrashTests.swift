import Foundation
import TestSupport
import Testing

/// Commands are killed, and disks are full, at random points; never is there half a file under a final name, and the
/// same command completes the work.
///
/// Three points of each kind per command by default. `URLFILTER_KILLS=300 swift test --filter CrashTests` takes more;
/// `URLFILTER_KILLS_SEED` chooses other ones. A failure names seed and round.
@Suite(.serialized)
struct CrashTests {
    private static let rounds = number("URLFILTER_KILLS") ?? 3
    private static let seed = UInt64(number("URLFILTER_KILLS_SEED") ?? 1)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// What an undisturbed run leaves.
    private struct Success {
        var files: [String: Data] = [:]
        var names: [String] = []
        var seconds = 0.0
        var largestFile = 0

        init(_ subject: CrashSubject, _ inputs: SmallInputs) async throws {
            let began = Date()
            let outcome = try await Program.run(subject.arguments, on: inputs)
            seconds = Date().timeIntervalSince(began)
            #expect(outcome.status == 0, "\(outcome.errors)")
            for name in subject.results + subject.documents { files[name] = inputs.data(name) }
            names = inputs.allNames
            largestFile = names.compactMap { inputs.data($0)?.count }.max() ?? 0
        }
    }

    @Test(arguments: CrashSubject.all)
    func aKillLeavesNoHalfFile(_ subject: CrashSubject) async throws {
        try await disturb(subject) { inputs, success, random in
            let program = try Program.start(subject.arguments, in: inputs.folder)
            try await Task.sleep(
                for: .seconds(Double.random(in: 0...(1.1 * success.seconds), using: &random)))
            program.signal(SIGKILL)
            return await program.outcome()
        } judge: { outcome in
            [0, -9].contains(outcome.status) ? [] : ["ended with \(outcome.status): \(outcome.errors)"]
        }
    }

    /// SIGTERM and SIGINT end it in order: nothing temporary is left.
    @Test(arguments: CrashSubject.all)
    func aSignalLeavesNothingTemporary(_ subject: CrashSubject) async throws {
        // An interrupted run writes what it has finished, marked as such.
        try await disturb(subject, comparesFiles: subject.arguments[0] != "run") { inputs, success, random in
            let program = try Program.start(subject.arguments, in: inputs.folder)
            try await Task.sleep(
                for: .seconds(Double.random(in: 0...(1.1 * success.seconds), using: &random)))
            program.signal(Bool.random(using: &random) ? SIGTERM : SIGINT)
            let outcome = await program.outcome()
            let partial = inputs.allNames.filter { $0.hasSuffix(".partial") }
            #expect(partial.isEmpty, "\(partial)")
            return outcome
        } judge: { outcome in
            // The signals themselves before the program has got round to them.
            [0, 130, -2, -15].contains(outcome.status) ? [] : ["ended with \(outcome.status)"]
        }
    }

    @Test(arguments: CrashSubject.all)
    func aFullDiskIsToldAndLeavesNoHalfFile(_ subject: CrashSubject) async throws {
        try await disturb(subject) { inputs, success, random in
            let blocks = Int.random(in: 0...(success.largestFile / 1_024 + 1), using: &random)
            return try await Program.run(
                subject.arguments, on: inputs, prelude: "trap '' XFSZ; ulimit -f \(blocks);")
        } judge: { outcome in
            if outcome.status == 0 { return [] }
            guard outcome.status == 1 else { return ["ended with \(outcome.status): \(outcome.errors)"] }
            let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("urlfilter: ") }
            let names = subject.results + subject.documents + ["out/", "url-"]
            guard complaints.count == 1, names.contains(where: complaints[0].contains) else {
                return ["complained: \(outcome.errors)"]
            }
            return []
        }
    }

    /// Runs a subject some times in a way that may not end well, and once more after each.
    private func disturb(
        _ subject: CrashSubject, comparesFiles: Bool = true,
        _ run: (SmallInputs, Success, inout SplitMix) async throws -> Program.Outcome,
        judge: (Program.Outcome) -> [String]
    ) async throws {
        try await withSmallInputs { inputs in
            try CrashSubject.prepare(inputs)
            let success = try await Success(subject, inputs)
            var random = SplitMix(seed: Self.seed)
            let rounds = subject.isSlow ? max(1, Self.rounds / 10) : Self.rounds
            for round in 0..<rounds {
                var problems: [String] = []
                // Sometimes there is something to be replaced, and sometimes what the round before left stays.
                let kind = Int.random(in: 0..<3, using: &random)
                if kind < 2 {
                    for name in inputs.allNames where subject.made(name) {
                        try? FileManager.default.removeItem(atPath: "\(inputs.folder)/\(name)")
                    }
                }
                if kind == 1, subject.replaces {
                    for name in subject.results + subject.documents { try inputs.write("before\n", to: name) }
                }
                var before: [String: Data] = [:]
                for name in subject.results + subject.documents { before[name] = inputs.data(name) }
                let outcome = try await run(inputs, success, &random)
                problems += judge(outcome)
                if comparesFiles {
                    problems += subject.problems(inputs, before: before, expected: success.files)
                }
                let left = inputs.allNames.filter { $0.hasSuffix(".partial") }
                // As many as are written at the same time.
                if left.count > 4 { problems.append("leftovers pile up: \(left)") }
                if round % 2 == 0 || round == rounds - 1 {
                    let again = try await Program.run(subject.arguments, on: inputs)
                    if again.status != 0 { problems.append("did not go on: \(again.errors)") }
                    problems += subject.problemsOfSuccess(
                        inputs, expected: success.files, names: success.names)
                }
                #expect(problems.isEmpty, "seed \(Self.seed), round \(round), kind \(kind)")
            }
        }
    }
}
