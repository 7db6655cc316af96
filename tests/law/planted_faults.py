#!/usr/bin/env python3
"""Proof that keyed_law_test.cpp can fail: plants one fault at a time in a copy of the headers and runs the test.

    planted_faults.py ROOT [PART]     every fault, or those with PART in their name; fails if the test does not notice one

Takes about 15 seconds a fault, with the compiler that $CXX names (g++).
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# What is wrong, the header, a text that stands in it once, and what it is replaced by.
FAULTS = [
    (
        "by_position compares versions instead of bases",
        "merge/strategy.hpp",
        "positions_hold(const block_header& block, const uuid& base, version) noexcept {\n    return block.base == base;",
        "positions_hold(const block_header& block, const uuid&, version since) noexcept {\n"
        "    return block.read_version >= since;",
    ),
    (
        "by_position takes all positions for good",
        "merge/strategy.hpp",
        "positions_hold(const block_header& block, const uuid& base, version) noexcept {\n    return block.base == base;",
        "positions_hold(const block_header&, const uuid&, version) noexcept {\n    return true;",
    ),
    (
        "derived takes all positions for good",
        "merge/strategy.hpp",
        "positions_hold(const block_header& block, const uuid&, version since) noexcept {\n"
        "    return block.read_version >= since;",
        "positions_hold(const block_header&, const uuid&, version) noexcept {\n    return true;",
    ),
    (
        "derived is off by one version",
        "merge/strategy.hpp",
        "return block.read_version >= since;",
        "return block.read_version.next() >= since;",
    ),
    (
        "since is not set anew by a compaction",
        "log/snapshot.hpp",
        "if (first || change.block.compacted) bucket.since = at;",
        "if (first && !change.block.compacted) bucket.since = at;",
    ),
    (
        "objects are put before those that were committed earlier",
        "log/snapshot.hpp",
        "objects.insert(change.block.compacted ? 0 : objects.size(), std::move(added));",
        "objects.insert(change.block.compacted || objects.empty() ? 0 : 1, std::move(added));",
    ),
    (
        "a compaction removes what was committed after its plan",
        "log/snapshot.hpp",
        "  objects.insert(change.block.compacted ? 0",
        "  while (change.block.compacted && !objects.empty()) objects.erase(0);\n"
        "  objects.insert(change.block.compacted ? 0",
    ),
    (
        "a compaction drops tombstones",
        "table/compaction.hpp",
        "while (merged->next(true)) {",
        "while (merged->next(false)) {",
    ),
    (
        "a tie goes to the earlier write",
        "merge/fold.hpp",
        "before.values[key.ordering]) >= 0;",
        "before.values[key.ordering]) > 0;",
    ),
    (
        "a tombstone's ordering does not count",
        "merge/fold.hpp",
        "if (before.state == key_state::nothing ||",
        "if (before.state != key_state::live ||",
    ),
    (
        "a plain erase leaves the ordering",
        "merge/fold.hpp",
        "if (done.resets) into = {};",
        "if (done.resets && into.state == key_state::live) into.state = key_state::tombstone;",
    ),
    (
        "a group ends after two records",
        "merge/slice_merge.hpp",
        "while (!heap_.empty() && compare(heap_[0], group_[0]) == 0) {",
        "while (group_.size() < 2 && !heap_.empty() && compare(heap_[0], group_[0]) == 0) {",
    ),
    (
        "records of one key are folded in the wrong order",
        "merge/slice_merge.hpp",
        "return order < 0 || (order == 0 && a < b);",
        "return order < 0 || (order == 0 && a > b);",
    ),
    (
        "a position is taken for the key of the row there, erased or not",
        "merge/slice_merge.hpp",
        "return fold_group(group_place_.at);",
        "return fold_group(group_place_.index < base_rows_);",
    ),
    (
        "a row's place is given as that of the next one",
        "merge/slice_merge.hpp",
        "place_ = {base_index_, true, true};\n    leave_base_row();",
        "leave_base_row();\n    place_ = {base_index_, true, true};",
    ),
    (
        "base form in spite of a plain erase",
        "table/keyed_writer.hpp",
        "header.form = first && !mine.buffer.resets() ?",
        "header.form = first ?",
    ),
    (
        "base form in spite of a plain erase, which is forgotten",
        "table/keyed_writer.hpp",
        "    record written = each.content;\n",
        "    record written = each.content;\n    if (first) header.form = object_form::base;\n"
        "    if (first) written.done.resets = false;\n"
        "    if (first && written.done.then == key_state::nothing) continue;\n",
    ),
    (
        "base form for every first flush, though the bucket has objects",
        "table/keyed_writer.hpp",
        "committed.objects.empty() && mine.flushed.empty();",
        "mine.flushed.empty();",
    ),
    (
        "a scan's place is taken for one in another transaction",
        "table/scan.hpp",
        "keyed_->on_row() && reader_id_ == transaction;",
        "keyed_->on_row() && (reader_id_ == transaction || !reader_id_.is_nil());",
    ),
    (
        "an update by a scan overwrites what the transaction wrote since",
        "table/keyed_writes.hpp",
        "return record != nullptr && record->written > after;",
        "return record != nullptr && record->written > after + 1000;",
    ),
    (
        "an own base is taken for the committed one",
        "table/keyed_writer.hpp",
        "if (written.place.known) header.base = base;",
        "if (written.place.known) header.base = committed.base() != nullptr ? committed.base()->object.id : *id;",
    ),
    (
        "a write after a plain erase in one buffer loses the erase",
        "table/record_buffer.hpp",
        "mine.done.then = done.then;",
        "mine.done = {false, done.then};",
    ),
    (
        "a buffered write counts, whatever its ordering",
        "table/record_buffer.hpp",
        "if (done.then == key_state::nothing || !counts_after({mine.done.then, mine.values}, values, of)) return;",
        "if (done.then == key_state::nothing) return;",
    ),
    (
        "the index places absent keys one row late",
        "table/key_index.hpp",
        "return {first, first < records_.size() && records_[first].key == key, true};",
        "const bool at = first < records_.size() && records_[first].key == key;\n"
        "    return {at || first == records_.size() ? first : first + 1, at, true};",
    ),
    (
        "a look-up skips the transaction's flushed objects",
        "table/keyed_writes.hpp",
        "{&table.buckets[bucket]->objects, &mine.flushed})",
        "{&table.buckets[bucket]->objects})",
    ),
    (
        "a compaction is committed though another was faster",
        "table/conflict.hpp",
        "if (gone == replaced) return",
        "if (gone == replaced && used->wrote) return",
    ),
    (
        "an update is committed though its key was written meanwhile",
        "table/conflict.hpp",
        "if (won.wrote && used->relied) return",
        "if (won.wrote && used->relied && used->appended) return",
    ),
]


def build(compiler, root, include, source, output):
    command = [*compiler, "-std=c++20", "-O1", f"-I{include}", "-c", str(root / "tests" / source), "-o", str(output)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def notices(root, folder, compiler, fault):
    """How the test notices the fault; None if it does not."""
    _, header, right, wrong = fault
    include = folder / "include"
    shutil.rmtree(include, ignore_errors=True)
    shutil.copytree(root / "include", include)
    path = include / "tarn" / header
    text = path.read_text(encoding="utf-8")
    if text.count(right) != 1:
        sys.exit(f"{header} has changed, adapt the fault: {right!r} stands in it {text.count(right)} times")
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    built = build(compiler, root, include, "law/keyed_law_test.cpp", folder / "law.o")
    if built.returncode != 0:
        sys.exit(f"the fault does not compile:\n{built.stderr}")
    subprocess.run([*compiler, folder / "main.o", folder / "law.o", "-o", folder / "law"], check=True)
    seeded = os.environ | {"TARN_TEST_SEED": "1", "TARN_LAW_HISTORIES": "2000"}
    try:
        run = subprocess.run([folder / "law"], env=seeded, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "no end"
    if run.returncode == 0:
        return None
    lines = run.stdout.splitlines()
    said = [lines[at + 1] for at, line in enumerate(lines) if "TARN_KEYED_HISTORY" in line and at + 1 < len(lines)]
    said += [line for line in lines if "never happened" in line]
    return said[0].strip() if said else f"ends with {run.returncode}"


def main(root, part=""):
    root = pathlib.Path(root).resolve()
    compiler = os.environ.get("CXX", "g++").split()
    survived = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if build(compiler, root, root / "include", "main.cpp", folder / "main.o").returncode != 0:
            sys.exit("tests/main.cpp does not compile")
        for fault in (each for each in FAULTS if part in each[0]):
            how = notices(root, folder, compiler, fault)
            survived += how is None
            print(f"{'SURVIVED' if how is None else 'killed'}  {fault[0]}: {how or 'not noticed'}", flush=True)
    return 1 if survived else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
