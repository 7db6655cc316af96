#!/usr/bin/env python3
"""Compares tarn's JSON parser and writer with Python's: what one takes the other takes, and as the same value.

    json_differential.py PROGRAM CORPUS RUNS [SEED]

PROGRAM is json_text.cpp, built. Reads every file below CORPUS and, of each line that those have, RUNS mutations in all.
Where the two differ on purpose, this says how: tarn refuses equal keys, halves of surrogate pairs, what is not UTF-8, a
byte order mark, NaN and infinities, numbers beyond doubles, integers beyond 64 bits and more than 64 levels.
"""

import json
import pathlib
import random
import struct
import subprocess
import sys

DEPTH_MAX = 64
PIECES = [b"null", b"true", b"-0", b"1e5", b"1E-400", b"0.1", b"9223372036854775808", b"\\u00e9", b"\\ud83d\\ude00",
          b"\\ud800", b'"a":', b"{}", b"[]", b",", b":", b'"', b"\\", b"\xc3\xa9", b"\xff", b" ", b"\n", b"NaN", b"1.", b".5",
          b"01", b"]", b"}", b"[", b"{"]


class Refused(Exception):
    pass


def refuse(what):
    raise Refused(what)


def without_equal_keys(pairs):
    return dict(pairs) if len({key for key, _ in pairs}) == len(pairs) else refuse("equal keys")


def integer(text):
    if text == "-0":
        return -0.0
    number = int(text)
    return number if -(1 << 63) <= number < 1 << 63 else refuse("more than 64 bits")


def real(text):
    number = float(text)
    return number if number not in (float("inf"), float("-inf")) else refuse("beyond doubles")


def check(value, depth):
    """Refuses what a value must not have; Python's parser tells neither."""
    if isinstance(value, str):
        value.encode("utf-8")  # halves of surrogate pairs cannot be
    if isinstance(value, (dict, list)) and depth == DEPTH_MAX:
        refuse("too deep")
    for each in value if isinstance(value, list) else ():
        check(each, depth + 1)
    for key, each in value.items() if isinstance(value, dict) else ():
        check(key, depth + 1)
        check(each, depth + 1)


def parse(text):
    """What Python makes of a text, under tarn's rules; the exception says why it is refused."""
    if text.startswith("\ufeff"):
        refuse("byte order mark")
    value = json.loads(text, object_pairs_hook=without_equal_keys, parse_int=integer, parse_float=real,
                       parse_constant=refuse)
    check(value, 0)
    return value


def same(a, b):
    """Bit for bit: 1 is not 1.0, 0.0 is not -0.0, and members keep their order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    return a == b


def mutated(text, chosen):
    out = bytearray(text)
    for _ in range(chosen.randint(1, 4)):
        at = chosen.randint(0, len(out))
        kind = chosen.randrange(4)
        if kind == 0:
            out[at:at] = chosen.choice(PIECES)
        elif kind == 1:
            del out[at:at + chosen.randint(1, 4)]
        elif kind == 2 and at < len(out):
            out[at] ^= 1 << chosen.randrange(8)
        else:
            out[at:at + chosen.randint(0, 3)] = chosen.choice(PIECES)
    return bytes(out)


def verdicts(program, texts):
    given = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
    done = subprocess.run([program], input=given, stdout=subprocess.PIPE, check=True)
    lines = done.stdout.split(b"\n")[:-1]
    if len(lines) != len(texts):
        sys.exit(f"{len(texts)} texts, {len(lines)} answers")
    return lines


def complaint(text, verdict):
    """How tarn and Python differ about a text, or None."""
    try:
        expected = parse(text.decode("utf-8"))
    except (Refused, ValueError, RecursionError) as why:
        return f"Python refuses it ({why}), tarn reads {verdict!r}" if verdict.startswith(b"+") else None
    if verdict.startswith(b"-"):
        return f"tarn refuses it: {verdict!r}"
    if not same(parse(verdict[1:].decode("utf-8")), expected):
        return f"Python reads {expected!r}, tarn {verdict!r}"
    return None


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    program, corpus, runs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    chosen = random.Random(int(sys.argv[4]) if len(sys.argv) == 5 else 1)
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    kept = [path.read_bytes() for path in files]
    lines = sorted({line for text in kept for line in text.splitlines() if 0 < len(line) < 2000})
    texts = kept + lines + [mutated(chosen.choice(lines), chosen) for _ in range(runs)]
    accepted = 0
    complaints = []
    for text, verdict in zip(texts, verdicts(program, texts)):
        accepted += verdict.startswith(b"+")
        if (wrong := complaint(text, verdict)) is not None:
            complaints.append(f"{text!r}: {wrong}")
    print(f"{len(texts)} texts from {len(files)} files, {accepted} are JSON, {len(complaints)} differences")
    for each in complaints[:20]:
        print(each)
    sys.exit(1 if complaints or not accepted or accepted == len(texts) else 0)


if __name__ == "__main__":
    main()
