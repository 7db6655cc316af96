"""Older versions: reading them, and giving them up."""

import pathlib
import time

from support.tool import LakeTest, main, parse, run


class Versions(LakeTest):
    """Version n has rows 1 to n of table t; each was committed in a millisecond of its own."""

    def setUp(self):
        super().setUp()
        self.succeed("create", "t", "a:integer")
        for number in range(1, 4):
            time.sleep(0.002)
            self.succeed("insert", "t", stdin='{"a": %d}\n' % number)

    def times(self):
        return [parse(line)["time"] for line in self.succeed("history").splitlines()]

    def objects(self):
        return sorted(path.name for path in pathlib.Path("lake").glob("_table_*"))

    def entries(self):
        return sorted(int(path.name[5:]) for path in pathlib.Path("lake").glob("_log_*"))

    def rows_at(self, when):
        return [row["a"] for row in map(parse, self.succeed("at", when, "scan", "t").splitlines())]


class At(Versions):
    def test_a_version_is_named_by_its_number_or_a_time(self):
        times = self.times()
        for number, committed in enumerate(times):
            for when in (number, committed, committed[:-1]):
                self.assertEqual(self.rows_at(when), list(range(1, number + 1)), when)
                self.assertEqual(self.rows("t", "--at", when), [{"a": n} for n in range(1, number + 1)])
        self.assertEqual(self.rows_at("2999-01-01"), [1, 2, 3])
        self.assertEqual(self.rows_at("2999-01-01T00:00Z"), [1, 2, 3])
        self.assertEqual(self.rows_at("@99999999999999"), [1, 2, 3])
        self.fail_with(1, "nothing was committed at", "at", "@0", "scan", "t")
        self.fail_with(1, "nothing was committed at", "at", "1999-12-31T23:59:59", "scan", "t")

    def test_what_names_no_version_is_an_error(self):
        for word in ("yesterday", "2026-13-01", "2026-02-30", "2026-11-29T24:00", "2026-11-29T10", "2026-11-29 10:00",
                     "2026-11-29T10:00:00.12", "@", ""):
            self.fail_with(1, f"there is no version '{word}': name one by its number, by a tag", "at", word, "tables")
        self.fail_with(1, "there is no version 4: ", "at", "4", "tables")

    def test_it_passes_everything_on_to_the_command(self):
        self.assertEqual(self.succeed("at", "2", "scan", "t", "--limit", "1", "--format=csv"), "a\n1\n")
        self.assertIn('"rows":1', self.succeed("at", "1", "tables"))
        self.assertIn("lake DIR scan TABLE", self.succeed("at", "1", "scan", "--help"))
        self.succeed("create", "k", "id:integer", "--key", "id")
        self.succeed("upsert", "k", stdin='{"id": -7}\n')
        self.assertEqual(self.succeed("at", "5", "get", "k", "--", "-7"), '{"id":-7}\n')
        self.assertEqual(self.succeed("at", "4", "explain", "k"), "")

    def test_times_can_be_read_when_the_head_is_damaged(self):
        times = self.times()
        pathlib.Path("lake/_log_%020d" % 3).unlink()
        pathlib.Path("lake/_log_%020d" % 4).write_text("?")
        self.assertEqual(self.rows_at(1), [1])
        self.assertEqual(self.rows_at(times[1]), [1])
        self.fail_with(1, "version 3", "at", "nonsense", "tables")


class History(Versions):
    def test_of_one_table(self):
        self.succeed("create", "u", "b")
        self.succeed("insert", "u", stdin='{"b": 1}\n')
        self.assertEqual(len(self.succeed("history").splitlines()), 6)
        self.assertEqual(self.succeed("log"), self.succeed("history"))
        lines = [parse(line) for line in self.succeed("history", "u").splitlines()]
        self.assertEqual([(line["version"], line["table"]) for line in lines], [(4, "u"), (5, "u")])
        self.assertEqual(self.succeed("history", "v"), "")


class Tags(Versions):
    def test_a_tag_names_a_version_until_it_is_taken_away(self):
        self.assertEqual(self.succeed("tag"), "")
        self.assertEqual(self.succeed("tag", "first row", "1"), "version 1 has the tag first row (version 4)\n")
        self.assertEqual(self.succeed("tag", "now"), "version 4 has the tag now (version 5)\n")
        self.assertEqual(self.succeed("tag", "again", "first row"), "version 1 has the tag again (version 6)\n")
        expected = [("again", 1), ("first row", 1), ("now", 4)]
        listed = [parse(line) for line in self.succeed("tag").splitlines()]
        self.assertEqual([(each["tag"], each["version"]) for each in listed], expected)
        self.assertEqual(self.rows_at("first row"), [1])
        self.assertEqual(self.rows("t", "--at", "now"), [{"a": 1}, {"a": 2}, {"a": 3}])
        self.fail_with(1, "tag", "tag", "now", "2")
        self.succeed("untag", "now")
        self.fail_with(1, "there is no version 'now'", "at", "now", "tables")
        self.fail_with(1, "now", "untag", "now")
        self.fail_with(1, "there is no version 99", "tag", "x", "99")
        self.assertIn("all is well", self.succeed("check"))

    def test_what_has_a_tag_survives_a_vacuum_and_a_truncation(self):
        self.succeed("tag", "early", "2")
        self.succeed("insert", "t", stdin='{"a": 4}\n')
        time.sleep(0.002)
        self.succeed("vacuum", "--keep", "0", "--grace", "0", "--truncate")
        self.assertEqual(self.rows_at("early"), [1, 2])
        self.fail_with(1, "version 1", "at", "1", "tables")
        self.assertIn("all is well", self.succeed("check"))


class Restore(Versions):
    def test_the_tables_are_what_they_were(self):
        self.succeed("create", "u", "b")
        self.assertEqual(self.succeed("restore", "1"), "restored version 1 (version 5)\n")
        self.assertEqual(self.rows("t"), [{"a": 1}])
        self.fail_with(1, "there is no table 'u'", "scan", "u")
        self.assertEqual(self.rows_at("3"), [1, 2, 3])
        self.succeed("tag", "all", "4")
        self.succeed("restore", "all")
        self.assertEqual(self.rows("t"), [{"a": 1}, {"a": 2}, {"a": 3}])
        self.succeed("restore", self.times()[2])
        self.assertEqual(self.rows("t"), [{"a": 1}, {"a": 2}])
        self.fail_with(1, "there is no version 99", "restore", "99")
        self.assertIn("all is well", self.succeed("check"))


class Changes(Versions):
    def changes(self, *arguments):
        lines = map(parse, self.succeed("changes", *arguments).splitlines())
        return [(line["version"], line["change"], line["before"], line["after"]) for line in lines]

    def test_of_a_bag(self):
        self.succeed("erase", "t", "--where", "a = 2")  # 4
        inserts = [(n, "insert", None, {"a": n}) for n in range(1, 4)]
        self.assertEqual(self.changes("t", "-1"), inserts + [(4, "erase", {"a": 2}, None)])
        self.assertEqual(self.changes("t", "1", "2"), inserts[1:2])
        self.assertEqual(self.changes("t", self.times()[2], "3"), inserts[2:])
        self.assertEqual(self.changes("t", "4"), [])

    def test_of_a_keyed_table(self):
        self.succeed("create", "k", "id:integer", "name", "--key", "id")  # 4
        self.succeed("upsert", "k", stdin='{"id": 1, "name": "Ada"}\n{"id": 2, "name": "Bob"}\n')
        self.succeed("upsert", "k", stdin='{"id": 2, "name": "Bill"}\n')
        self.succeed("erase", "k", "1")
        bill = {"id": 2, "name": "Bill"}
        expected = [
            (6, "update", {"id": 2, "name": "Bob"}, bill),
            (7, "erase", {"id": 1, "name": "Ada"}, None),
        ]
        self.assertEqual(self.changes("k", "5"), expected)
        self.assertRegex(self.succeed("changes", "k", "6", "--format", "csv"), r'^version,change,before,after\n7,erase,"\{')

    def test_what_cannot_be_told(self):
        self.fail_with(1, "there is no table 'u' in any of these versions", "changes", "u", "0")
        self.fail_with(1, "no versions are after 3 and up to 1", "changes", "t", "3", "1")
        self.fail_with(1, "there is no version 9", "changes", "t", "1", "9")


class Where(Versions):
    def test_scan_and_erase_choose_rows(self):
        self.succeed("create", "u", "name", "n:integer", "x:double")
        rows = '{"name": "Ada", "n": 1, "x": 0.5}\n{"name": "7", "n": 2}\n{"name": 7, "x": 2.0}\n'
        self.succeed("insert", "u", stdin=rows)
        for condition, count in [
            ("n = 1", 1), ("n=1", 1), ("n != 1", 1), ("n >= 1", 2), ("n<2", 1), ("n <= 0", 0), ("n > 1", 1),
            ("n is null", 1), ("n is not null", 2), ("x is null", 1), ("x >= 0", 2), ("x = 2", 1),
            ("name = Ada", 1), ("name = 7", 1), ('name = "7"', 1), ("name =", 0),
        ]:  # fmt: skip
            self.assertEqual(len(self.rows("u", "--where", condition)), count, condition)
        self.assertEqual(self.rows("u", "--where", "n >= 1", "--where", "x > 0", "--columns", "n"), [{"n": 1}])
        for condition in ("n", "n 1", "n ! 1", "= 1", "", "n is", "n = x"):
            self.assertEqual(self.lake("scan", "u", "--where", condition).returncode, 1, condition)
        self.fail_with(1, "no column 'm'; it has: name, n, x", "scan", "u", "--where", "m = 1")
        self.fail_with(1, "write 'COLUMN = VALUE'", "erase", "u", "--where", "n")
        self.assertRegex(self.succeed("erase", "u", "--where", "n >= 1"), r"^erased 2 rows of u \(version 6\)\n$")
        self.assertEqual(len(self.rows("u")), 1)
        self.assertEqual(len(self.rows("u", "--at", "5")), 3)
        self.assertEqual(self.succeed("erase", "u", "--where", "n = 7"), "erased 0 rows of u (version 6)\n")

    def test_update_changes_rows(self):
        self.succeed("create", "u", "name", "n:integer", "x:double")
        self.succeed("insert", "u", stdin='{"name": "Ada", "n": 1, "x": 0.5}\n{"name": "Bob", "n": 2}\n')
        for change, new in [("n = 7", {"n": 7}), ("n=", {"n": None}), ("x = 1", {"x": 1.0}), ('name=""', {"name": ""})]:
            done = self.succeed("update", "u", "--set", change, "--where", "x is not null")
            self.assertRegex(done, r"^updated 1 row of u \(version \d\)\n$")
            self.assertEqual({each: self.rows("u")[-1][each] for each in new}, new)
        self.succeed("update", "u", "--set", "n = 3", "--set", "name = Cyd", "--where", "n = 2")
        self.assertIn({"name": "Cyd", "n": 3, "x": None}, self.rows("u"))
        self.assertIn({"name": "Bob", "n": 2, "x": None}, self.rows("u", "--at", "5"))
        self.fail_with(1, "no column 'm'; it has: name, n, x", "update", "u", "--set", "m = 1", "--where", "n = 3")
        self.fail_with(1, "write 'COLUMN = VALUE'", "update", "u", "--set", "n", "--where", "n = 3")
        self.fail_with(1, "--set n = y: column 'n' takes integer", "update", "u", "--set", "n = y", "--where", "n = 3")
        self.assertIn("updated 0 rows", self.succeed("update", "u", "--set", "n = 1", "--where", "n = 9"))
        for arguments in (["--set", "n = 1"], ["--where", "n = 3"]):
            self.assertEqual(self.lake("update", "u", *arguments).returncode, 2)
        self.succeed("create", "w", "id:integer", "name", "--key", "id")
        self.succeed("insert", "w", stdin='{"id": 1, "name": "Ada"}\n')
        self.succeed("update", "w", "--set", "name = Bob", "--where", "id = 1")
        self.assertEqual(self.rows("w"), [{"id": 1, "name": "Bob"}])
        self.fail_with(1, "part of the key: erase the row", "update", "w", "--set", "id = 2", "--where", "id = 1")


class Checkpoint(Versions):
    def test_it_makes_one_and_replaces_a_damaged_one(self):
        path = pathlib.Path("lake/_checkpoint_%020d" % 3)
        self.assertEqual(self.succeed("checkpoint"), "version 3 has a checkpoint\n")
        content = path.read_bytes()
        path.chmod(0o644)
        path.write_bytes(content[:-1])
        self.assertIn("damaged checkpoint: ", self.lake("check").out)
        self.succeed("checkpoint")
        self.assertEqual(path.read_bytes(), content)
        self.succeed("check")

    def test_of_an_empty_lake(self):
        pathlib.Path("empty").mkdir()
        self.assertIn("the lake is empty", run("empty", "checkpoint").out)
        self.assertEqual(list(pathlib.Path("empty").iterdir()), [])


class Vacuum(Versions):
    def setUp(self):
        super().setUp()
        self.succeed("create", "k", "id:integer", "--key", "id")  # 4
        self.succeed("upsert", "k", stdin='{"id": 1}\n')  # 5
        self.succeed("upsert", "k", stdin='{"id": 2}\n')  # 6
        self.before = self.objects()
        self.succeed("compact", "k")  # 7
        time.sleep(0.002)

    def test_by_default_the_last_week_stays(self):
        out = self.succeed("vacuum")
        self.assertEqual(out, "all versions are kept\nremoved 0 objects, 6 remain (version 8)\n")
        self.assertEqual(len(self.objects()), 6)

    def test_a_dry_run_lists_what_would_go_and_changes_nothing(self):
        names = sorted(path.name for path in pathlib.Path("lake").iterdir())
        out = self.succeed("vacuum", "--dry-run", "--keep", "0", "--grace", "0")
        gone = [name for name in self.before if name.startswith("_table_k_")]
        for name in gone:
            self.assertIn(f"remove  {name}  garbage", out)
        self.assertTrue(out.endswith("would remove 2 objects, 4 would remain\n"), out)
        self.assertEqual(names, sorted(path.name for path in pathlib.Path("lake").iterdir()))

    def test_what_only_old_versions_need_is_removed(self):
        out = self.succeed("vacuum", "--keep", "0", "--grace", "0s")
        self.assertRegex(out, r"^versions from \d on are kept, and those with tags\nremoved 2 objects, 4 remain")
        self.assertEqual(self.rows_at("8"), [1, 2, 3])
        self.fail_with(1, "given up by a vacuum", "at", "6", "scan", "k")
        self.assertIn("all is well", self.succeed("check"))
        self.assertNotIn("orphans", self.succeed("check"))
        self.assertEqual(self.entries(), list(range(9)))

    def test_young_garbage_stays_and_is_an_orphan(self):
        self.assertIn("removed 0 objects, 6 remain", self.succeed("vacuum", "--keep", "0"))
        out = self.succeed("check")
        self.assertIn("orphans: 2 (", out)
        self.assertIn("was replaced by a compaction at version 7, and no version that has it is retained", out)
        self.assertIn("young: ", self.succeed("vacuum", "--keep", "0", "--dry-run"))

    def test_versions_can_be_kept_by_number(self):
        self.assertIn("removed 0 objects", self.succeed("vacuum", "--keep", "0", "--grace", "0", "--keep-versions", "5"))
        self.assertEqual(len(self.succeed("at", "6", "scan", "k").splitlines()), 2)

    def test_truncating_gives_up_the_beginning_of_the_log(self):
        out = self.succeed("vacuum", "--keep", "0", "--grace", "0", "--truncate")
        self.assertIn("the log begins with version 7 now\n", out)
        self.assertEqual(self.entries(), [8])
        self.assertEqual(self.rows_at("8"), [1, 2, 3])
        self.assertEqual(len(self.succeed("history").splitlines()), 1)
        self.fail_with(1, "version 3", "at", "3", "scan", "t")
        self.assertIn("all is well", self.succeed("check"))
        self.succeed("insert", "t", stdin='{"a": 4}\n')
        self.assertIn("log: 2 versions\n", self.succeed("check"))


if __name__ == "__main__":
    main()
