"""What is printed on a terminal and what into a pipe, and what happens when it cannot be written."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time
import unicodedata

from support.tool import LAKE, LakeTest, main, start

WIDE = "\u6771\u4eac"


class Terminal:
    """A terminal of some width; the tool's standard output, standard error, or both."""

    def __init__(self, columns=80):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self):
        os.close(self.slave)
        pieces = []
        try:
            while piece := os.read(self.master, 65_536):
                pieces.append(piece)
        except OSError:  # how Linux says that nobody has the terminal open any more
            pass
        os.close(self.master)
        return b"".join(pieces).decode().replace("\r\n", "\n")


def width(text):
    """How many columns a terminal needs for the text."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Tables(LakeTest):
    def scan_on_terminal(self, *arguments, columns=80):
        terminal = Terminal(columns)
        process = subprocess.Popen([LAKE, "lake", *arguments], stdout=terminal.slave, stderr=subprocess.PIPE)
        out = terminal.read()
        self.assertEqual((process.communicate()[1], process.returncode), (b"", 0))
        return out

    def test_a_terminal_gets_a_table_and_a_pipe_gets_ndjson(self):
        self.succeed("insert", "t", "--create", stdin='{"name": "Ada", "age": 36}\n{"name": null, "age": 5}\n')
        self.assertEqual(
            self.scan_on_terminal("scan", "t"),
            "name  age\n----  ---\nAda    36\nnull    5\n(2 rows)\n",
        )
        self.assertEqual(self.succeed("scan", "t"), '{"name":"Ada","age":36}\n{"name":null,"age":5}\n')
        self.assertTrue(self.scan_on_terminal("log").startswith("version  time"))
        self.assertTrue(self.scan_on_terminal("tables").startswith("t: 2 rows in 1 object"))
        self.assertTrue(self.scan_on_terminal("scan", "t", "--format", "csv").startswith("name,age\nAda,36\n"))

    def test_what_looks_like_another_value_is_in_quotes(self):
        texts = ["plain", "17", "", "null", "true", "1.5", "007"]
        self.succeed("create", "t", "a")
        self.succeed("insert", "t", stdin="\n".join('{"a": "%s"}' % text for text in texts))
        self.succeed("insert", "t", stdin='{"a": 17}\n{"a": null}\n{"a": [1, "x"]}\n')
        shown = self.succeed("scan", "t", "--format", "table").splitlines()[2:-1]
        self.assertEqual(shown, ["plain", '"17"', '""', '"null"', '"true"', '"1.5"', "007", "17", "null", '[1,"x"]'])

    def test_control_characters_are_shown_as_escapes(self):
        self.succeed("insert", "t", "--create", stdin=r'{"a": "\u001b[31m", "b\u0007": "x\ny\tz\u0085"}')
        self.assertEqual(
            self.succeed("scan", "t", "--format", "table").splitlines(),
            [r"a           b\u0007", r"----------  -------------", r"\u001b[31m  x\ny\tz\u0085", "(1 row)"],
        )

    def test_columns_are_aligned_whatever_the_width_of_their_characters(self):
        texts = ["ascii", WIDE, "e\u0301a\u0300", "\U0001f389", "\u0141\u00f3d\u017a"]
        self.succeed("create", "t", "a", "b")
        self.succeed("insert", "t", stdin="\n".join('{"a": "%s", "b": "|"}' % text for text in texts))
        for line in self.succeed("scan", "t", "--format", "table").splitlines()[2:-1]:
            self.assertEqual(width(line[: line.index("|")]), len("ascii  "), line)

    def test_long_cells_are_cut_and_the_table_fits_the_terminal(self):
        row = '{"number": 1, "long": "%s", "wide": "%s", "list": [%s]}\n' % ("x" * 500, WIDE * 100, ",".join("1" * 99))
        self.succeed("insert", "t", "--create", stdin=row * 2)
        for columns in (60, 80, 100):
            lines = self.scan_on_terminal("scan", "t", columns=columns).splitlines()
            self.assertLessEqual(max(map(width, lines)), columns)
            self.assertGreater(max(map(width, lines)), columns - 10)
            self.assertIn("\u2026", lines[2])
        line = self.succeed("scan", "t", "--format", "table").splitlines()[2]
        self.assertEqual(width(line), len("number") + 3 * (2 + 40) - 1)  # the wide column ends one short of 40

    def test_widths_come_from_the_first_thousand_rows(self):
        self.succeed("create", "t", "a", "b")
        rows = ['{"a": "xx", "b": 1}'] * 1000 + ['{"a": "yyyyyyyy", "b": 2}']
        self.succeed("insert", "t", stdin="\n".join(rows))
        lines = self.succeed("scan", "t", "--format", "table").splitlines()
        self.assertEqual((lines[2], lines[-2]), ("xx  1", "y\u2026  2"))


class Progress(LakeTest):
    def test_long_work_shows_its_progress_on_a_terminal_and_takes_it_away(self):
        self.succeed("create", "t", "a")
        terminal = Terminal()
        process = subprocess.Popen(
            [LAKE, "lake", "insert", "t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal.slave
        )
        for _ in range(2):
            process.stdin.write(b'{"a": 1}\n' * 20_000)
            process.stdin.flush()
            time.sleep(0.8)
        out = process.communicate()[0]
        shown = terminal.read()
        self.assertEqual((process.returncode, out), (0, b"inserted 40,000 rows into t (version 1)\n"))
        self.assertRegex(shown, r"\rinserting: [\d,]+ rows, [\d,]+ rows/s\x1b\[K")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_short_work_shows_none(self):
        self.succeed("create", "t", "a")
        terminal = Terminal()
        process = subprocess.Popen(
            [LAKE, "lake", "insert", "t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal.slave
        )
        process.communicate(b'{"a": 1}\n' * 1000)
        self.assertEqual(terminal.read(), "")


class Failures(LakeTest):
    def setUp(self):
        super().setUp()
        self.succeed("create", "t", "a")
        self.succeed("insert", "t", stdin='{"a": "%s"}\n' % ("x" * 100) * 5_000)

    def test_a_full_disk_is_a_failure(self):
        for arguments in (["scan", "t"], ["scan", "t", "--limit", "1"], ["tables"], ["log"], ["check"], ["-h"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([LAKE, "lake", *arguments], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"lake: cannot write to standard output: No space left on device", done.stderr)

    def test_a_reader_that_goes_away_ends_it_quietly(self):
        for ignored in (False, True):  # SIGPIPE
            process = start("lake", "scan", "t", restore_signals=not ignored)
            process.stdin.close()
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(process.wait(timeout=60), 128 + signal.SIGPIPE if ignored else -signal.SIGPIPE)
            process.stderr.close()


if __name__ == "__main__":
    main()
