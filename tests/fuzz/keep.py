#!/usr/bin/env python3
"""Makes the corpus of a target: few and small inputs that reach all code that many do.

    keep.py PROGRAM CORPUS NAMED... -- FOUND...

PROGRAM is fuzz_<target>, CORPUS the folder to fill, anew. All files in the folders NAMED are kept, under their names:
regressions, and what people have written. Of those in FOUND (seeds, a fuzzer's own corpus), those that reach more.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

FILES_MAX = 60
BYTES_MAX = 100 * 1024


def main():
    if len(sys.argv) < 6 or "--" not in sys.argv:
        sys.exit(__doc__)
    split = sys.argv.index("--")
    program, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
    named = [pathlib.Path(folder) for folder in sys.argv[3:split]]
    found = [pathlib.Path(folder) for folder in sys.argv[split + 1:]]
    with tempfile.TemporaryDirectory() as temporary:
        merged = pathlib.Path(temporary)
        for folder in named:
            for file in sorted(folder.iterdir()):
                shutil.copy(file, merged / file.name)
        count = len(list(merged.iterdir()))
        subprocess.run([program, "-merge=1", "-use_counters=0", "-timeout=25", merged, *found], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names = {file.read_bytes(): file.name for folder in found for file in folder.iterdir() if len(file.name) < 40}
        kept = {file.name for folder in named for file in folder.iterdir()}
        more = sorted((file for file in merged.iterdir() if file.name not in kept), key=lambda file: file.stat().st_size)
        shutil.rmtree(corpus, ignore_errors=True)
        corpus.mkdir(parents=True)
        size = 0
        for number, file in enumerate(sorted(file for file in merged.iterdir() if file.name in kept) + more):
            size += file.stat().st_size
            if number >= count and (number >= FILES_MAX or size > BYTES_MAX):
                break
            name = file.name if file.name in kept else names.get(file.read_bytes(), f"found-{number - count + 1:02}")
            shutil.copy(file, corpus / name)
    print(f"{corpus.name}: {len(list(corpus.iterdir()))} files, {sum(f.stat().st_size for f in corpus.iterdir())} bytes")


if __name__ == "__main__":
    main()
