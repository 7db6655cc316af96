#!/usr/bin/env python3
"""Proof that the tests can fail: breaks one branch of the headers at a time in the machine code of the test program.

    branch_mutants.py ROOT PROGRAM [HEADER...] [--changed-since REF] [--sample N] [--seed S] [--seconds T]
                      [--part I/N] [--list]

PROGRAM is the tests as built without optimisation and with line tables (-g1), for x86-64. Of each conditional jump that
comes from one of the headers (those of coverage.txt, those named, or the lines that differ from REF) two mutants are
made: one always jumps, one never. Of each condition that is stored, too: it is always true, or always false. Template
instances of one line are broken together. A mutant is run against the tests of its header, then against all that are
quick; it is killed if one fails, crashes, hangs or takes too much memory. This is SQLite's branch coverage testing
(sqlite.org/th3.html), done after linking, so that a mutant costs no compilation.

Fails if a mutant survives in a header of coverage.txt that equivalent_mutants.txt does not explain, if fewer than 90 %
are killed, or if none was made. Mutants are run in a folder of their own, with limits of time and memory.
"""

import argparse
import bisect
import collections
import concurrent.futures
import os
import pathlib
import queue
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SCORE_MIN = 90  # percent
MEMORY_MAX = 2 << 30
SLOW_FILES = "*/law/*,*/concurrency/*,*/store/*,*/testing/*,*/codec/*,*conflict_oracle_test*"
SLOW_CASES = "*in_files*,*every flipped bit*,*every damage*,*objects of the article*,*what tarn writes*,*state grows*"

# The tests to begin with, besides the one that is named like the header: most mutants die early.
TESTS = {
    "log/apply_entry.hpp": ["log/snapshot_test", "log/checkpoint_test"],
    "log/application.hpp": ["client/application_test", "log/commit_test"],
    "log/open.hpp": ["client/store_errors_test", "client/vacuum_test", "log/checkpoint_test"],
    "log/truncation.hpp": ["client/store_errors_test", "client/vacuum_test"],
    "merge/fold.hpp": ["client/keyed_cases_test"],
    "merge/record.hpp": ["merge/slice_merge_test", "client/keyed_cases_test"],
    "merge/slice_merge.hpp": ["client/placement_test", "client/keyed_cases_test"],
    "merge/strategy.hpp": ["client/placement_test"],
    "table/bag_compaction.hpp": ["client/bag_compaction_test"],
    "table/commit_entry.hpp": ["client/client_test"],
    "table/compaction.hpp": ["client/keyed_table_test", "client/keyed_cases_test"],
    "table/key_bounds.hpp": ["client/anomalies_test", "table/conflict_test"],
    "table/key_conflicts.hpp": ["client/anomalies_test", "table/conflict_test"],
    "table/read_set.hpp": ["client/anomalies_test", "table/conflict_test"],
    "table/restore.hpp": ["client/restore_test"],
    "table/tagging.hpp": ["client/restore_test"],
    "vacuum.hpp": ["client/store_errors_test"],
}

# A broken branch: where it comes from, the how-many-eth there, whether it then always jumps (or stores true), and the
# places in the program: pairs of an address and the instruction's size.
Mutant = collections.namedtuple("Mutant", "header line column number always places")


def tool(name):
    for candidate in (name, f"{name}-19", f"{name}-14"):
        if found := shutil.which(candidate):
            return found
    sys.exit(f"{name} is missing: install llvm")


def lines_of(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        yield from process.stdout
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed")


class LineTable:
    """Which header, line and column an address comes from."""

    def __init__(self, program, include):
        rows, folders, files, number = [], {}, {}, None
        for line in lines_of(tool("llvm-dwarfdump"), "--debug-line", program):
            if line.startswith("0x"):
                address, row, column, file, rest = line.split(None, 4)
                place = files.get(file)
                known = place is not None and "end_sequence" not in rest
                rows.append((int(address, 16), (place, int(row), int(column)) if known else None))
            elif line.startswith("debug_line["):
                folders, files = {}, {}
            elif match := re.match(r'include_directories\[ *(\d+)\] = "(.*)"', line):
                folders[match[1]] = os.path.join(folders.get("0", ""), match[2])
            elif match := re.match(r"file_names\[ *(\d+)\]", line):
                number = match[1]
            elif match := re.match(r' +name: "(.*)"', line):
                name = match[1]
            elif match := re.match(r" +dir_index: (\d+)", line):
                path = os.path.normpath(os.path.join(folders[match[1]], name))
                if path.startswith(f"{include}/"):
                    files[number] = path.removeprefix(f"{include}/")
        # Of rows with one address, as where a function ends and the next begins, the last one counts.
        rows.sort(key=lambda row: row[0])
        self.addresses = [address for address, _ in rows]
        self.places = [place for _, place in rows]

    def find(self, address):
        return self.places[bisect.bisect_right(self.addresses, address) - 1]


def find_mutants(program, include, wanted):
    """All mutants of the places that `wanted(header, line)` accepts, in the order of the source."""
    table = LineTable(program, include)
    sites, seen, stored = collections.defaultdict(list), collections.Counter(), None

    def add(address, code):
        place = table.find(address)
        if place is not None and wanted(*place[:2]) and broken(code, True):
            seen[place] += 1
            sites[(*place, seen[place])].append((address, code))

    for line in lines_of("objdump", "-dw", "--section=.text", program):
        if line.endswith(">:\n"):
            seen.clear()  # the next function
            continue
        is_jump, stores = "\tj" in line and "\tjmp" not in line, "\tset" in line
        # What is stored only for the jump that follows is one condition, not two.
        if stored and not is_jump and "\ttest " not in line:
            add(*stored)
        if is_jump or "\ttest " not in line:
            stored = None
        if is_jump or stores:
            address, code, _ = line.split("\t")
            found = int(address.rstrip(":"), 16), bytes.fromhex(code)
            if is_jump:
                add(*found)
            else:
                stored = found
    return [Mutant(*site, always, places) for site, places in sorted(sites.items()) for always in (True, False)]


def broken(code, always):
    """The instruction that always jumps, or stores 1; or that never does, or stores 0. As long as it was."""
    if 0x70 <= code[0] <= 0x7F:
        return bytes([0xEB, code[1]]) if always else b"\x90\x90"
    if code[0] == 0x0F and 0x80 <= code[1] <= 0x8F:
        return b"\x90\xe9" + code[2:] if always else b"\x90" * 6
    if code[0] == 0x0F and 0x90 <= code[1] <= 0x9F and 0xC0 <= code[2] <= 0xC3:
        return bytes([0xB0 + (code[2] & 7), int(always), 0x90])
    return b""


class Program:
    """A copy of the test program whose code can be changed between runs."""

    def __init__(self, program, folder):
        self.folder = folder
        folder.mkdir()
        self.path = folder / "tests"
        subprocess.run(["objcopy", "--strip-debug", program, self.path], check=True)
        self.file = self.path.read_bytes()
        (at,) = struct.unpack_from("<Q", self.file, 32)
        size, count = struct.unpack_from("<HH", self.file, 54)
        headers = [struct.unpack_from("<IIQQQQ", self.file, at + size * each) for each in range(count)]
        self.segments = [(header[3], header[2], header[5]) for header in headers if header[0] == 1]

    def offset(self, address):
        for begin, offset, size in self.segments:
            if begin <= address < begin + size:
                return address - begin + offset
        raise ValueError(address)

    def patch(self, changes):
        """Writes bytes at addresses, given as pairs."""
        with self.path.open("r+b") as file:
            for address, code in changes:
                file.seek(self.offset(address))
                file.write(code)

    def run(self, tests, seconds):
        """How the tests end: the exit code, negative for a signal, None if they take longer than that."""
        temporary = self.folder / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))

        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(temporary), "TARN_TEST_SEED": "1"}
        with subprocess.Popen(
            [self.path, "--abort-after=1", *tests], cwd=temporary, env=environment, preexec_fn=limit,
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:
            try:
                return process.wait(4 * seconds + 10)  # of other programs' time, too
            except subprocess.TimeoutExpired:
                return None
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass


class Suite:
    """The tests, quick ones first, and how long they take when nothing is broken."""

    def __init__(self, root, program, headers):
        self.root, self.stages = root, {}
        took = {}
        for header in sorted(headers):
            stages = self.stages[header] = []
            for tests in self.tests_of(header):
                if (key := " ".join(tests)) not in took:
                    begin = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
                    if program.run(tests, 300) != 0:
                        sys.exit(f"the tests fail when nothing is broken: {key}")
                    end = resource.getrusage(resource.RUSAGE_CHILDREN)
                    took[key] = end.ru_utime + end.ru_stime - begin[1].ru_utime - begin[1].ru_stime
                stages.append((tests, 5 * took[key] + 1))

    def tests_of(self, header):
        own = [f"{header[:-4]}_test", f"client/{header[:-4]}_test"]
        first = [name for name in [*own, *TESTS.get(header, [])] if self.has(name)]
        if first:
            files = ",".join(f"*/tests/{name}.cpp" for name in first)
            yield [f"--source-file={files}", f"--test-case-exclude={SLOW_CASES}"]
        yield [f"--source-file-exclude={SLOW_FILES}", f"--test-case-exclude={SLOW_CASES}"]

    def has(self, name):
        return (self.root / f"tests/{name}.cpp").exists()

    def fails(self, program, header):
        """Whether the program, as it is now, fails a test of the header, or of the rest."""
        return any(program.run(tests, seconds) != 0 for tests, seconds in self.stages[header])

    def reaches(self, program, header):
        """The same for a program in which the branch is a trap."""
        return any(program.run(tests, seconds) == -signal.SIGTRAP for tests, seconds in self.stages[header])


def judge(programs, suite, mutant):
    """What becomes of a mutant: killed, survived or not reached."""
    program = programs.get()
    try:
        program.patch([(address, broken(code, mutant.always)) for address, code in mutant.places])
        if suite.fails(program, mutant.header):
            return "killed"
        program.patch([(address, b"\xcc") for address, _ in mutant.places])
        return "survived" if suite.reaches(program, mutant.header) else "not reached"
    finally:
        program.patch(mutant.places)
        programs.put(program)


def read_explained(path):
    """Why mutants are equivalent, by header, text of the line, column in it and direction."""
    explained = {}
    for stanza in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in stanza.strip().splitlines() if not line.startswith("#")]
        if lines:
            header, text, *directions, reason = (line.strip() for line in lines)
            for direction in directions:
                explained[(header, text, direction)] = reason
    return explained


def changed_lines(root, reference):
    """The headers' lines that differ from a commit: a set of pairs of header and line."""
    changed, header = set(), None
    command = ["git", "-C", root, "diff", "--unified=0", reference, "--", "include/tarn"]
    for line in lines_of(*command):
        if line.startswith("+++ "):
            header = line.strip().removeprefix("+++ b/include/tarn/")
        elif match := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match[1]), int(match[2] or 1)
            changed |= {(header, first + at) for at in range(count)}
    return changed


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("headers", nargs="*", help="HEADER or HEADER:LINE, below include/tarn")
    parser.add_argument("--changed-since", metavar="REF")
    parser.add_argument("--sample", type=int, help="so many of them, chosen at random")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no mutant after so long")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="only tell what there is")
    return parser.parse_args()


def main():
    begin = time.monotonic()
    arguments = parse_arguments()
    root = arguments.root.resolve()
    include = root / "include/tarn"
    strict = re.findall(r"^(\S+\.hpp) +\d", (HERE.parent / "structure/coverage.txt").read_text(encoding="utf-8"), re.M)
    if arguments.changed_since:
        changed = changed_lines(root, arguments.changed_since)
        wanted = lambda header, line: (header, line) in changed  # noqa: E731
    else:
        names = set(arguments.headers or strict)
        wanted = lambda header, line: header in names or f"{header}:{line}" in names  # noqa: E731
    mutants = find_mutants(arguments.program, include, wanted)
    texts = {each.header: (include / each.header).read_text(encoding="utf-8").splitlines() for each in mutants}
    # Where a block ends the compiler branches by itself, on the way to destructors.
    mutants = [each for each in mutants if texts[each.header][each.line - 1][each.column - 1 :][:1] != "}"]
    part, parts = map(int, arguments.part.split("/"))
    mutants = mutants[part - 1 :: parts]
    if arguments.sample and arguments.sample < len(mutants):
        mutants = random.Random(arguments.seed).sample(mutants, arguments.sample)
    explained = read_explained(HERE / "equivalent_mutants.txt")

    def describe(mutant):
        line = texts[mutant.header][mutant.line - 1]
        column = mutant.column - (len(line) - len(line.lstrip()))
        number = f" #{mutant.number}" if mutant.number > 1 else ""
        return line.strip(), f"{column}{number} {'always' if mutant.always else 'never'}"

    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.header}:{mutant.line}:", ": ".join(describe(mutant)), f"({len(mutant.places)} places)")
        return 0
    results = collections.Counter()
    unexplained = 0
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # tests become other users
        programs = queue.Queue()
        for number in range(arguments.jobs):
            programs.put(Program(arguments.program, pathlib.Path(name) / str(number)))
        first = programs.get()
        suite = Suite(root, first, texts)
        programs.put(first)

        def judge_in_time(mutant):
            late = time.monotonic() - begin > arguments.seconds
            return "not run" if late else judge(programs, suite, mutant)

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as workers:
            for mutant, verdict in zip(mutants, workers.map(judge_in_time, mutants)):
                text, direction = describe(mutant)
                if verdict in ("survived", "not reached") and (mutant.header, text, direction) in explained:
                    verdict = "explained"
                results[verdict] += 1
                if verdict in ("survived", "not reached"):
                    unexplained += mutant.header in strict
                    print(f"{verdict}: {mutant.header}:{mutant.line}: {text}: {direction}", flush=True)
    judged = results["killed"] + results["survived"] + results["not reached"]
    score = 100 * results["killed"] / judged if judged else 0
    counts = ", ".join(f"{count} {verdict}" for verdict, count in results.most_common())
    print(f"branch mutants: {counts} of {len(mutants)}; score {score:.1f} %; seed {arguments.seed}")
    return 1 if unexplained or score < SCORE_MIN else 0


if __name__ == "__main__":
    sys.exit(main())
