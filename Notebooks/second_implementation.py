"""A second implementation of one small scenario, written from the articles and not from the code.

It expands every URL of a trace to its lookup strings, builds the prefilter, plays the devices' caches and the queue
of the PIR server, and compares what it finds with `urlfilter run second_implementation.yaml`: counts have to be equal,
latencies within three standard errors. Articles "Device" (lookup strings, prefilter, caches) and "FleetModel"
(exchanges) say how. Needs numpy; the program is $URLFILTER or the release build.

    python3 Notebooks/second_implementation.py
    python3 Notebooks/second_implementation.py --replications 400
"""

import argparse
import csv
import heapq
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SCENARIO = HERE / "second_implementation.yaml"
DATA = HERE.parent / "Scenarios" / "data"

# The scenario, in seconds, bytes and bytes per second.
COMPRESSION = 4
TOLERANCE = 0.001
MURMUR_SEED = 624656550
ACCESS_DELAY = 0.010
ACCESS_RATE = 100e6 / 8
RELAY_MEAN_DELAY = 0.010
BACKEND_DELAY = 0.0005
GATEWAY_CORES = 2
PIR_CORES = 1
PIR_CPU_FACTOR = 60
AGENT_CACHE = 100

# What the parties need for a request: written as a cost profile for the program, too.
STEP = 0.001
ANSWER = 0.005
EXTRA_KEYWORD = 0.001
REQUEST_BYTES, RESPONSE_BYTES, EXTRA_BYTES = 30_000, 25_000, 100


def cost_profile(entries):
    """The same costs in every request, as the file that `--profile` takes."""

    def nanoseconds(seconds):
        return {"samples": [round(seconds * 1e9)]}

    steps = dict.fromkeys(["deviceBegins", "gatewayOpens", "gatewaySeals", "deviceEnds"], nanoseconds(STEP))
    endpoint = {
        **steps,
        "serviceAnswers": nanoseconds(ANSWER),
        "requestBytes": REQUEST_BYTES,
        "responseBytes": RESPONSE_BYTES,
    }
    nothing = dict.fromkeys(["deviceBegins", "gatewayOpens", "gatewaySeals", "deviceEnds"], 0)
    return {
        "schema": "urlfilter.profile/1",
        "evaluationKeyBytes": 400_000,
        "machine": dict.fromkeys(["processor", "system", "compiler", "build"], "invented") | {"cores": 1},
        "subject": {
            "rlweParameters": "n_4096_logq_27_28_28_logt_5",
            "entries": entries,
            "shards": 1,
            "dimensions": [1, 1],
            "databaseBytes": 1,
        },
        "extraKeyword": nothing
        | {
            "serviceAnswers": round(EXTRA_KEYWORD * 1e9),
            "requestBytes": EXTRA_BYTES,
            "responseBytes": EXTRA_BYTES,
        },
        "endpoints": dict.fromkeys(["directory", "tokenKey", "issue", "config", "key", "queries"], endpoint),
    }


def entries_of_list():
    """Without `www.` and comments, each once; Apple's test entry stays in both of its forms."""
    test = "www.apple.com/url-filter-test"
    lines = [line.strip() for line in (DATA / "blocklist.txt").read_text().splitlines()]
    entries = (line for line in lines if line and not line.startswith("#"))
    return list(dict.fromkeys(line if line == test else line.removeprefix("www.") for line in entries))


def lookup_strings(url):
    """Article "Device", section "As documented"."""
    parts = urllib.parse.urlsplit(url)
    labels = parts.hostname.removeprefix("www.").split(".")
    port = parts.port or {"https": 443, "http": 80}[parts.scheme]
    segments = [segment for segment in parts.path.split("/") if segment]
    path = "".join("/" + segment for segment in segments)
    tails = ["", "/"]
    for count in range(1, len(segments) + 1):
        prefix = "".join("/" + segment for segment in segments[:count])
        tails += [prefix, prefix + "/"]
    if parts.query:
        for before in (path + "/", path):
            tails.append(f"{before}?{parts.query}")
            if parts.fragment:
                tails.append(f"{before}?{parts.query}#{parts.fragment}")
    hosts = [".".join(labels[first:]) for first in range(len(labels) - 2, -1, -1)]
    return list(dict.fromkeys(host + mark + tail for host in hosts for mark in ("", f":{port}") for tail in tails))


def fnv1a(data):
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def murmur3(data, seed):
    """MurmurHash3 x86_32."""

    def rotate(value, bits):
        return (value << bits | value >> 32 - bits) & 0xFFFFFFFF

    def scramble(word):
        return rotate(word * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF

    value, whole = seed, len(data) // 4 * 4
    for place in range(0, whole, 4):
        value ^= scramble(int.from_bytes(data[place : place + 4], "little"))
        value = (rotate(value, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    value ^= scramble(int.from_bytes(data[whole:], "little"))
    value ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ value >> shift) * factor & 0xFFFFFFFF
    return value ^ value >> 16


class Prefilter:
    """Article "Device", section "Prefilter"."""

    def __init__(self, entries):
        self.size = math.ceil(-len(entries) * math.log(TOLERANCE) / math.log(2) ** 2)
        self.hashes = math.ceil(self.size / len(entries) * math.log(2))
        self.bits = set()
        for entry in entries:
            self.bits.update(self.places(entry))

    def places(self, text):
        data = text.encode()
        first, second = fnv1a(data), murmur3(data, MURMUR_SEED)
        return [(first + probe * second & 0xFFFFFFFF) % self.size for probe in range(self.hashes)]

    def __contains__(self, text):
        return all(place in self.bits for place in self.places(text))


def loads(entries):
    """Of each record of the trace: when, by whom, and which strings hit the prefilter."""
    prefilter, known, found = Prefilter(entries), {}, []
    with open(DATA / "classroom.csv") as file:
        for row in csv.DictReader(file):
            url = row["url"]
            if url not in known:
                known[url] = [text for text in lookup_strings(url) if text in prefilter]
            found.append((float(row["epoch_seconds"]), row["client"], known[url]))
    begin = min(time for time, _, _ in found)
    return sorted((((time - begin) / COMPRESSION, client, hits) for time, client, hits in found), key=lambda x: x[0])


class Cache:
    """Of one device. The cache of the PIR layer holds more than this trace fills, so it never makes room."""

    def __init__(self):
        self.agent, self.pir = {}, {}

    def store(self, text, is_listed):
        if text not in self.agent and len(self.agent) >= AGENT_CACHE:
            self.agent.clear()
        self.agent[text] = is_listed


class Station:
    """So many servers, first come first served."""

    def __init__(self, cores):
        self.free, self.line = cores, []


def replication(trace, listed, random):
    """Counts, latencies of lookups and waiting times at the PIR server."""
    names = ["checked", "hits", "lookups", "cached", "joined"]
    counts = dict.fromkeys(names + ["allowedByPrefilter", "allowedByServer", "blockedByServer"], 0)
    latencies, waits = [], []
    caches, flights = {}, {}
    gateway, pir = Station(GATEWAY_CORES), Station(PIR_CORES)
    events, number = [], 0

    def at(time, what, *about):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, about))

    def way(size):
        """Access network and relay, with the bytes on the access line."""
        return size / ACCESS_RATE + ACCESS_DELAY + random.exponential(RELAY_MEAN_DELAY)

    def verdict(answers):
        counts["blockedByServer" if any(answers) else "allowedByServer"] += 1

    def arrive(now, station, seconds, then, lookup):
        station.line.append((now, seconds, then, lookup))
        serve(now, station)

    def serve(now, station):
        while station.free and station.line:
            came, seconds, then, lookup = station.line.pop(0)
            station.free -= 1
            if station is pir:
                waits.append(now - came)
            at(now + seconds, "served", station, then, lookup)

    for load in trace:
        at(load[0], "load", *load[1:])
    while events:
        now, _, what, about = heapq.heappop(events)
        if what == "load":
            client, hits = about
            counts["checked"] += 1
            cache = caches.setdefault(client, Cache())
            counts["hits"] += bool(hits)
            if not hits:
                counts["allowedByPrefilter"] += 1
            elif all(text in cache.agent for text in hits):
                counts["cached"] += 1
                verdict(cache.agent[text] for text in hits)
            elif (client, frozenset(hits)) in flights:
                counts["joined"] += 1
                flights[client, frozenset(hits)].append(now)
            else:
                asked = [text for text in hits if text not in cache.pir]
                if asked:
                    counts["lookups"] += 1
                    flights[client, frozenset(hits)] = [now]
                    size = REQUEST_BYTES + EXTRA_BYTES * (len(asked) - 1)
                    at(now + STEP + way(size), "opens", client, frozenset(hits), asked)
                else:
                    counts["cached"] += 1
                    for text in hits:
                        cache.store(text, cache.pir[text])
                    verdict(cache.pir[text] for text in hits)
        elif what == "opens":
            arrive(now, gateway, STEP, "answers", about)
        elif what == "answers":
            seconds = (ANSWER + EXTRA_KEYWORD * (len(about[2]) - 1)) * PIR_CPU_FACTOR
            arrive(now, pir, seconds, "seals", about)
        elif what == "seals":
            arrive(now, gateway, STEP, "returns", about)
        elif what == "served":
            station, then, lookup = about
            station.free += 1
            serve(now, station)
            if then == "returns":
                size = RESPONSE_BYTES + EXTRA_BYTES * (len(lookup[2]) - 1)
                at(now + way(size) + STEP, "arrives", *lookup)
            else:
                at(now + BACKEND_DELAY, then, *lookup)
        elif what == "arrives":
            client, hits, asked = about
            cache = caches[client]
            for text in hits:
                if text in asked:
                    cache.pir[text] = text in listed
                cache.store(text, cache.pir[text])
            for began in flights.pop((client, hits)):
                verdict(cache.pir[text] for text in hits)
                latencies.append(now - began)
    return counts, np.array(latencies), np.array(waits)


def nearest_rank(values, share):
    return np.sort(values)[max(math.ceil(share * len(values)), 1) - 1]


def own(replications, entries):
    """Counts, which have to be the same every time, and figures of each replication."""
    trace, listed = loads(entries), set(entries)
    random = np.random.default_rng(7)
    figures, all_counts = [], set()
    for _ in range(replications):
        counts, latencies, waits = replication(trace, listed, random)
        all_counts.add(tuple(counts.items()))
        percentiles = {f"lookup.latency p{rank}": nearest_rank(latencies, rank / 100) for rank in (50, 90, 95)}
        figures.append(
            percentiles | {"lookup.latency mean": latencies.mean(), "lookup.pirWaiting mean": waits.mean()}
        )
    (counts,) = all_counts
    return dict(counts), {name: np.array([figure[name] for figure in figures]) for name in figures[0]}


def of_the_program(replications, entries):
    """The same from `urlfilter run`."""
    program = os.environ.get("URLFILTER") or HERE.parent / ".build" / "release" / "urlfilter"
    with tempfile.NamedTemporaryFile("w", suffix=".json") as profile:
        json.dump(cost_profile(len(entries)), profile)
        profile.flush()
        sizes = [part for key in ("min", "max") for part in ("--set", f"replications.{key}={replications}")]
        command = [program, "run", SCENARIO, "--profile", profile.name, "--quiet", "--chance-only", "--json", *sizes]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}: {done.stderr}")
    point = json.loads(done.stdout)["points"][0]
    return point["counts"], {
        f"{metric['name']} {metric['statistic']}": np.array(metric["perReplication"], float)
        for metric in point["metrics"]
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=100)
    replications = parser.parse_args().replications
    entries = entries_of_list()
    counts, figures = own(replications, entries)
    their_counts, their_figures = of_the_program(replications, entries)
    failed = 0

    print(f"{'counts of one replication':28}{'program':>12}{'second':>12}")
    verdicts = their_counts["verdicts"] | {
        "checked": their_counts["urlsChecked"],
        "hits": their_counts["urlsHit"],
        "lookups": their_counts["lookupsSent"],
        "cached": their_counts["answeredByCache"],
        "joined": their_counts["lookupsCoalesced"],
    }
    for name, value in counts.items():
        theirs = verdicts[name] / replications
        failed += theirs != value
        print(f"  {name:26}{theirs:12g}{value:12}  {'equal' if theirs == value else 'DIFFERENT'}")

    print(f"{f'means of {replications}, ms':28}{'program':>12}{'second':>12}{'apart by':>12} standard errors")
    for name, mine in figures.items():
        theirs = their_figures[name]
        error = math.hypot(*(values.std(ddof=1) / math.sqrt(replications) for values in (mine, theirs)))
        # The program reads percentiles from a histogram: the upper end of a bucket, up to 0.1 % high.
        above = theirs.mean() - mine.mean()
        bucket = 0.001 * mine.mean() if name[-2:].isdigit() else 0
        apart = max(above - bucket, -above, 0) / error
        failed += not apart <= 3
        print(f"  {name:26}{theirs.mean() * 1e3:12.3f}{mine.mean() * 1e3:12.3f}{apart:12.2f}"
              f"  {'agrees' if apart <= 3 else 'DIFFERENT'}")
    sys.exit(2 if failed else 0)


if __name__ == "__main__":
    main()
