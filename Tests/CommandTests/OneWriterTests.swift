import Foundation
import TestSupport
import Testing

/// One process at a time writes a result directory.
struct OneWriterTests {
    private static let endless = [
        "--set", "replications.min=10000", "--set", "replications.max=10000", "--output", "out",
    ]

    /// The one that holds the directory, and a command that would write into it.
    private func holder(_ arguments: [String], _ inputs: SmallInputs) async throws -> RunningProgram {
        let program = try Program.start(arguments, in: inputs.folder)
        #expect(await Patience.until { inputs.text("out/.lock")?.hasSuffix("\n") == true })
        return program
    }

    @Test(arguments: [false, true])
    func theSecondWriterIsToldOfTheFirst(isSweep: Bool) async throws {
        try await withSmallInputs { inputs in
            let vary = isSweep ? ["--vary", "services.pir.cores=1,2"] : []
            let first = try await holder(inputs.run() + Self.endless + vary, inputs)
            let commands =
                [
                    inputs.run("--output", "out") + vary,
                    ["sweep", "manifest", "scenario.yaml", "--output", "out"] + vary,
                ]
                + (isSweep ? [["run", "--resume", "out"]] : [])
            for arguments in commands {
                let second = try await Program.run(arguments, on: inputs)
                #expect(second.status == 65, "\(arguments)")
                #expect(
                    second.errors.contains("out: is being written by process \(first.identifier)"),
                    "\(arguments): \(second.errors)")
            }
            // No handler of the first one runs: the lock has to end with it.
            first.signal(SIGKILL)
            #expect(await first.outcome().status == -9)
            let third = try await Program.run(
                isSweep
                    ? ["sweep", "work", "out", "--line", "1"] : inputs.run("--output", "out", "--replace"),
                on: inputs)
            #expect(third.status == (isSweep ? 65 : 0), "there is no manifest yet, which is another matter")
            #expect(!third.errors.contains("is being written"))
            #expect(isSweep || inputs.names(in: "out") == Self.documents)
        }
    }

    @Test func aReplayHoldsItsDirectoryFromTheStart() async throws {
        try await withSmallInputs { inputs in
            let first = try await holder(inputs.run() + Self.endless, inputs)
            let second = try await Program.run(
                [
                    "replay", "trace.csv", "--against", "http://127.0.0.1:1", "--list", "list.txt",
                    "--output",
                    "out",
                ], on: inputs)
            #expect(second.status == 65)
            #expect(second.errors.contains("is being written by process \(first.identifier)"))
            first.signal(SIGKILL)
            _ = await first.outcome()
        }
    }

    /// Workers of a sweep write one file each, at the same time and on other machines.
    @Test func workersNeedNoLock() async throws {
        try await withSmallInputs { inputs in
            let planned = try await Program.run(
                [
                    "sweep", "manifest", "scenario.yaml", "--profile", "profile.json", "--vary",
                    "services.pir.cores=1,2", "--output", "out",
                ], on: inputs)
            #expect(planned.status == 0, "\(planned.errors)")
            let workers = try (1...2).flatMap { line in
                try (0..<2).map { _ in
                    try Program.start(["sweep", "work", "out", "--line", "\(line)"], in: inputs.folder)
                }
            }
            for worker in workers { #expect(await worker.outcome().status == 0) }
            #expect(try await Program.run(["sweep", "collect", "out"], on: inputs).status == 0)
            #expect(inputs.names(in: "out/work").count == 2)
        }
    }

    /// Every one of them writes the whole file, and the last one's stays.
    @Test func aFileIsReplacedAsAWhole() async throws {
        try await withSmallInputs { inputs in
            let writers = try (0..<6).map { _ in
                try Program.start(
                    ["trace", "import", "trace.csv", "--output", "same.csv"], in: inputs.folder)
            }
            for writer in writers { #expect(await writer.outcome().status == 0) }
            #expect(inputs.text("same.csv")?.split(separator: "\n").count == 151)
            #expect(!inputs.names().contains { $0.hasSuffix(".partial") })
        }
    }

    static let documents = [
        "manifest.json", "report.html", "results.sqlite", "scenario.resolved.yaml", "summary.json",
    ]
}
