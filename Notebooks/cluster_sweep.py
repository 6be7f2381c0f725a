"""Run the lines of a sweep manifest on a Dask cluster and collect the results.

    urlfilter sweep manifest Scenarios/outage.yaml --vary services.pir.cores=1..8:1 \
        --output results/cores
    python Notebooks/cluster_sweep.py results/cores --local 4
    python Notebooks/cluster_sweep.py results/cores --scheduler tcp://10.0.0.1:8786

A task is one line: `urlfilter sweep work DIRECTORY --line N`. The workers need this program, Dask, and the
directory (it carries the cost profiles) and the input files under the same path. A worker that dies costs
the lines it was at; Dask gives them to another one. Lines whose result file is there are not submitted
again, so the same command goes on after any end. The exit code is that of `urlfilter sweep collect`.
"""

import argparse
import json
import pathlib
import subprocess
import sys

from distributed import Client, LocalCluster, as_completed


def run_line(program: str, directory: str, line: int) -> int:
    """Runs one line on a worker; its complaint becomes the error of the task."""
    command = [program, "sweep", "work", directory, "--line", str(line), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{program} ended with {done.returncode}")
    return line


def lines_to_do(directory: pathlib.Path) -> list[int]:
    """Lines of the manifest without a result file, from 1."""
    units = (directory / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    results = [directory / json.loads(unit)["result"] for unit in units]
    return [number for number, result in enumerate(results, start=1) if not result.exists()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path, help="directory of 'urlfilter sweep manifest'")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--scheduler", help="address of a running Dask scheduler")
    place.add_argument("--local", type=int, metavar="N", help="start N worker processes on this machine")
    parser.add_argument("--program", default="urlfilter", help="the urlfilter executable on the workers")
    parser.add_argument("--retries", type=int, default=2, help="times that a line may fail before it counts")
    options = parser.parse_args()
    directory = options.directory.resolve()

    lines = lines_to_do(directory)
    cluster = None
    if options.local:
        # Processes, one line at a time each: the work is done by a program of its own.
        cluster = LocalCluster(n_workers=options.local, threads_per_worker=1, dashboard_address=None)
    with Client(cluster or options.scheduler) as client:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        print(f"{len(lines)} lines to do on {workers} workers", file=sys.stderr)
        futures = client.map(
            run_line,
            [options.program] * len(lines),
            [str(directory)] * len(lines),
            lines,
            pure=False,
            retries=options.retries,
        )
        failures = 0
        for count, future in enumerate(as_completed(futures), start=1):
            if future.status == "error":
                failures += 1
                print(f"failed: {future.exception()}", file=sys.stderr)
            print(f"line {count}/{len(lines)}", file=sys.stderr)
    if cluster:
        cluster.close()
    if failures:
        print(f"{failures} lines failed; the same command tries them again", file=sys.stderr)
    return subprocess.run([options.program, "sweep", "collect", str(directory)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
