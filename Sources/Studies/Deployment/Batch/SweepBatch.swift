import Foundation

/// Schedulers of other machines that can run the lines of a sweep's manifest.
package enum BatchScheduler: String, CaseIterable, Sendable {
    case slurm, k8s
}

/// Lines of a manifest as tasks of a scheduler: each task runs some of them, one after the other, and whatever ends it,
/// the lines that have a result are not run again.
package struct SweepBatch: Sendable {
    /// The sweep directory, absolute.
    package var folder: String
    /// Number of lines of the manifest.
    package var lines: Int
    /// Folders of the inputs that are not in the sweep directory.
    package var inputFolders: [String]
    package var version: String
    /// Tasks at the same time; `nil`: as many as the scheduler has room for.
    package var parallel: Int?
    /// Container image with the program; `nil` for a placeholder.
    package var image: String?

    package init(folder: String, lines: Int, inputFolders: [String], version: String) {
        self.folder = folder
        self.lines = lines
        self.inputFolders = inputFolders
        self.version = version
    }

    /// Indices of an array that Slurm takes unless its `MaxArraySize` was raised, and of a Job that is still listed
    /// quickly. More lines share tasks.
    package static let mostTasks = 1_000
    /// Times that a task is tried again.
    static let retries = 2

    package var tasks: Int { min(lines, Self.mostTasks) }

    package func file(for scheduler: BatchScheduler) throws -> ExportedFile {
        switch scheduler {
        case .slurm: ExportedFile(name: "sweep.sbatch", text: slurm)
        case .k8s: ExportedFile(name: "sweep-job.yaml", text: try kubernetes)
        }
    }

    /// Name of the work where a scheduler shows it.
    var name: KubernetesName { KubernetesName(URL(fileURLWithPath: folder).lastPathComponent) }

    /// The shell's loop over the lines of one task.
    ///
    /// - Parameter first: Shell's expression of the task's number, from 1.
    func loop(first: String) -> String {
        """
        failed=0
        for line in $(seq \(first) \(tasks) \(lines)); do
          "$program" sweep work \(Self.quoted(folder)) --line "$line" --quiet || failed=1
        done
        exit $failed
        """
    }

    /// A word of the shell that means only itself.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    var needs: [String] {
        [
            "Made by 'urlfilter sweep manifest' \(version): \(lines) lines in \(tasks) tasks.",
            "Every machine needs the same program, and the sweep directory"
                + (inputFolders.isEmpty ? "" : " and the folders of its inputs")
                + " under the same path.",
        ] + inputFolders.map { "  inputs: \($0)" } + [
            "ASSUMED: a core and 4 GB for a task; see what a line takes with 'sweep work'."
        ]
    }
}

extension SweepBatch {
    /// Script for `sbatch`: an array of tasks.
    var slurm: String {
        let comment = needs.map { "# " + ManifestYAML.commentLine($0) }.joined(separator: "\n")
        let most = parallel.map { "%\($0)" } ?? ""
        return """
            #!/bin/bash
            #SBATCH --job-name=urlfilter-\(name.text)
            #SBATCH --array=1-\(tasks)\(most)
            #SBATCH --cpus-per-task=1
            #SBATCH --mem=4G
            \(comment)
            #
            #   sbatch sweep.sbatch
            #   urlfilter sweep collect DIRECTORY      when it is done, or meanwhile
            #
            # Lines without a result after that are run by the same command again. URLFILTER names the program.
            program=${URLFILTER:-urlfilter}
            \(loop(first: "\"$SLURM_ARRAY_TASK_ID\""))

            """
    }
}
