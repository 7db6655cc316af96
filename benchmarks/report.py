#!/usr/bin/env python3
"""usage: report.py PROGRAMS_DIR [--compiler CXX] [--repetitions N] [--smoke]

Runs all benchmarks and prints the README's tables. Every time is the median of N runs, and the runs of tarn, of SQLite
and of the floors take turns, so that a busy moment of the machine hits all of them. What is compared are ratios. Files
are made below the working directory: run it on the disk that is meant. Takes about three minutes; with --smoke, which
only tries whether everything works, a few seconds.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import compile_cost

PROGRAMS = ["insert", "commit", "open", "scan", "json", "merge"]

# What each benchmark does, by the first part of its name, and whether its time is told for each of the things it did.
WORK = {
    "insert": ("insert {count} rows, one commit", False),
    "commit": ("commit one row", True),
    "put": ("put_if_absent of a commit's bytes", True),
    "open cold": ("open, after {count} commits", False),
    "open warm": ("look for a newer version, after {count} commits", False),
    "scan": ("read every value of {count} rows", False),
    "sum": ("add up one column of {count} rows", False),
    "parse": ("parse an object of {count} rows", False),
    "write": ("write an object of {count} rows", False),
}
# What tarn is compared with, by the second part.
PEERS = {
    "sqlite": "SQLite",
    "lmdb": "LMDB",
    "leveldb": "LevelDB",
    "simdjson": "simdjson",
    "rapidjson": "RapidJSON",
    "nlohmann": "nlohmann",
}
PLACES = {"memory": "memory", "files": "files", "volatile files": "files, no fsync"}
ALL_SIZES = {"open cold"}  # of the others, the largest tells enough

NAME = re.compile(r"(?P<work>[^/]+)/(?P<who>[^/]+)/(?P<place>[^/]+)/\w+:(?P<count>\d+)")

PEAK_ROWS = [1_000, 1_000_000, 10_000_000]
KEYED_PEAK_ROWS = [1_000, 1_000_000]
SMOKE_FILTER = ":(10|1000)(/|$)"


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_benchmarks(program, repetitions, smoke):
    """What Google Benchmark reports, as its JSON."""
    say(f"{program.name} ...")
    options = ["--benchmark_format=json", "--benchmark_enable_random_interleaving=true"]
    options.append(f"--benchmark_repetitions={1 if smoke else repetitions}")
    if smoke:
        options.append(f"--benchmark_filter={SMOKE_FILTER}")
    done = subprocess.run([program, *options], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def nanoseconds(result):
    """In memory the processor's time is the whole of it, and other programs do not show in it; files are waited for."""
    unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[result["time_unit"]]
    return unit * result["cpu_time" if "/memory/" in result["name"] else "real_time"]


def medians(reports):
    """{(work, place, count): {who: nanoseconds}}"""
    times = {}
    for report in reports:
        for result in report["benchmarks"]:
            if result["run_type"] != "iteration":
                continue
            name = NAME.match(result["name"])
            what = (name["work"], name["place"], int(name["count"]))
            times.setdefault(what, {}).setdefault(name["who"], []).append(nanoseconds(result))
    return {what: {who: statistics.median(runs) for who, runs in of.items()} for what, of in times.items()}


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def ratio_text(numerator, denominator):
    if numerator is None or denominator is None:
        return "-"
    two_digits = float(f"{numerator / denominator:.2g}")
    return f"{two_digits:,g} x"


def is_largest(what, all_of_them):
    work, place, count = what
    return count == max(c for w, p, c in all_of_them if (w, p) == (work, place))


def time_table(times):
    """Each peer's time, and how many times tarn's it is, with either codec."""
    yield "| work | where | tarn, JSON | tarn, columnar | peers: their time / JSON's, / columnar's | floor | JSON / floor |"
    yield "| --- | --- | ---: | ---: | --- | ---: | ---: |"
    rank = {name: at for at, name in enumerate([*WORK, *PLACES])}
    for what in sorted(times, key=lambda key: (rank[key[0]], rank[key[1]], key[2])):
        work, place, count = what
        if work not in ALL_SIZES and not is_largest(what, times):
            continue
        description, each = WORK[work]
        per = {who: ns / (count if each else 1) for who, ns in times[what].items()}
        tarn, columnar, floor = (per.get(who) for who in ("tarn", "columnar", "floor"))
        peers = []
        for who, name in PEERS.items():
            if who in per:
                ratios = [ratio_text(per[who], mine) for mine in (tarn, columnar) if mine is not None]
                peers.append(f"{name} {time_text(per[who])}: {', '.join(ratios)}")
        cells = [description.format(count=f"{count:,}"), PLACES[place]]
        cells += ["-" if ns is None else time_text(ns) for ns in (tarn, columnar)]
        cells += ["; ".join(peers) or "-", "-" if floor is None else time_text(floor), ratio_text(tarn, floor)]
        yield f"| {' | '.join(cells)} |"


# What a keyed table went through, in the names of merge.cpp.
CHANGES = re.compile(r"(?P<work>merge|compact) (?P<percent>[\d.]+) % of (?P<keys>\w+) keys in (?P<deltas>\d+) deltas?")
KEYS = ["integer", "string", "composite"]


def changes_of(work, times):
    """(what was measured, the parts of its name) of the largest tables, in order."""
    def order(found):
        return KEYS.index(found[1]["keys"]), float(found[1]["percent"]), int(found[1]["deltas"])

    found = [(what, CHANGES.match(what[0])) for what in times if is_largest(what, times)]
    return sorted([(what, name) for what, name in found if name and name["work"] == work], key=order)


def merge_table(times):
    """Ratios of scans of a keyed table, with positions that hold, with stale ones and without deltas."""
    yield (
        "| keys | changed | deltas | by position | by key | by position / by key | by key / no deltas |"
        " stale by position / by key | bag / by position |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for what, changes in changes_of("merge", times):
        took = times[what]
        none = times[(f"merge no change of {changes['keys']} keys", *what[1:])]
        cells = [changes["keys"], f"{changes['percent']} %", changes["deltas"]]
        cells += [time_text(took[who]) for who in ("by position", "by key")]
        for numerator, denominator in (
            (took["by position"], took["by key"]),
            (took["by key"], none["no deltas"]),
            (took["by stale position"], took["by key, stale"]),
            (none["bag"], took["by position"]),
        ):
            cells.append(f"{numerator / denominator:.2f} x")
        yield f"| {' | '.join(cells)} |"


def bag_table(times):
    """What having a key costs a scan, if there are no deltas."""
    yield "| keys | rows | no deltas | the same rows in a bag | no deltas / bag |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for keys in KEYS:
        what = max(what for what in times if what[0] == f"merge no change of {keys} keys")
        took = times[what]
        cells = [keys, f"{what[2]:,}", time_text(took["no deltas"]), time_text(took["bag"])]
        yield f"| {' | '.join(cells)} | {took['no deltas'] / took['bag']:.2f} x |"


def compaction_table(times, report):
    yield "| keys | changed | deltas | compaction | records/s | MB/s | by position / by key | compaction / scan |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    counters = {}
    for result in report["benchmarks"]:
        if result["run_type"] == "iteration" and "rows_read" in result:
            name = NAME.match(result["name"])
            counters[(name["work"], name["place"], int(name["count"]))] = result["rows_read"], result["bytes_read"]
    for what, changes in changes_of("compact", times):
        took = times[what]
        rows, size = counters[what]
        seconds = took["by position"] / 1e9
        scan = times[(what[0].replace("compact ", "merge ", 1), *what[1:])]["by position"]
        cells = [changes["keys"], f"{changes['percent']} %", changes["deltas"], time_text(took["by position"])]
        cells += [f"{rows / seconds / 1e6:.1f} M", f"{size / seconds / 1e6:.0f}"]
        cells += [f"{took['by position'] / took['by key']:.2f} x", f"{took['by position'] / scan:.2f} x"]
        yield f"| {' | '.join(cells)} |"


def size_of(path):
    files = path.rglob("*") if path.is_dir() else path.parent.glob(path.name + "*")
    return sum(file.stat().st_size for file in files if file.is_file())


def peak_table(program, sizes):
    """The most memory that a process ever has with a table in files, and how large the files are for each row."""
    yield "| rows | tarn, insert | tarn, scan | SQLite, insert | SQLite, scan | tarn, a row | SQLite, a row |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for rows in sizes:
        say(f"peak memory of {rows:,} rows ...")
        cells = []
        folder = pathlib.Path(tempfile.mkdtemp(prefix="benchmark_", dir="."))
        try:
            for who in ("tarn", "sqlite"):
                for work in ("insert", "scan"):
                    command = [program, who, work, str(rows), folder]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                    cells.append(f"{int(done.stdout) / 1024:.1f} MiB")
            cells += [f"{size_of(folder / name) / rows:.1f} B" for name in ("lake", "database")]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        yield f"| {rows:,} | {' | '.join(cells)} |"


def keyed_peak_table(program, sizes):
    """The most memory that a process ever has with a keyed table in files: a base and deltas of 65,536 rows."""
    yield "| rows | write | scan | compact | scan, compacted | its base |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    for rows in sizes:
        say(f"peak memory of {rows:,} keyed rows ...")
        cells = []
        with tempfile.TemporaryDirectory(prefix="benchmark_", dir=".") as folder:
            for work in ("insert", "scan", "compact", "scan"):
                command = [program, "keyed", work, str(rows), folder]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                cells.append(f"{int(done.stdout) / 1024:.1f} MiB")
            largest = max(file.stat().st_size for file in pathlib.Path(folder, "keyed").iterdir())
            cells.append(f"{largest / 2**20:.1f} MiB")
        yield f"| {rows:,} | {' | '.join(cells)} |"


def writers_table(program, commits):
    """Writers at once in one folder: the program makes the table itself."""
    say("writers at once ...")
    done = subprocess.run([program, str(commits)], stdout=subprocess.PIPE, text=True, check=True)
    yield from done.stdout.splitlines()


def growth_tables(program, smoke):
    """What each operation grows with, and its calls of the store: the program makes the tables itself."""
    say("growth ...")
    done = subprocess.run([program, *(["--smoke"] if smoke else [])], stdout=subprocess.PIPE, text=True, check=True)
    yield from done.stdout.splitlines()


def first_line(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.partition("\n")[0].strip()


def machine(context, compiler):
    model = first_line("sed", "-n", "s/^model name[^:]*: //p", "/proc/cpuinfo") or platform.processor()
    file_system = first_line("findmnt", "-n", "-o", "FSTYPE", "-T", ".") or "an unknown file system"
    return (
        f"{context['num_cpus']} x {model}, {platform.system()} {platform.release()}, {file_system}; "
        f"{first_line(compiler, '--version')}; SQLite {context['SQLite']}"
    )


def print_merging(report):
    times = medians([report])
    print("Scans of a keyed table in memory, ratios of medians. The time of the same rows in a bag is decoding:")
    print()
    print(*merge_table(times), sep="\n", end="\n\n")
    print("What a key costs, without deltas:", end="\n\n")
    print(*bag_table(times), sep="\n", end="\n\n")
    print("Compaction:", end="\n\n")
    print(*compaction_table(times, report), sep="\n", end="\n\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n")[0][7:])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    smoke = arguments.smoke

    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"the machine is busy (load {load:.1f}): the ratios will be rough")
    programs = arguments.programs.resolve()
    reports = [run_benchmarks(programs / f"benchmark_{name}", arguments.repetitions, smoke) for name in PROGRAMS]
    peaks = list(peak_table(programs / "benchmark_peak_memory", PEAK_ROWS[:1] if smoke else PEAK_ROWS))
    keyed_sizes = KEYED_PEAK_ROWS[:1] if smoke else KEYED_PEAK_ROWS
    keyed_peaks = list(keyed_peak_table(programs / "benchmark_peak_memory", keyed_sizes))
    writers = list(writers_table(programs / "benchmark_writers", 2 if smoke else 100))
    growth = list(growth_tables(programs / "benchmark_growth", smoke))
    say("compile cost ...")
    costs = compile_cost.measure(arguments.compiler, rounds=1 if smoke else 5)

    print(machine(reports[0]["context"], arguments.compiler), end="\n\n")
    print("Time, in memory the processor's and in files that which passes; medians:", end="\n\n")
    print(*time_table(medians(reports[:-1])), sep="\n", end="\n\n")
    print_merging(reports[-1])
    print("Peak memory with a keyed table in files:", end="\n\n")
    print(*keyed_peaks, sep="\n", end="\n\n")
    print("Peak memory with a table in files, and the files' size:", end="\n\n")
    print(*peaks, sep="\n", end="\n\n")
    print("Writers at once in one folder, without fsync, each transaction in 4 keyed tables:", end="\n\n")
    print(*writers, sep="\n", end="\n\n")
    print("What each operation grows with, in memory, and how many calls of the store it makes one after another:", end="\n\n")
    print(*growth, sep="\n", end="\n\n")
    print("The compiler's time for a file that includes it, -O0:", end="\n\n")
    print(*compile_cost.table(costs), sep="\n")


if __name__ == "__main__":
    main()
