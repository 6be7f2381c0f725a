import Deployment
import Foundation
import TestSupport
import Testing
import Yams

/// Scripts of schedulers, run by a shell with a program that only notes what it was asked for.
struct SweepBatchTests {
    private static func batch(lines: Int, folder: String = "/data/o'clock sweep") -> SweepBatch {
        SweepBatch(folder: folder, lines: lines, inputFolders: ["/data/lists"], version: "1")
    }

    /// - Returns: Lines of the manifest that the tasks ran, in order, and whether all of them ended well.
    private static func run(
        _ words: [String], tasks: [Int], variable: String
    ) throws -> (lines: [Int], isWell: Bool) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let notes = "\(folder.path)/notes"
        let program = "\(folder.path)/urlfilter"
        // Line 1500 fails.
        try Data(
            """
            #!/bin/sh
            [ "$3" = "/data/o'clock sweep" ] && echo "$5" >> \(notes)
            [ "$5" != 1500 ]

            """.utf8
        ).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        var isWell = true
        for task in tasks {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: words[0])
            process.arguments = Array(words.dropFirst())
            process.environment = ["PATH": "\(folder.path):/usr/bin:/bin", variable: "\(task)"]
            try process.run()
            process.waitUntilExit()
            isWell = isWell && process.terminationStatus == 0
        }
        let text = try String(contentsOfFile: notes, encoding: .utf8)
        return (text.split(separator: "\n").compactMap { Int($0) }, isWell)
    }

    private static func field(_ value: Any?, _ path: String...) -> Any? {
        path.reduce(value) { value, key in
            Int(key).map { (value as? [Any])?[$0] } ?? (value as? [String: Any])?[key]
        }
    }

    @Test func slurmRunsEachLineOnce() throws {
        let file = try Self.batch(lines: 2_500).file(for: .slurm)
        #expect(file.name == "sweep.sbatch" && file.text.contains("#SBATCH --array=1-1000\n"))
        // Directives come before the first command, or Slurm does not see them.
        let lines = file.text.split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.hasPrefix("#SBATCH") })
        #expect(lines[...last].allSatisfy { $0.hasPrefix("#") })
        let all = try Self.run(
            ["/bin/bash", "-c", file.text], tasks: [1, 999, 1_000], variable: "SLURM_ARRAY_TASK_ID")
        #expect(all.lines == [1, 1_001, 2_001, 999, 1_999, 1_000, 2_000] && all.isWell)
        let failed = try Self.run(
            ["/bin/bash", "-c", file.text], tasks: [500], variable: "SLURM_ARRAY_TASK_ID")
        // A line that fails does not keep the others from it, and the task says so.
        #expect(failed.lines == [500, 1_500, 2_500] && !failed.isWell)
        var few = Self.batch(lines: 7)
        few.parallel = 3
        #expect(try few.file(for: .slurm).text.contains("#SBATCH --array=1-7%3\n"))
    }

    @Test func kubernetesRunsEachLineOnce() throws {
        var batch = Self.batch(lines: 1_003)
        batch.parallel = 40
        batch.image = "registry.example.com/own:1"
        let file = try batch.file(for: .k8s)
        let job = try #require(try Yams.load(yaml: file.text))
        #expect(Self.field(job, "kind") as? String == "Job")
        #expect(Self.field(job, "metadata", "name") as? String == "urlfilter-o-clock-sweep")
        let spec = Self.field(job, "spec")
        #expect(Self.field(spec, "completionMode") as? String == "Indexed")
        #expect(Self.field(spec, "completions") as? Int == 1_000)
        #expect(Self.field(spec, "parallelism") as? Int == 40)
        let container = Self.field(spec, "template", "spec", "containers", "0")
        #expect(Self.field(container, "image") as? String == "registry.example.com/own:1")
        let mounts = try #require(Self.field(container, "volumeMounts") as? [[String: Any]])
        #expect(mounts.map { $0["mountPath"] as? String } == ["/data/lists", "/data/o'clock sweep"])
        #expect(mounts.map { $0["subPath"] as? String } == ["data/lists", "data/o'clock sweep"])
        #expect(mounts.map { $0["readOnly"] as? Bool } == [true, false])
        let words =
            try #require(Self.field(container, "command") as? [String])
            + #require(Self.field(container, "args") as? [String])
        // Indices begin with 0, lines with 1.
        let all = try Self.run(words, tasks: [0, 2, 999], variable: "JOB_COMPLETION_INDEX")
        #expect(all.lines == [1, 1_001, 3, 1_003, 1_000] && all.isWell)
    }
}
