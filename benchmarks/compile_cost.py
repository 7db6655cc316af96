#!/usr/bin/env python3
"""usage: compile_cost.py [--compiler CXX] [--rounds N] [--check]

What `#include <tarn/tarn.hpp>` costs a file: preprocessed lines, and the compiler's processor time (at -O0, the best of
N rounds), next to nlohmann/json and to <string> with <vector>, measured in turn. Prints a Markdown table. With --check
it fails if tarn comes to more than 45,000 lines or takes more than a quarter of nlohmann/json's time.
"""

import argparse
import pathlib
import resource
import subprocess
import sys

INCLUDE = pathlib.Path(__file__).resolve().parent.parent / "include"

TARN = "<tarn/tarn.hpp>"
JSON = "<nlohmann/json.hpp>"
HEADERS = {TARN: [TARN], JSON: [JSON], "<string>, <vector>": ["<string>", "<vector>"]}

LINES_MAX = 45_000
PART_OF_JSON_MAX = 0.25


def run(compiler, headers, *flags):
    """What the compiler makes of a file that includes `headers`; None if it refuses."""
    source = "".join(f"#include {header}\n" for header in headers)
    command = [compiler, "-std=c++20", f"-I{INCLUDE}", *flags, "-x", "c++", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def processor_seconds():
    """Of all child processes so far: what others do on the machine hardly shows in it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_seconds(compiler, headers):
    before = processor_seconds()
    run(compiler, headers, "-O0", "-c", "-o", "/dev/null")
    return processor_seconds() - before


def measure(compiler="g++", rounds=5):
    """{what is included: (lines, seconds)}, without what is not installed."""
    lines = {}
    for name, headers in HEADERS.items():
        text = run(compiler, headers, "-E", "-P")
        if text is not None:
            lines[name] = sum(1 for line in text.splitlines() if line.strip())
    best = dict.fromkeys(lines, float("inf"))
    for _ in range(rounds):
        for name in lines:
            best[name] = min(best[name], compile_seconds(compiler, HEADERS[name]))
    return {name: (lines[name], best[name]) for name in lines}


def table(measured):
    yield "| `#include` | lines | ms | tarn's lines | tarn's time |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    tarn_lines, tarn_seconds = measured[TARN]
    for name, (lines, seconds) in measured.items():
        ratios = f"{tarn_lines / lines:.2f} x | {tarn_seconds / seconds:.2f} x"
        yield f"| `{name}` | {lines:,} | {1000 * seconds:,.0f} | {ratios} |"


def check(measured):
    """What is wrong with the costs."""
    if JSON not in measured:
        return [f"{JSON} is not installed: there is nothing to compare with"]
    lines, seconds = measured[TARN]
    part = seconds / measured[JSON][1]
    wrong = []
    if lines > LINES_MAX:
        wrong.append(f"{lines:,} lines, at most {LINES_MAX:,} are allowed")
    if part > PART_OF_JSON_MAX:
        wrong.append(f"{part:.2f} of the time of {JSON}, at most {PART_OF_JSON_MAX} is allowed")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", maxsplit=1)[0][7:])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    measured = measure(arguments.compiler, arguments.rounds)
    if TARN not in measured:
        sys.exit(f"{arguments.compiler} cannot compile {TARN}")
    print(*table(measured), sep="\n")
    wrong = check(measured) if arguments.check else []
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
