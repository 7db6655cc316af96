#!/usr/bin/env python3
"""Asks a compiler about the headers; nothing is linked or run.

    compile.py headers ROOT -- COMPILER FLAGS...    every header compiles without a warning: alone, included twice, and
                                                    all of them together in the variants below
    compile.py refusals ROOT -- COMPILER FLAGS...   every file in compile_fail/ is refused with the text that its line
                                                    "// expect: text" states, and accepted with -DGOOD
    compile.py budget ROOT -- COMPILER FLAGS...     what tarn.hpp makes of a file that includes it stays within bounds
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Werror".split()

VARIANTS = ["-fno-exceptions -fno-rtti", "-DTARN_HAS_POSIX=0", "-DTARN_HAS_THREADS=0", "-std=c++2b"]

PREPROCESSED_LINES_MAX = 45_000


def run(command, source):
    """Compiles the text `source`; returns whether that went well, and what was printed."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        [*command, "-x", "c++", "-"], input=source, capture_output=True, text=True, env=environment, check=False
    )
    return done.returncode == 0, done.stdout + done.stderr


def check_headers(compiler, headers):
    source = "".join(f"#include <{header}>\n" for header in headers)
    good, output = run([*compiler, *WARNINGS, "-fsyntax-only"], source)
    return None if good else output


def check_refusal(compiler, path):
    source = path.read_text(encoding="utf-8")
    expected = re.search(r"^// expect: (.+)$", source, re.MULTILINE)
    if not expected:
        return 'has no line "// expect: text"'
    refuse = [*compiler, "-fsyntax-only"]
    accepted, output = run(refuse, source)
    if accepted:
        return "compiles, but must not"
    if expected[1] not in output:
        return f"is refused, but not with the text {expected[1]!r}:\n{output}"
    accepted, output = run([*refuse, *WARNINGS, "-DGOOD"], source)
    return None if accepted else f"is refused with -DGOOD too:\n{output}"


def check_budget(compiler):
    good, output = run([*compiler, "-E", "-P"], "#include <tarn/tarn.hpp>\n")
    if not good:
        return output
    lines = sum(1 for line in output.splitlines() if line.strip())
    print(f"tarn.hpp: {lines} preprocessed lines, at most {PREPROCESSED_LINES_MAX}")
    return None if lines <= PREPROCESSED_LINES_MAX else f"{lines} preprocessed lines"


def jobs_for(what, root, compiler):
    """(name, function and its arguments) for each check."""
    include = root / "include"
    if what == "headers":
        headers = [path.relative_to(include).as_posix() for path in sorted(include.rglob("*.hpp"))]
        for header in headers:
            yield header, (check_headers, compiler, [header, header])
        for variant in VARIANTS:
            yield f"all headers, {variant}", (check_headers, [*compiler, *variant.split()], headers)
    elif what == "refusals":
        for path in sorted((root / "tests/structure/compile_fail").glob("*.cpp")):
            yield path.name, (check_refusal, compiler, path)
    elif what == "budget":
        yield "tarn.hpp", (check_budget, compiler)
    else:
        sys.exit(__doc__)


def main():
    if len(sys.argv) < 5 or sys.argv[3] != "--":
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[2])
    compiler = [*sys.argv[4:], "-std=c++20", f"-I{root / 'include'}"]
    jobs = dict(jobs_for(sys.argv[1], root, compiler))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for name, complaint in zip(jobs, pool.map(lambda job: job[0](*job[1:]), jobs.values())):
            if complaint:
                failed += 1
                print(f"{name}: {complaint}")
    print(f"{len(jobs) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not jobs else 0)


if __name__ == "__main__":
    main()
