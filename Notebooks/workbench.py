"""What the notebooks share: calling `urlfilter`, and reading what it wrote."""

import functools
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile

import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIOS = ROOT / "Scenarios"

#: Colours that people with each kind of colour blindness can tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"


def program():
    """The executable: $URLFILTER, or the release build of this checkout."""
    path = os.environ.get("URLFILTER") or ROOT / ".build" / "release" / "urlfilter"
    if not pathlib.Path(path).exists():
        raise FileNotFoundError(f"{path}: build it with 'swift build -c release --product urlfilter'")
    return str(path)


def urlfilter(*arguments, allowed=(0,)):
    """Runs the command line and returns what it printed.

    `allowed` lists the exit codes that are answers: 2 is a missed objective, 4 one that cannot be told.
    """
    command = [program(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def run(scenario, *arguments, **settings):
    """Runs a scenario and returns its result; `settings` are written with '__' for '.'."""
    folder = tempfile.mkdtemp(prefix="urlfilter-")
    sets = [part for key, value in settings.items() for part in ("--set", f"{key.replace('__', '.')}={value}")]
    urlfilter("run", SCENARIOS / scenario, "--output", folder, "--quiet", "--chance-only", *sets, *arguments, allowed=(0, 2, 4))
    return Result(folder)


@functools.cache
def answer_seconds():
    """CPU of one PIR answer from the shipped list on this machine, as the program measures it."""
    small = {"duration": "9h30m", "devices[students]__count": 20, "devices[staff]__count": 1}
    result = run("school-district.yaml", **small, replications__min=2, replications__max=2)
    return result.summary["profile"]["responseSeconds"]


def slow_down(seconds):
    """`services.pir.cpuFactor` with which an answer takes so many seconds on any machine."""
    return seconds / answer_seconds()


class Result:
    """A result directory: `summary` is the JSON document, `table` reads the database."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.summary = json.loads((self.folder / "summary.json").read_text())
        self.point = self.summary["points"][0]

    def metric(self, name, statistic):
        """Value and interval of one metric; the interval is absent when there is none."""
        found = [m for m in self.point["metrics"] if (m["name"], m["statistic"]) == (name, statistic)]
        return pd.Series(
            {
                "value": found[0]["value"],
                "low": found[0].get("interval", {}).get("low"),
                "high": found[0].get("interval", {}).get("high"),
            }
        )

    def table(self, name):
        with sqlite3.connect(f"file:{self.folder / 'results.sqlite'}?mode=ro", uri=True) as database:
            return pd.read_sql_query(f"SELECT * FROM {name}", database)


def describe(result):
    """Where numbers come from, for the second cell of a notebook."""
    manifest = json.loads((result.folder / "manifest.json").read_text())
    scenario = result.summary["scenario"]
    return (
        f"schema {result.summary['schema']}, urlfilter {manifest['version']}, seed {scenario['seed']}, "
        f"{result.point['replications']} replications, fidelity {scenario['fidelity']}"
    )
