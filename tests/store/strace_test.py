#!/usr/bin/env python3
"""What the file store asks of the kernel, in which order, as strace sees it.

    strace_test.py PROGRAM      PROGRAM is traced_program.cpp

The simulated file systems of the other tests know the order of calls from the store itself. This is the proof that the
real ones get the same: an object's bytes are fsynced before it has its name; its folder before the next object gets
one, and before anybody is told; and the folder's own name, in its parent, before the first is told. The check itself is
tested on a program without fsyncs, and on traces from which one fsync is taken away. Exit status 77: strace cannot
trace here.
"""

import os
import re
import subprocess
import sys
import tempfile

FREE = re.compile(r"/proc/self/fd/(\d+)$")  # by which a file without a name is linked
CALLS = "openat write fsync fdatasync link linkat rename renameat2 unlink unlinkat mkdir mkdirat".split()
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)(?: (\w+))?")
ARGUMENT = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|([^,]+)),?')
ANSWER = 1  # standard output


class Checker:
    """Follows a trace; notes what is out of order."""

    def __init__(self, folder):
        self.folder = folder  # of the store
        self.opened = {}  # by descriptor: the path of a file or folder
        self.unsynced_bytes = set()  # files
        self.unsynced_names = {}  # folders, and the names in them that may be lost; temporary ones do not count
        self.synced_folders = set()
        self.unnamed = 0  # files made without a name
        self.violations = []
        self.counts = {"named": 0, "fsyncs": 0, "to spare": 0, "answers": 0}

    def path(self, descriptor, name):
        base = "" if descriptor == "AT_FDCWD" else self.opened.get(int(descriptor), "?")
        return os.path.normpath(os.path.join(base, name))

    def follow(self, line):
        found = LINE.match(line)
        if not found:
            return
        call, result, error = found[1], int(found[3]), found[4]
        arguments = [text or other.strip() for text, other in ARGUMENT.findall(found[2])]
        if call in ("link", "rename", "unlink", "mkdir"):  # the old names of calls relative to a folder
            names = arguments[: 2 if call in ("link", "rename") else 1]
            arguments = [part for name in names for part in ("AT_FDCWD", name)]
            call = {"link": "linkat", "rename": "renameat2", "unlink": "unlinkat", "mkdir": "mkdirat"}[call]
        getattr(self, call.replace("fdatasync", "fsync"))(arguments, result, error)

    def openat(self, arguments, result, error):
        if error:
            return
        self.opened[result] = self.path(*arguments[:2])
        if "O_TMPFILE" in arguments[2]:
            self.unnamed += 1
            self.opened[result] = f"file {self.unnamed} without a name"
        if "O_CREAT" in arguments[2] or "O_TMPFILE" in arguments[2]:
            self.unsynced_bytes.add(self.opened[result])

    def mkdirat(self, arguments, result, error):
        if not error:
            self.change_name(self.path(*arguments[:2]))

    def write(self, arguments, result, error):
        if int(arguments[0]) == ANSWER:
            return self.answer(arguments[1])
        self.unsynced_bytes.add(self.opened.get(int(arguments[0])))

    def fsync(self, arguments, result, error):
        if error:
            return
        self.counts["fsyncs"] += 1
        path = self.opened[int(arguments[0])]
        if path in self.synced_folders and path not in self.unsynced_names:
            self.counts["to spare"] += 1  # of what the store has found, and cannot know to be durable
        self.unsynced_bytes.discard(path)
        self.unsynced_names.pop(path, None)
        self.synced_folders.add(path)

    def linkat(self, arguments, result, error):
        if error and error != "EEXIST":
            return
        source, target = self.path(*arguments[:2]), self.path(*arguments[2:4])
        if FREE.match(source):
            source = self.opened[int(FREE.match(source)[1])]
        self.counts["named"] += 1
        if source in self.unsynced_bytes:
            self.violations.append(f"{target} has a name, but its bytes were not fsynced")
        for name in sorted(self.unsynced_names.get(os.path.dirname(target), ())):
            self.violations.append(f"{target} has a name, but the folder of {name} was not fsynced since that had one")
        self.change_name(target)

    renameat2 = linkat

    def unlinkat(self, arguments, result, error):
        if not error:
            self.change_name(self.path(*arguments[:2]))

    def change_name(self, path):
        if not os.path.basename(path).startswith("_tmp_"):
            self.unsynced_names.setdefault(os.path.dirname(path), set()).add(path)

    def answer(self, text):
        self.counts["answers"] += 1
        for folder, names in self.unsynced_names.items():
            self.violations.append(f"{text}: told before {folder} was fsynced, which has changed: {sorted(names)}")
        if os.path.dirname(self.folder) not in self.synced_folders:
            self.violations.append(f"{text}: told before the name of the folder itself was fsynced")


def violations_of(lines, folder):
    checker = Checker(folder)
    for line in lines:
        checker.follow(line)
    return checker.violations, checker.counts


def trace(program, durability):
    """The lines of strace, and the folder that the program has worked in."""
    with tempfile.TemporaryDirectory() as parent:
        folder, output = os.path.join(os.path.realpath(parent), "lake"), os.path.join(parent, "trace")
        wanted = ",".join("?" + call for call in CALLS)
        command = ["strace", "-f", "-o", output, "-e", "trace=" + wanted, program, folder, durability]
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # which cannot be traced
        subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment, timeout=120)
        with open(output, encoding="utf-8", errors="replace") as lines:
            return lines.read().splitlines(), folder


def can_trace():
    try:
        return subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not can_trace():
        print("skipped: there is no strace here, or it may not trace")
        sys.exit(77)

    lines, folder = trace(sys.argv[1], "full")
    violations, counts = violations_of(lines, folder)
    for violation in violations:
        print("with full durability:", violation)
    failed = bool(violations)
    if counts["answers"] != 7 or counts["named"] < 10 or counts["fsyncs"] - counts["to spare"] != 2 * counts["named"] + 2:
        print(f"the trace is not that of the program: {counts}")
        failed = True

    syncs = [index for index, line in enumerate(lines) if re.search(r"\bf(data)?sync\(", line)]
    missed = [i for i in syncs if not violations_of(lines[:i] + lines[i + 1 :], folder)[0]]
    if len(missed) > counts["to spare"] or counts["to spare"] > 2:
        print("not noticed if they were missing:", *(lines[index] for index in missed), sep="\n")
        failed = True
    without, folder = trace(sys.argv[1], "none")
    if any("fsync(" in line for line in without) or not violations_of(without, folder)[0]:
        print("a program without fsyncs is not noticed")
        failed = True

    print(f"{counts['named']} names, {counts['fsyncs']} fsyncs, {counts['answers']} answers in order; "
          f"of {len(syncs)} fsyncs taken away one by one, {len(syncs) - len(missed)} are noticed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
