#!/usr/bin/env python3
"""Runs fuzzers for a bounded number of executions, two at a time, and says how many there were.

    fuzz.py RUNS SEED CORPUS FINDINGS PROGRAM...     a PROGRAM is called fuzz_<target>

Each target gets its share of RUNS, by how fast it is. The corpus is read, not changed; bytes that a target fails on are
kept in FINDINGS/<target>/. SEED 0: another one each time. Fails if any target does, or runs less than its share.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# Of a thousand executions in all; and the most bytes of an input. The slowest first, so that both cores are busy to
# the end.
TARGETS = {
    "operations": (1, 256),
    "tree": (1, 6000),
    "delta": (2, 512),
    "tool_input": (14, 512),
    "checkpoint": (14, 2048),
    "json": (100, 256),
    "data_object": (64, 1024),
    "columnar": (20, 1024),
    "entry": (64, 1024),
    "row_set": (740, 128),
}
ONE_INPUT_SECONDS_MAX = 25
MEMORY_MB_MAX = 2048


def dictionary(folder, target):
    own = folder / f"{target}.dict"
    return own if own.exists() else folder / "lake.dict"


def fuzz(program, runs, seed, corpus, findings):
    """The number of executions of one target, how long they took, and what went wrong."""
    target = program.name.removeprefix("fuzz_")
    kept = findings / target
    kept.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as found:
        done = subprocess.run(
            [program, f"-runs={runs}", f"-seed={seed}", f"-max_len={TARGETS[target][1]}",
             f"-timeout={ONE_INPUT_SECONDS_MAX}", f"-rss_limit_mb={MEMORY_MB_MAX}", f"-artifact_prefix={kept}/",
             f"-dict={dictionary(corpus.parent, target)}", "-print_final_stats=1", found, corpus / target],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode(errors="replace")
    counted = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
    executions = int(counted.group(1)) if counted else 0
    failure = "" if done.returncode == 0 and executions >= runs else output[-4000:]
    return target, executions, time.monotonic() - begin, failure


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    total, seed, corpus, findings = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    programs = sorted(map(pathlib.Path, sys.argv[5:]), key=lambda path: list(TARGETS).index(path.name.removeprefix("fuzz_")))
    shares = sum(TARGETS[path.name.removeprefix("fuzz_")][0] for path in programs)
    executed = 0
    failed = []
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(fuzz, path, total * TARGETS[path.name.removeprefix("fuzz_")][0] // shares + 1, seed, corpus,
                            findings) for path in programs]
        for run in runs:
            target, executions, seconds, failure = run.result()
            executed += executions
            print(f"fuzz {target}: {executions} executions in {seconds:.0f} s", flush=True)
            if failure:
                failed.append(target)
                print(failure, flush=True)
    print(f"fuzz: {executed} executions of {len(programs)} targets in {time.monotonic() - begin:.0f} s"
          + (f"; FAILED: {', '.join(failed)}" if failed else ""))
    sys.exit(1 if failed or executed < total else 0)


if __name__ == "__main__":
    main()
