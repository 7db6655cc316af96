#!/usr/bin/env python3
"""usage: report.py PROGRAMS_DIR [--compiler CXX] [--repetitions N] [--smoke]

Runs all benchmarks and prints the README's tables. Every time is the median of N runs, and the runs of tarn, of SQLite
and of the floors take turns, so that a busy moment of the machine hits all of them. What is compared are ratios. Files
are made below the working directory: run it on the disk that is meant. Takes about eight minutes; with --smoke, which
only tries whether everything works, a few seconds.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

import compile_cost

TIMED_PROGRAMS = ["insert", "commit", "open", "scan", "upsert", "json"]

# What each benchmark does, by the first part of its name, and whether its time is told for each of the things it did.
WORK = {
    "insert": ("insert {count} rows, one commit", False),
    "commit": ("commit one row", True),
    "put": ("put_if_absent of a commit's bytes", True),
    "open cold": ("open, after {count} commits", False),
    "open warm": ("look for a newer version, after {count} commits", False),
    "scan": ("read every value of {count} rows", False),
    "sum": ("add up one column of {count} rows", False),
    "upsert": ("upsert 1 % of {count} rows by key, one commit", False),
    "upsert, keys remembered": ("... with positions, the table's keys remembered", False),
    "upsert, keys read": ("... with positions, the table's keys read first", False),
    "parse": ("parse an object of {count} rows", False),
    "write": ("write an object of {count} rows", False),
}
# Works that are compared with what the peers do for another.
SAME_FOR_PEERS = {"upsert, keys remembered": "upsert", "upsert, keys read": "upsert"}
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

# What each table of benchmark_peak_memory is, what is done with it, and with how many rows.
PEAK_WORKS = ["insert", "scan", "columns", "compact"]
PEAKS = {
    "json": ("bag, JSON", PEAK_WORKS[:3], [1_000, 1_000_000, 10_000_000]),
    "columnar": ("bag, columnar", PEAK_WORKS[:3], [1_000, 1_000_000, 10_000_000]),
    "sqlite": ("SQLite", PEAK_WORKS[:2], [1_000, 1_000_000, 10_000_000]),
    "keyed-json": ("key, JSON", PEAK_WORKS, [1_000, 1_000_000]),
    "keyed-columnar": ("key, columnar", PEAK_WORKS, [1_000, 1_000_000]),
}
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
        all_times = times.get((SAME_FOR_PEERS.get(work), place, count), {}) | times[what]
        per = {who: ns / (count if each else 1) for who, ns in all_times.items()}
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
CHANGES = re.compile(
    r"(?P<work>merge|compact) (?P<codec>\w+), "
    r"(?P<percent>[\d.]+) % of (?P<keys>\w+) keys in (?P<deltas>\d+) deltas?"
)
COLUMNS = re.compile(r"columns of (?P<keys>\w+) keys, (?P<deltas>\d+) deltas?")
CODECS = ["JSON", "columnar"]
KEYS = ["integer", "string", "composite"]


def changes_of(work, times):
    """(what was measured, the parts of its name) of the largest tables, in order."""
    def order(found):
        name = found[1]
        return CODECS.index(name["codec"]), KEYS.index(name["keys"]), float(name["percent"]), int(name["deltas"])

    found = [(what, CHANGES.match(what[0])) for what in times if is_largest(what, times)]
    return sorted([(what, name) for what, name in found if name and name["work"] == work], key=order)


def merge_table(times):
    """Ratios of scans of a keyed table, with positions that hold, with stale ones and without deltas."""
    yield (
        "| codec | keys | changed | deltas | by position | by key | by position / by key | by key / no deltas |"
        " stale by position / by key | bag / by position |"
    )
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for what, changes in changes_of("merge", times):
        took = times[what]
        none = times[(f"merge {changes['codec']}, no change of {changes['keys']} keys", *what[1:])]
        cells = [changes["codec"], changes["keys"], f"{changes['percent']} %", changes["deltas"]]
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
    yield "| codec | keys | rows | no deltas | the same rows in a bag | no deltas / bag |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for codec in CODECS:
        for keys in KEYS:
            what = max(what for what in times if what[0] == f"merge {codec}, no change of {keys} keys")
            took = times[what]
            cells = [codec, keys, f"{what[2]:,}", time_text(took["no deltas"]), time_text(took["bag"])]
            yield f"| {' | '.join(cells)} | {took['no deltas'] / took['bag']:.2f} x |"


def columns_table(times):
    """scan_columns of a keyed table of which 10 % were updated and 1 % erased, beside a copy of the columns."""
    yield "| keys | rows | deltas | by position | by key | memcpy | by position / memcpy | by key / memcpy |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    names = {what: COLUMNS.match(what[0]) for what in times if is_largest(what, times)}
    for what in sorted(names, key=lambda each: (KEYS.index(names[each]["keys"]), int(names[each]["deltas"]))):
        position, key, copy = (times[what][who] for who in ("by position", "by key", "floor"))
        cells = [names[what]["keys"], f"{what[2]:,}", names[what]["deltas"]]
        cells += [*map(time_text, (position, key, copy)), ratio_text(position, copy), ratio_text(key, copy)]
        yield f"| {' | '.join(cells)} |"


def compaction_table(times, report):
    yield "| codec | keys | changed | deltas | compaction | records/s | MB/s | by position / by key | compaction / scan |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
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
        cells = [changes["codec"], changes["keys"], f"{changes['percent']} %", changes["deltas"]]
        cells.append(time_text(took["by position"]))
        cells += [f"{rows / seconds / 1e6:.1f} M", f"{size / seconds / 1e6:.0f}"]
        cells += [f"{took['by position'] / took['by key']:.2f} x", f"{took['by position'] / scan:.2f} x"]
        yield f"| {' | '.join(cells)} |"


def size_of(path):
    files = path.rglob("*") if path.is_dir() else path.parent.glob(path.name + "*")
    return sum(file.stat().st_size for file in files if file.is_file())


def peak_table(program, smoke):
    """The most memory that a process ever has with a table in files, and how large the files are for each row."""
    yield "| table | rows | insert | scan | scan_columns | compact | files, a row |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for table, (name, works, sizes) in PEAKS.items():
        for rows in sizes[:1] if smoke else sizes:
            say(f"peak memory, {name}, {rows:,} rows ...")
            peaks = {}
            with tempfile.TemporaryDirectory(prefix="benchmark_", dir=".") as folder:
                for work in works:
                    command = [program, table, work, str(rows), folder]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                    peaks[work] = f"{int(done.stdout) / 1024:.1f} MiB"
                    if work == "insert":
                        size = size_of(pathlib.Path(folder, table))
            cells = [name, f"{rows:,}", *(peaks.get(work, "-") for work in PEAK_WORKS), f"{size / rows:.1f} B"]
            yield f"| {' | '.join(cells)} |"


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
    reports = {
        name: run_benchmarks(programs / f"benchmark_{name}", arguments.repetitions, smoke)
        for name in [*TIMED_PROGRAMS, "merge", "merged_columns"]
    }
    peaks = list(peak_table(programs / "benchmark_peak_memory", smoke))
    writers = list(writers_table(programs / "benchmark_writers", 2 if smoke else 100))
    growth = list(growth_tables(programs / "benchmark_growth", smoke))
    say("compile cost ...")
    costs = compile_cost.measure(arguments.compiler, rounds=1 if smoke else 5)

    print(machine(reports["insert"]["context"], arguments.compiler), end="\n\n")
    print("Time, in memory the processor's and in files that which passes; medians:", end="\n\n")
    print(*time_table(medians(reports[name] for name in TIMED_PROGRAMS)), sep="\n", end="\n\n")
    print_merging(reports["merge"])
    print("All columns of a keyed table in memory, 10 % of the rows updated and 1 % erased:", end="\n\n")
    print(*columns_table(medians([reports["merged_columns"]])), sep="\n", end="\n\n")
    print("Peak memory with a table in files; one with a key is written, scanned and compacted as a base and deltas of")
    print("65,536 rows:", end="\n\n")
    print(*peaks, sep="\n", end="\n\n")
    print("Writers at once in one folder, without fsync, each transaction in 4 keyed tables:", end="\n\n")
    print(*writers, sep="\n", end="\n\n")
    print("What each operation grows with, in memory, and how many calls of the store it makes one after another:", end="\n\n")
    print(*growth, sep="\n", end="\n\n")
    print("The compiler's time for a file that includes it, -O0:", end="\n\n")
    print(*compile_cost.table(costs), sep="\n")


if __name__ == "__main__":
    main()
