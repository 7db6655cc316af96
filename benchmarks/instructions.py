#!/usr/bin/env python3
"""usage: instructions.py PROGRAM FILE [--check] [--compiler CXX] [--tolerance PERCENT] [--profiles DIR]

Counts the instructions of the paths that PROGRAM (benchmark_instructions) knows, by Callgrind, and writes them to FILE;
with --check compares them with FILE, says what has changed by more than the tolerance, and fails if anything grew.
Counts do not depend on how fast or busy the machine is, but on the compiler and, a little, on the C library. DIR gets
each path's profile: `callgrind_annotate` shows where its instructions are. Takes about a minute.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COUNTED = "counted_work"
LINE = re.compile(r"(?P<path>\S.*?) {2,}(?P<count>[\d,.]+) per (?P<each>\w+)")


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def count(program, path, profiles):
    """How many instructions it took."""
    profile = profiles / f"{re.sub('[^a-z0-9]+', '-', path.lower())}.callgrind"
    command = ["valgrind", "--tool=callgrind", f"--toggle-collect={COUNTED}", f"--callgrind-out-file={profile}"]
    done = subprocess.run([*command, program, path], stderr=subprocess.PIPE, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"{path}: {done.stderr}")
    return int(collected[1])


def measure(program, profiles):
    """{path: (instructions of one, what one is)}"""
    paths = [line.split("\t") for line in output_of(program, "--list").splitlines()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as at_once:
        counts = at_once.map(lambda path: count(program, path[0], profiles), paths)
        return {path: (round(total / int(ones), 1), each) for (path, ones, each), total in zip(paths, counts)}


def conditions(compiler):
    return f"# {output_of(compiler, '--version').partition(chr(10))[0]}, -O2; {output_of('valgrind', '--version').strip()}"


def text_of(counts, compiler):
    yield "# Instructions of the paths through tarn that are taken most, as instructions.py has written them. With"
    yield conditions(compiler)
    for path, (instructions, each) in counts.items():
        yield f"{path:<50}{instructions:>12,.1f} per {each}"


def read(file):
    found = (LINE.fullmatch(line) for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {line["path"]: (float(line["count"].replace(",", "")), line["each"]) for line in found}


def compare(before, now, tolerance):
    """Prints each path; returns what is worse than before."""
    worse = []
    for path, (instructions, each) in now.items():
        if path not in before:
            worse.append(f"{path}: is not in the file")
            continue
        percent = (instructions / before[path][0] - 1) * 100
        told = f"{path}: {before[path][0]:,.1f} -> {instructions:,.1f} per {each}, {percent:+.1f} %"
        if percent > tolerance:
            worse.append(told)
        print(told, "GREW" if percent > tolerance else "less: write the file anew" if percent < -tolerance else "")
    return worse + [f"{path}: is in the file, but is not measured" for path in before if path not in now]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n")[0][7:])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--tolerance", type=float, default=3)
    parser.add_argument("--profiles", type=pathlib.Path)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as nowhere:
        profiles = arguments.profiles or pathlib.Path(nowhere)
        profiles.mkdir(parents=True, exist_ok=True)
        counts = measure(arguments.program.resolve(), profiles)
    if not arguments.check:
        arguments.file.write_text("\n".join(text_of(counts, arguments.compiler)) + "\n", encoding="utf-8")
        return
    if conditions(arguments.compiler) not in arguments.file.read_text(encoding="utf-8").splitlines():
        print(f"The file's counts are of other tools than these: {conditions(arguments.compiler)}", file=sys.stderr)
    worse = compare(read(arguments.file), counts, arguments.tolerance)
    if worse:
        sys.exit("\n".join([f"more than {arguments.tolerance:g} % worse:", *worse]))


if __name__ == "__main__":
    main()
