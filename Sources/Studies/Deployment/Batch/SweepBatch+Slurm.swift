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
