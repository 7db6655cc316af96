#!/usr/bin/env python3
"""Rules of the source tree that no compiler checks.

    rules.py check ROOT       prints each violation as file:line: message; fails if there is any
    rules.py can_fail ROOT    plants one violation of each rule in a copy of ROOT; fails if one is not noticed
"""

import graphlib
import pathlib
import posixpath
import re
import shutil
import sys
import tempfile

# An include may stay in its layer or point to one further left. Headers next to tarn.hpp are the client's layer.
LAYERS = ["core", "store", "codec", "log", "merge", "table", "client", "tarn.hpp"]

# What every user pays for. Each of these costs little or is included by <string> anyhow; <vector>, <memory>, <atomic>,
# <optional> and their like cost 20 to 500 ms per file that includes tarn.
STANDARD_HEADERS = set(
    """bit charconv compare concepts cstddef cstdint cstdio cstdlib cstring initializer_list new string string_view
    type_traits utility""".split()
)

MACRO_FILES = {"core/config.hpp", "version.hpp"}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")


def layer_of(header):
    """The layer of a header, given by its path below include/tarn."""
    folder, _, _ = header.rpartition("/")
    if header == "version.hpp":
        return "core"
    if header == "tarn.hpp":
        return header
    return folder.split("/")[0] or "client"


def may_include(header, included):
    layer, below = layer_of(header), layer_of(included)
    if layer == "testing":
        return included != "tarn.hpp"
    return below != "testing" and LAYERS.index(below) <= LAYERS.index(layer)


def check_include(header, opening, included, conditions):
    """The complaint about one #include line, or None, and the header of tarn it includes, or None."""
    if opening == '"':
        target = posixpath.normpath(posixpath.join(posixpath.dirname(header), included))
        if not may_include(header, target):
            return f"{layer_of(header)} must not include {layer_of(target)}: {' < '.join(LAYERS)}", target
        return None, target
    if included.startswith("tarn/"):
        return "a header of tarn includes another by a relative path in quotes", None
    if included.endswith(".h"):
        guarded = any("TARN_HAS_" in condition for condition in conditions)
        return None if guarded else f"<{included}> belongs inside #if TARN_HAS_POSIX or TARN_HAS_THREADS", None
    if layer_of(header) != "testing" and included not in STANDARD_HEADERS:
        return f"<{included}> is not among the standard headers that tarn makes its users pay for", None
    return None, None


def check_header(path, header, graph):
    """Yields (line number, complaint) and adds the header's includes to the graph."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if "#pragma once" not in lines:
        yield 1, "no #pragma once"
    includes, conditions = graph.setdefault(header, set()), []
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*if", line):
            conditions.append(line)
        elif re.match(r"\s*#\s*endif", line):
            conditions.pop()
        if match := INCLUDE.match(line):
            complaint, target = check_include(header, match[1], match[2], conditions)
            if complaint:
                yield number, complaint
            if target:
                includes.add(target)
        if match := DEFINE.match(line):
            if not match[1].startswith("TARN_"):
                yield number, f"the macro {match[1]} does not start with TARN_"
            if header not in MACRO_FILES:
                yield number, f"macros are defined in {' and '.join(sorted(MACRO_FILES))} only"


def check_headers(root):
    base = root / "include" / "tarn"
    graph = {}
    for path in sorted(base.rglob("*.hpp")):
        header = path.relative_to(base).as_posix()
        for number, complaint in check_header(path, header, graph):
            yield f"include/tarn/{header}:{number}: {complaint}"
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        yield f"include/tarn/{error.args[1][0]}:1: includes itself: {' <- '.join(error.args[1])}"


def check_test_list(root):
    """sources.txt is written by hand: a test file that is forgotten there would never run."""
    tests = root / "tests"
    listed = (tests / "sources.txt").read_text(encoding="utf-8").split()
    present = [path.relative_to(tests).as_posix() for path in sorted(tests.rglob("*_test.cpp"))]
    for name in present:
        if name not in listed:
            yield f"tests/{name}:1: is not in tests/sources.txt, so it is never run"
    for name in sorted(set(listed)):
        if listed.count(name) > 1:
            yield f"tests/sources.txt:{listed.index(name) + 1}: {name} is listed twice"


def violations(root):
    return [*check_headers(root), *check_test_list(root)]


# file, line to add to it, part of the complaint that must follow
PLANTED = [
    ("include/tarn/core/error.hpp", '#include "../store/store.hpp"', "core must not include store"),
    ("include/tarn/store/store.hpp", '#include "../client.hpp"', "store must not include client"),
    ("include/tarn/codec/codec.hpp", '#include "../testing/planted.hpp"', "codec must not include testing"),
    ("include/tarn/testing/planted.hpp", '#include "../tarn.hpp"', "testing must not include tarn.hpp"),
    ("include/tarn/core/config.hpp", '#include "error.hpp"', "includes itself"),
    ("include/tarn/core/text.hpp", "#include <tarn/core/config.hpp>", "relative path"),
    ("include/tarn/core/value.hpp", "#include <memory>", "<memory> is not among"),
    ("include/tarn/core/row.hpp", "#include <unistd.h>", "belongs inside"),
    ("include/tarn/core/config.hpp", "#define HAS_POSIX 1", "does not start with TARN_"),
    ("include/tarn/core/uuid.hpp", "#define TARN_UUID 1", "macros are defined in"),
    ("include/tarn/core/planted.hpp", "int planted;", "no #pragma once"),
    ("tests/planted_test.cpp", "", "is never run"),
]


def can_fail(root):
    missed = []
    for name, line, expected in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for part in ("include", "tests"):
                shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("fixtures"))
            planted = copy / name
            planted.parent.mkdir(exist_ok=True)
            with planted.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
            if not any(expected in violation for violation in violations(copy)):
                missed.append(f"{name}: planted {line!r}, but nothing says {expected!r}")
    return missed


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "can_fail"):
        sys.exit(__doc__)
    found = (violations if sys.argv[1] == "check" else can_fail)(pathlib.Path(sys.argv[2]))
    for complaint in found:
        print(complaint)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
