import ArgumentParser
import CommandSupport

/// `urlfilter sweep`: a sweep in pieces that any cluster engine can run.
struct SweepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Run a sweep in pieces, on a cluster or by hand: manifest, work, collect.",
        discussion: """
            'manifest' begins a sweep directory and writes one line of work per point,
            'work' runs one line and writes one result file, 'collect' takes the files into
            the database. The directory carries the cost profiles, so that no worker
            measures its own. Lines may be run in any order, at the same time, more than once,
            on every machine that sees the directory and the inputs under the same path; a
            line that dies costs only itself. The database ends like that of 'urlfilter run'.

            Examples:
              urlfilter sweep manifest Scenarios/outage.yaml \\
                --vary services.pir.cores=1..8:1 --output results/cores
              seq 8 | xargs -P 4 -I{} urlfilter sweep work results/cores --line {}
              urlfilter sweep collect results/cores

            Notebooks/cluster_sweep.py submits the lines to Dask.
            """.flowing,
        subcommands: [SweepManifestCommand.self, SweepWorkCommand.self, SweepCollectCommand.self])
}
