"""The command-line tool under test, found in $LAKE, and what its tests share."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

LAKE = os.environ["LAKE"]

# Unless a test says otherwise: so that there are objects to count, to damage and to take away.
os.environ["LAKE_INLINE_BYTES_MAX"] = "0"


def start(*arguments, **options):
    """The tool, started with pipes to it."""
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return subprocess.Popen([LAKE, *map(str, arguments)], **{**pipes, **options})


def run(*arguments, stdin="", tool=LAKE, **options):
    """The tool, run to its end. Text is UTF-8; `stdin` may be bytes."""
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run([tool, *map(str, arguments)], input=given, capture_output=True, timeout=120, **options)
    done.out, done.err = done.stdout.decode(), done.stderr.decode()
    return done


def same(left, right):
    """Whether two JSON values are the same: 1 is not 1.0, 0.0 is not -0.0, and true is not 1."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return repr(left) == repr(right)


def parse(text):
    """A JSON text. JSON's -0 is the double, as for tarn."""
    return json.loads(text, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))


class LakeTest(unittest.TestCase):
    """Each test runs in an empty folder of its own; the lake is its folder `lake`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def lake(self, *arguments, **options):
        return run("lake", *arguments, **options)

    def succeed(self, *arguments, **options):
        """Runs a command on the lake that must succeed, and returns what it prints."""
        done = self.lake(*arguments, **options)
        self.assertEqual((done.returncode, done.err), (0, ""))
        return done.out

    def fail_with(self, code, message, *arguments, **options):
        """Runs a command on the lake that must fail with this exit code, this on standard error, and nothing else."""
        done = self.lake(*arguments, **options)
        self.assertIn(message, done.err)
        self.assertEqual((done.returncode, done.out), (code, ""))
        self.assertTrue(done.err.startswith("lake: "), done.err)
        return done.err

    def refuse_endless(self, message, *arguments, start_with, go_on_with):
        """Runs a command that must give up reading an endless input, with this message."""
        process = start("lake", *arguments, bufsize=0)
        with self.assertRaises(BrokenPipeError):
            process.stdin.write(start_with)
            for _ in range(1 << 10):
                process.stdin.write(go_on_with * ((1 << 20) // len(go_on_with)))
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (1, b""))
        self.assertIn(message, err.decode())

    def rows(self, *arguments):
        return [parse(line) for line in self.succeed("scan", *arguments, "--format", "ndjson").splitlines()]

    def versions(self):
        return [entry["version"] for entry in map(parse, self.succeed("log").splitlines())]

    def write(self, name, content):
        pathlib.Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def assert_same(self, left, right):
        self.assertTrue(same(left, right), f"{left!r} is not {right!r}")


def main():
    """Runs the tests of the script that calls it, and prints the line that counts them."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    raise SystemExit(0 if result.wasSuccessful() and result.testsRun else 1)
