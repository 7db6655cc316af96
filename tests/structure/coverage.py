#!/usr/bin/env python3
"""Which lines, branches and conditions of the headers the tests run, and whether that is enough.

    coverage.py ROOT PROGRAM PROFILES [--header TEXT]

PROGRAM is the test program as built with TARN_COVERAGE, PROFILES the folder of the .profraw files that its runs have
left. Prints a line for each header and, of those named in coverage.txt (or with TEXT in their name), everything that
was not covered. Fails if one of these falls below what coverage.txt says, or if an exception made there is not needed.

A header's templates are measured over all their instantiations: a branch is covered if any of them took it. Conditions
are those of decisions with two or more, and are covered (MC/DC) if each was seen to decide alone in one instantiation.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

EXCEPTION = re.compile(r"except (\S+): (.+): ([^:]+)")
FLOOR = re.compile(r"(\S+) +([\d.]+) +([\d.]+) +([\d.]+)")


def tool(name):
    """The LLVM program with this name, of the version that understands MC/DC."""
    for candidate in (f"{name}-19", name):
        if found := shutil.which(candidate):
            return found
    sys.exit(f"{name} is missing: install llvm-19")


def export(program, profiles, include):
    """What llvm-cov knows of each function below `include`, by header."""
    raw = sorted(profiles.glob("*.profraw"))
    if not raw:
        sys.exit(f"there are no profiles in {profiles}: run the tests first")
    merged = profiles / "merged.profdata"
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", *raw, "-o", merged], check=True)
    command = [tool("llvm-cov"), "export", "-skip-expansions", "-instr-profile", merged, program, "-sources", include]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    functions = collections.defaultdict(list)
    for function in json.loads(text)["data"][0]["functions"]:
        path = pathlib.Path(function["filenames"][0])
        if path.is_relative_to(include):
            functions[path.relative_to(include).as_posix()].append(function)
    return functions


CODE, SKIPPED = 0, 2  # kinds of regions


def line_counts(text, regions):
    """How often each line of a function ran, given its regions: of the innermost one that its code begins in, or of
    those that begin on it."""
    spans = [(*region[:5], region[7]) for region in regions]
    spans.sort(key=lambda span: (span[0], span[1], -span[2], -span[3]))  # outer ones first
    for line in range(spans[0][0], max(span[2] for span in spans) + 1):
        code = text[line - 1].strip()
        if not code.strip("{};)") or code.startswith("//"):
            continue
        begin = (line, len(text[line - 1]) - len(text[line - 1].lstrip()) + 1)
        around = [span for span in spans if span[:2] <= begin < span[2:4]]
        starts = [span[4] for span in spans if span[0] == line and span[5] == CODE]
        if around and around[-1][5] != SKIPPED:
            yield line, max([*starts, around[-1][4]])
        elif starts:
            yield line, max(starts)


class Header:
    """What of one header is there to be covered, and what was: pairs of a line and what is wrong, or None."""

    def __init__(self, path, functions):
        self.text = path.read_text(encoding="utf-8").splitlines()
        counts, branches, decisions = collections.Counter(), collections.defaultdict(lambda: [0, 0]), {}
        for function in functions:
            counts.update(dict(line_counts(self.text, function["regions"])))
            for *place, taken, not_taken, _, _, _ in function["branches"]:
                # Clang has no counters for the comparisons of members that a defaulted operator makes.
                if self.text[place[0] - 1].endswith("= default;"):
                    continue
                branches[tuple(place)][0] += taken
                branches[tuple(place)][1] += not_taken
            for *place, _, _, conditions in function["mcdc_records"]:
                known = decisions.setdefault(tuple(place), [False] * len(conditions))
                decisions[tuple(place)] = [a or b for a, b in zip(known, conditions)]
        self.lines = [(line, None if count else "never ran") for line, count in sorted(counts.items())]
        self.branches, self.conditions = [], []
        for place, (taken, not_taken) in sorted(branches.items()):
            self.branches.append((place[0], None if taken else f"never true: {self.source(place)}"))
            self.branches.append((place[0], None if not_taken else f"never false: {self.source(place)}"))
        for place, conditions in sorted(decisions.items()):
            inside = [at for at in sorted(branches) if place[:2] <= at[:2] and at[2:] <= place[2:]]
            for number, decides in enumerate(conditions):
                at = inside[number] if len(inside) == len(conditions) else place
                what = None if decides else f"never decides alone: {self.source(at)} in {self.source(place)}"
                self.conditions.append((at[0], what))

    def source(self, place):
        first, begin, last, end = place
        if first == last:
            return self.text[first - 1][begin - 1 : end - 1]
        lines = [self.text[first - 1][begin - 1 :], *self.text[first : last - 1], self.text[last - 1][: end - 1]]
        return " ".join(line.strip() for line in lines)

    def except_for(self, text):
        """Leaves out what was not covered on lines with this text, or what is said of it. Whether there was any."""
        found = False
        for name in ("lines", "branches", "conditions"):
            items = getattr(self, name)
            kept = [item for item in items if not (item[1] and (text in self.text[item[0] - 1] or text in item[1]))]
            found |= len(kept) < len(items)
            setattr(self, name, kept)
        return found

    def measures(self):
        """The covered and all lines, branches and conditions."""
        for items in (self.lines, self.branches, self.conditions):
            yield sum(what is None for _, what in items), len(items)

    def gaps(self):
        """What was not covered, in the order of the text, each once."""
        return sorted({item for items in (self.lines, self.branches, self.conditions) for item in items if item[1]})


def percent(covered, count):
    return 100 * covered / count if count else 100.0


def columns(measures):
    return "".join(f"{percent(*each):9.1f} {'/'.join(map(str, each)):>11}" for each in measures)


def read_demands(path):
    """The floors of lines, branches and conditions by header, and the exceptions as triples."""
    floors, exceptions = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := EXCEPTION.fullmatch(line):
            exceptions.append(match.groups())
        elif match := FLOOR.fullmatch(line):
            floors[match[1]] = [float(number) for number in match.groups()[1:]]
        elif line and not line.startswith("#"):
            sys.exit(f"{path}: neither a floor nor an exception: {line}")
    return floors, exceptions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("profiles", type=pathlib.Path)
    parser.add_argument("--header", help="show what is missing in headers with this text in their name")
    arguments = parser.parse_args()
    include = arguments.root.resolve() / "include/tarn"
    floors, exceptions = read_demands(pathlib.Path(__file__).with_name("coverage.txt"))
    complaints = []

    functions = export(arguments.program, arguments.profiles, include)
    measured = {name: Header(include / name, all_of_one) for name, all_of_one in functions.items()}
    for name, text, _ in exceptions:
        if name not in measured or not measured[name].except_for(text):
            complaints.append(f"coverage.txt excepts {text!r} in {name}, and there is nothing uncovered")

    total = [[0, 0], [0, 0], [0, 0]]
    print(f"{'':32}{'lines':>21}{'branches':>21}{'conditions':>21}")
    for name, header in sorted(measured.items()):
        print(f"{name:32}{columns(header.measures())}")
        for sums, each in zip(total, header.measures()):
            sums[0] += each[0]
            sums[1] += each[1]
    print(f"{'total':32}{columns(total)}")

    for name in floors.keys() - measured.keys() - {"total"}:
        complaints.append(f"no test has run anything of {name}")
    for name, demanded in floors.items():
        if name != "total" and name not in measured:
            continue
        measures = total if name == "total" else measured[name].measures()
        for kind, floor, each in zip(("lines", "branches", "conditions"), demanded, measures):
            if percent(*each) < floor:
                complaints.append(f"{name}: {percent(*each):.2f} % of {kind} are covered, and {floor:g} % must be")
    for name, header in sorted(measured.items()):
        if arguments.header in name if arguments.header is not None else name in floors:
            for line, what in header.gaps():
                print(f"{name}:{line}: {what}")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
