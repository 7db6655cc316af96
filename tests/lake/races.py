"""Several processes on one lake."""

from support.tool import LakeTest, main, start


class Races(LakeTest):
    def begin_insert(self, *arguments):
        """An insert that has begun its transaction: it has taken more than a pipe holds, and waits for the rest."""
        process = start("lake", "insert", "t", *arguments)
        process.stdin.write(b'{"a": 1}\n' * 100_000)
        process.stdin.flush()
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()

    def test_two_that_create_the_same_table_are_a_conflict_with_exit_code_3(self):
        slow = self.begin_insert("--create")
        self.succeed("create", "t", "a")
        code, out, err = self.finish(slow)
        self.assertEqual((code, out), (3, ""))
        self.assertRegex(err, r"^lake: version 0, by transaction .*, created table t, .*: run it again\n$")
        self.assertEqual(self.rows("t"), [])

    def test_an_insert_into_a_table_that_is_dropped_is_a_conflict(self):
        self.succeed("create", "t", "a")
        slow = self.begin_insert()
        self.succeed("drop", "t")
        code, _, err = self.finish(slow)
        self.assertEqual(code, 3)
        self.assertIn("dropped table t", err)

    def test_inserts_into_one_table_both_succeed(self):
        self.succeed("create", "t", "a")
        slow = self.begin_insert()
        self.succeed("insert", "t", stdin='{"a": 2}')
        self.assertEqual(self.finish(slow), (0, "inserted 100,000 rows into t (version 2)\n", ""))
        self.assertEqual(len(self.rows("t")), 100_001)
        self.assertEqual(self.rows("t", "--limit", "1"), [{"a": 2}])

    def test_many_inserts_at_once_all_succeed(self):
        self.succeed("create", "t", "a")
        processes = [start("lake", "insert", "t") for _ in range(16)]
        for number, process in enumerate(processes):
            process.stdin.write(b'{"a": %d}\n' % number)
            process.stdin.close()
        for process in processes:
            self.assertEqual(process.wait(timeout=60), 0)
            process.stdout.close()
            process.stderr.close()
        self.assertEqual(self.versions(), list(range(17)))
        self.assertEqual(sorted(row["a"] for row in self.rows("t")), list(range(16)))

    def test_an_insert_that_is_killed_leaves_nothing_but_garbage(self):
        self.succeed("create", "t", "a")
        slow = self.begin_insert()
        slow.kill()
        self.finish(slow)
        self.assertEqual(self.rows("t"), [])
        orphan = r"\norphans: 1 \([^\n]*\)\n  _table_t_[0-9a-f-]{36}: is named by no version: its transaction failed"
        self.assertRegex(self.succeed("check"), orphan)


if __name__ == "__main__":
    main()
