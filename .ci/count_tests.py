#!/usr/bin/env python3
"""Counts tests in JUnit files of ctest and Meson and prints: passed failed.

A test that prints a summary of its own, doctest's or "N passed, N failed", counts as that many tests.
"""

import re
import sys
import xml.etree.ElementTree

SUMMARY = re.compile(
    r"^\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed|^(\d+) passed, (\d+) failed$", re.MULTILINE
)


def count(case):
    """(passed, failed) of one <testcase>."""
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return 0, 0
    bad = case.find("failure") is not None or case.find("error") is not None
    summary = SUMMARY.search(case.findtext("system-out") or "")
    if not summary:
        return int(not bad), int(bad)
    passed, failed = (int(number) for number in summary.groups() if number is not None)
    return passed, max(failed, int(bad))


def main():
    totals = [0, 0]
    for name in sys.argv[1:]:
        for case in xml.etree.ElementTree.parse(name).iter("testcase"):
            totals = [total + more for total, more in zip(totals, count(case))]
    print(*totals)


if __name__ == "__main__":
    main()
