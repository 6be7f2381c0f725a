#!/usr/bin/env python3
"""Holds what 'urlfilter export' wrote against the tools that will read it.

    pip install -r Notebooks/requirements-exports.txt; apt-get install prometheus nodejs
    Notebooks/validate_exports.py FOLDER...

Kubernetes: the schemas of its API (kubernetes-validate, strict: unknown fields are errors), names by RFC 1123, and that
every Service, HorizontalPodAutoscaler and PodDisruptionBudget finds its pods. Prometheus: promtool, with the rules' own
tests. Grafana: JSON, and every query parsed by promtool. Terraform: python-hcl2. k6: node, with k6's modules as stubs that
note what the script asks for. The money of a plan (budget.csv beside plan.json): LibreOffice calculates it, and its sums
are the plan's. A sweep's array (sweep.sbatch): bash -n, and sbatch --test-only where a controller runs; its Job
(sweep-job.yaml): the schema. A tool that is missing is named and counts as a failure.
"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KUBERNETES = "1.33"
failures = 0


def report(name, problem=None):
    global failures
    failures += problem is not None
    print(f"{'FAIL' if problem else 'pass'}  {name}" + (f": {problem}" if problem else ""))


def run(*command, cwd=None):
    if not shutil.which(command[0]):
        return f"{command[0]} is not installed"
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip()


def kubernetes(path):
    import kubernetes_validate
    import yaml

    documents = list(yaml.safe_load_all(path.read_text()))
    pods = {}
    for document in documents:
        kind, name = document["kind"], document["metadata"]["name"]
        try:
            kubernetes_validate.validate(document, KUBERNETES, strict=True)
            assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name), f"{name} is no label of RFC 1123"
        except Exception as problem:
            report(f"{path.name} {kind} {name}", str(problem)[:500])
        if kind in ("Deployment", "StatefulSet"):
            pods[kind, name] = document["spec"]["template"]["metadata"]["labels"]
    for document in documents:
        spec, place = document.get("spec", {}), f"{path.name} {document['kind']} {document['metadata']['name']}"
        if document["kind"] == "HorizontalPodAutoscaler":
            target = spec["scaleTargetRef"]
            if (target["kind"], target["name"]) not in pods:
                report(place, "scales nothing")
        wanted = {"Service": spec.get("selector"), "PodDisruptionBudget": spec.get("selector", {}).get("matchLabels")}
        labels = wanted.get(document["kind"])
        if labels and not any(labels.items() <= own.items() for own in pods.values()):
            report(place, "selects no pod")
    report(f"{path.name}, {len(documents)} manifests, Kubernetes {KUBERNETES}")


def prometheus(folder):
    report("rules.yaml, promtool check rules", run("promtool", "check", "rules", "rules.yaml", cwd=folder))
    report("rules-test.yaml, promtool test rules", run("promtool", "test", "rules", "rules-test.yaml", cwd=folder))
    name = "scrape.yaml, promtool check config"
    problem = run("promtool", "check", "config", "--syntax-only", "scrape.yaml", cwd=folder)
    if problem and "kubernetes_sd_configs not found" in problem:
        # Debian builds it without the discovery of Kubernetes: the rest is checked with fixed targets.
        name += " (this promtool knows no kubernetes_sd_configs; the rest)"
        text = (folder / "scrape.yaml").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=folder) as file:
            file.write(re.sub(r"kubernetes_sd_configs:\n(\s*)- role: pod", r"static_configs:\n\1- targets: [a]", text))
            file.flush()
            problem = run("promtool", "check", "config", "--syntax-only", file.name)
    report(name, problem)


def grafana(path):
    board = json.loads(path.read_text())
    queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    rules = {"groups": [{"name": "panels", "rules": [
        {"record": f"panel:{place}", "expr": query} for place, query in enumerate(queries)]}]}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(json.dumps(rules))
        file.flush()
        problem = run("promtool", "check", "rules", "--lint=none", file.name)
    boxes = [panel["gridPos"] for panel in board["panels"]]
    overlap = any(
        a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]
        for place, a in enumerate(boxes) for b in boxes[:place])
    report(f"{path.name}, schemaVersion {board['schemaVersion']}, {len(queries)} queries",
           problem or ("panels overlap" if overlap else None))


def terraform(folder):
    import hcl2

    try:
        values = hcl2.loads((folder / "terraform.tfvars").read_text())
        declared = hcl2.loads((folder / "variables.tf").read_text())["variable"]
        names = {name.strip('"') for block in declared for name in block if not name.startswith("__")}
        given = {name for name in values if not name.startswith("__")}
        report("terraform.tfvars and variables.tf", None if names == given else f"{names ^ given} differ")
    except Exception as problem:
        report("terraform.tfvars", str(problem)[:500])


STUB = """
const calls = [];
const http = { post: (url, body, settings) => { calls.push([url, body.byteLength]); return { status: 400 }; },
  setResponseCallback: () => {}, expectedStatuses: () => ({}) };
export default http;
export const check = (value, tests) => Object.values(tests).every((test) => test(value));
"""


def k6(path):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "stub.mjs").write_text(STUB)
        text = path.read_text().replace("'k6/http'", "'./stub.mjs'").replace("'k6'", "'./stub.mjs'")
        (folder / "script.mjs").write_text(text)
        (folder / "try.mjs").write_text(
            "globalThis.__ENV = { GATEWAY: 'https://gateway.example.com' };\n"
            "const { default: once, options } = await import('./script.mjs');\nonce();\n"
            "const steps = Object.values(options.scenarios);\n"
            "if (!steps.length || !steps.every((s) => s.stages.every((t) => Number.isInteger(t.target))))\n"
            "  throw new Error('targets have to be whole numbers');\n")
        report(f"{path.name}, node with stubs of k6", run("node", "try.mjs", cwd=folder))


def money(folder):
    """The sums of the sheet, calculated by LibreOffice, beside those of the plan."""
    plan = json.loads((folder / "plan.json").read_text())
    rows = plan["points"][plan["best"]]["plan"]["cost"]["rows"]
    wanted = {"all": sum(row["amount"] * row["price"] for row in rows)}
    wanted |= {("MONTH", float(month["first"])): month["total"] for month in plan["budget"]["months"]}
    wanted |= {("YEAR", number): year["total"] for number, year in enumerate(plan["budget"]["years"], start=1)}
    with tempfile.TemporaryDirectory() as place:
        # Comma, quotes, UTF-8, English (USA), and formulas are evaluated; the same without formulas.
        problem = run("soffice", f"-env:UserInstallation=file://{place}/profile", "--headless",
                      "--infilter=CSV:44,34,76,1,,1033,false,true,false,false,false,-1,true",
                      "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,false,false,false",
                      "--outdir", place, str(folder / "budget.csv"))
        result = pathlib.Path(place) / "budget.csv"
        if problem or not result.exists():
            return report("budget.csv, LibreOffice", problem or "it wrote nothing")
        found, part = {}, ""
        for row in csv.reader(result.open()):
            part = row[0] if row and row[0].isupper() else part
            if row and row[0] == "all" and row[5:6] != [""]:
                found["all"] = float(row[5])
            elif part in ("MONTH", "YEAR") and row and row[0].replace(".", "").isdigit():
                found[part, float(row[0])] = float(row[7])
    wrong = [key for key in wanted if abs(found.get(key, 0) / wanted[key] - 1) > 1e-6]
    report(f"budget.csv, {len(wanted)} sums by LibreOffice", f"{wrong} differ from plan.json" if wrong else None)


def slurm(path):
    report(f"{path.name}, bash -n", run("bash", "-n", str(path)))
    if subprocess.run(["scontrol", "ping"], capture_output=True).returncode == 0:
        report(f"{path.name}, sbatch --test-only", run("sbatch", "--test-only", str(path)))
    else:
        print(f"skip  {path.name}, sbatch --test-only: no controller runs")


for folder in map(pathlib.Path, sys.argv[1:]):
    if (folder / "budget.csv").exists():
        money(folder)
    if (folder / "sweep.sbatch").exists():
        slurm(folder / "sweep.sbatch")
    if (folder / "sweep-job.yaml").exists():
        kubernetes(folder / "sweep-job.yaml")
    for path in sorted(folder.glob("kubernetes-*.yaml")):
        kubernetes(path)
    if (folder / "rules.yaml").exists():
        prometheus(folder)
    if (folder / "dashboard.json").exists():
        grafana(folder / "dashboard.json")
    if (folder / "terraform.tfvars").exists():
        terraform(folder)
    for path in sorted(folder.glob("load-*.js")):
        k6(path)
sys.exit(failures > 0)
