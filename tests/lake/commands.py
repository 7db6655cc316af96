"""What each command does, and how it says that it was called in a wrong way."""

import os
import pathlib
import shutil

from support.tool import LAKE, LakeTest, main, run

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
NOBODY = 65534
COMMANDS = """create drop insert upsert update erase get scan explain compact tables history at changes restore tag
    untag check checkpoint vacuum""".split()


class Help(LakeTest):
    def test_each_command_has_help_with_an_example(self):
        for command in COMMANDS:
            for arguments in ([command, "--help"], ["lake", command, "--help"], ["lake", command, "x", "-h"]):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.err), (0, ""))
                self.assertTrue(done.out.startswith(f"usage: lake DIR {command}"), done.out)
                self.assertIn("For example:\n  ", done.out)
        self.assertFalse(pathlib.Path("lake").exists())

    def test_general_help_lists_the_commands_and_the_exit_codes(self):
        for arguments in (["--help"], ["-h"], ["lake", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.err), (0, ""))
            for command in COMMANDS:
                self.assertIn(f"\n  {command} ", done.out)
            self.assertIn("3 conflict", done.out)

    def test_help_fits_a_terminal(self):
        for command in COMMANDS:
            for line in run(command, "--help").out.splitlines():
                self.assertLessEqual(len(line), 84, line)

    def test_version(self):
        self.assertRegex(run("--version").out, r"^lake \(tarn \d+\.\d+\.\d+\)\n$")


class Misuse(LakeTest):
    def test_misuse_is_exit_code_2_and_touches_nothing(self):
        for arguments, complaint in [
            ([], "what is to be done?"),
            (["lake"], "what is to be done with 'lake'?"),
            (["lake", "nonsense"], "there is no command 'nonsense'"),
            (["scan", "lake", "x"], "the folder comes first: lake lake scan"),
            (["lake", "scan"], "too few arguments"),
            (["lake", "scan", "a", "b"], "too many arguments: 'b'"),
            (["lake", "scan", "a", "--nonsense"], "there is no option --nonsense"),
            (["lake", "scan", "a", "--limit"], "option --limit needs a value"),
            (["lake", "scan", "a", "--limit", "-1"], "--limit needs a number"),
            (["lake", "scan", "a", "--limit=x"], "--limit needs a number"),
            (["lake", "scan", "a", "--format", "xml"], "the formats are table, ndjson and csv"),
            (["lake", "erase", "a"], "give a key, --from or --where"),
            (["lake", "erase", "a", "1", "--where", "b = 1"], "give no key and no other option with it"),
            (["lake", "erase", "a", "--from", "b", "--where", "b = 1"], "give no key and no other option with it"),
            (["lake", "changes", "a"], "too few arguments"),
            (["lake", "restore"], "too few arguments"),
            (["lake", "untag"], "too few arguments"),
            (["lake", "tag", "a", "1", "2"], "too many arguments: '2'"),
            (["lake", "at", "0"], "too few arguments"),
            (["lake", "at", "0", "nonsense"], "there is no command 'nonsense'"),
            (["lake", "at", "0", "insert", "a"], "`insert` does not read an older version"),
            (["lake", "at", "0", "scan", "a", "--nonsense"], "there is no option --nonsense"),
            (["lake", "vacuum", "--keep", "7"], "--keep needs a time such as 7d"),
            (["lake", "vacuum", "--grace", "-1d"], "--grace needs a time such as 7d"),
            (["lake", "vacuum", "--keep-versions", "0"], "--keep-versions needs a number of versions, at least 1"),
            (["lake", "vacuum", "--dry-run", "--truncate"], "it does not go with --truncate"),
            (["lake", "insert", "a", "--create=yes"], "option --create takes no value"),
            (["lake", "insert", "a", "--format", "xml"], "the formats are ndjson and csv"),
            (["lake", "create", "a"], "at least one column"),
            (["lake", "create", "a", "b", "--from", "c"], "not both"),
            (["lake", "create", "a", "b", "--format", "csv"], "--format says what --from reads"),
            (["lake", "create", "a", "b:number"], "there is no type 'number'"),
            (["lake", "create", "a", "b!"], "write b:any!"),
        ]:
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertIn(complaint, done.err)
                self.assertIn("usage: lake", done.err)
                self.assertEqual((done.returncode, done.out), (2, ""))
        self.assertEqual(os.listdir("."), [])


class Commands(LakeTest):
    def test_create_makes_a_table_with_its_columns(self):
        out = self.succeed("create", "t", "a", "b:integer", "c:string!", "d:any!", "12:30:double", "e:boolean")
        self.assertEqual(out, "created table t with 6 columns (version 0)\n")
        self.assertIn(
            '"columns":["a:any","b:integer","c:string!","d:any!","12:30:double","e:boolean"]', self.succeed("tables")
        )

    def test_create_takes_the_columns_of_a_file(self):
        self.write("file.csv", 'a,"b, c",d\n1,2,3\n')
        self.write("file.ndjson", '{"a": 1}\n\n{"b": {"c": 1}, "a": 2}\n')
        self.succeed("create", "csv", "--from", "file.csv")
        self.succeed("create", "ndjson", "--from", "file.ndjson")
        self.succeed("create", "stdin", "--from", "-", stdin='{"x": 1}')
        self.succeed("create", "told", "--from", "-", "--format", "csv", stdin="{x\n")
        tables = self.succeed("tables")
        self.assertIn('"csv","rows":0,"objects":0,"bytes":0,"columns":["a:any","b, c:any","d:any"]', tables)
        self.assertIn('"columns":["a:any","b:any"]', tables)
        self.assertIn('"columns":["x:any"]', tables)
        self.assertIn('"columns":["{x:any"]', tables)

    def test_create_refuses_what_the_library_refuses(self):
        self.fail_with(1, "table name '../evil'", "create", "../evil", "a")
        self.fail_with(1, "two columns have the name 'a'", "create", "t", "a", "a")
        self.fail_with(1, "empty name", "create", "t", ":integer")
        self.succeed("create", "t", "a")
        self.fail_with(1, "table t exists already", "create", "T", "a")

    def test_drop_removes_a_table_but_not_from_earlier_versions(self):
        self.succeed("insert", "t", "--create", stdin='{"a": 1}')
        self.assertEqual(self.succeed("drop", "t"), "dropped table t (version 1); its rows are still in version 0\n")
        self.fail_with(1, "there is no table 't'; the lake has no tables", "scan", "t")
        self.assertEqual(self.rows("t", "--at", "0"), [{"a": 1}])
        self.fail_with(1, "there is no table 't'", "drop", "t")
        self.succeed("create", "t", "b")
        self.assertIn('"rows":0', self.succeed("tables"))

    def test_scan_selects_columns_rows_and_version(self):
        self.succeed("insert", "t", "--create", stdin='{"a": 1, "b, c": 2}\n{"a": 3, "b, c": 4}\n')
        self.succeed("insert", "t", stdin='{"a": 5}')
        self.assertEqual(self.rows("t", "--columns", '"b, c",a', "--limit", "1"), [{"b, c": 2, "a": 1}])
        self.assertEqual(self.rows("t", "--limit", "0"), [])
        self.assertEqual(len(self.rows("t", "--at", "0")), 2)
        self.assertEqual(len(self.rows("t", "--at=1")), 3)
        self.fail_with(1, "there is no version 2: ", "scan", "t", "--at", "2")
        self.fail_with(1, "no column 'x'; it has: a, b, c", "scan", "t", "--columns", "x")
        self.fail_with(1, "there is no table 'T'; there are: t", "scan", "T")

    def test_scan_counts_below_a_table(self):
        self.succeed("insert", "t", "--create", stdin='{"a": 1}\n{"a": 2}\n')
        for arguments, count in [([], "2 rows"), (["--limit=1"], "1 row; there are more"), (["--limit=2"], "2 rows")]:
            out = self.succeed("scan", "t", "--format=table", *arguments)
            self.assertTrue(out.endswith(f"\n({count})\n"), out)

    def test_tables_states_rows_objects_and_bytes(self):
        self.succeed("create", "b", "x")
        self.succeed("insert", "a", "--create", stdin='{"x": 1}')
        self.succeed("insert", "a", stdin='{"x": 2}\n{"x": 3}\n')
        self.assertRegex(
            self.succeed("tables", "--format", "table"),
            r"^a: 3 rows in 2 objects, \d+ bytes\n  x  any\nb: 0 rows in 0 objects, 0 bytes\n  x  any\n$",
        )
        self.assertIn('{"table":"a","rows":1,"objects":1,', self.succeed("tables", "--at", "1"))
        csv = self.succeed("tables", "--format", "csv")
        self.assertRegex(csv, r'^table,rows,objects,bytes,columns,key,buckets,ordering,records\na,3,2,\d+,"\[""')

    def test_log_lists_the_versions(self):
        self.succeed("create", "t", "a")
        self.succeed("insert", "t", stdin='{"a": 1}\n{"a": 2}\n')
        self.succeed("drop", "t")
        time = r'"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"'
        lines = self.succeed("log").splitlines()
        for version, operation, rows in [(0, "create table", 0), (1, "insert", 2), (2, "drop table", 0)]:
            self.assertRegex(
                lines[version],
                rf'^\{{"version":{version},{time},"operation":"{operation}","table":"t","rows":{rows},"bytes":\d+,',
            )
        self.assertRegex(lines[2], r'"transaction":"[0-9a-f-]{36}"\}$')
        table = self.succeed("log", "--format", "table").splitlines()
        self.assertRegex(table[0], r"^version +time +operation +table +rows +bytes +deleted +replaced$")
        self.assertEqual(len(table), 2 + 3)

    def test_a_folder_that_is_missing_is_no_lake(self):
        for arguments in (["scan", "t"], ["tables"], ["log"], ["check"], ["drop", "t"], ["insert", "t"]):
            self.fail_with(1, "there is no folder 'lake': `lake lake create", *arguments)
        self.assertEqual(os.listdir("."), [])

    def test_an_empty_folder_is_an_empty_lake(self):
        os.mkdir("lake")
        for command in ("tables", "log"):
            self.assertEqual(self.succeed(command), "")
        self.assertIn("all is well", self.succeed("check"))
        self.fail_with(1, "the lake has no tables", "scan", "t")
        self.fail_with(1, "--create makes it", "insert", "t", stdin='{"a": 1}')
        self.assertEqual(os.listdir("lake"), [])

    def test_a_path_that_is_no_folder_is_an_error(self):
        self.write("lake", "text")
        for arguments in (["tables"], ["check"], ["create", "t", "a"]):
            self.fail_with(1, "Not a directory", *arguments)
        done = run("missing/lake", "create", "t", "a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its parent is missing", done.err)


class Founding(LakeTest):
    def test_the_environment_says_how_many_bytes_of_rows_may_travel_in_the_log(self):
        default = {name: text for name, text in os.environ.items() if name != "LAKE_INLINE_BYTES_MAX"}
        for environment, objects in ((default, 0), (default | {"LAKE_INLINE_BYTES_MAX": "0"}, 1)):
            shutil.rmtree("lake", ignore_errors=True)
            self.succeed("create", "t", "a", env=environment)
            self.succeed("insert", "t", stdin='{"a": 1}')
            self.assertEqual(self.rows("t"), [{"a": 1}])
            self.assertEqual(len(list(pathlib.Path("lake").glob("_table_*"))), objects)
            self.assertIn("all is well", self.succeed("check"))

    def test_a_wrong_number_in_the_environment_makes_no_lake(self):
        for text in ("", "x", "-1", "4294967296"):
            wrong = os.environ | {"LAKE_INLINE_BYTES_MAX": text}
            self.fail_with(1, "LAKE_INLINE_BYTES_MAX", "create", "t", "a", env=wrong)
            self.fail_with(1, "LAKE_INLINE_BYTES_MAX", "insert", "t", "--create", stdin='{"a": 1}', env=wrong)
        self.assertFalse(pathlib.Path("lake").exists())


class Article(LakeTest):
    """A folder that the article's program wrote."""

    def setUp(self):
        super().setUp()
        shutil.copytree(FIXTURES / "article" / "two-commits", "lake")

    def test_it_is_a_lake(self):
        rows = [{"a": "Joey", "b": 1}, {"a": "Yue", "b": 2}, {"a": "Ada", "b": 3}]
        self.assertEqual(self.rows("x"), rows)
        self.assertIn('"table":"x","rows":null,"objects":2,"bytes":null,', self.succeed("tables"))
        self.assertTrue(self.succeed("tables", "--format=table").startswith("x: an unknown number of rows in 2 objects\n"))
        self.assertIn('"version":1,"time":null,"operation":"of the article', self.succeed("log"))
        self.assertIn("data: 3 rows in 2 objects", self.succeed("check"))

    def test_it_can_be_appended_to(self):
        self.succeed("insert", "x", stdin='{"a": "Mary", "b": 4}')
        self.assertEqual(self.rows("x")[3:], [{"a": "Mary", "b": 4}])
        self.assertIn("all is well", self.succeed("check"))


class Permissions(LakeTest):
    """By a user who is not root, to whom permissions would mean nothing."""

    def setUp(self):
        super().setUp()
        self.tool = shutil.copy(LAKE, "tool")  # where another user can reach it
        self.other = {}
        if os.geteuid() == 0:
            os.chmod(".", 0o755)
            os.mkdir("lake")
            os.chown("lake", NOBODY, NOBODY)
            self.other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def lake(self, *arguments, **options):
        return run("lake", *arguments, tool=os.path.abspath(self.tool), **self.other, **options)

    def test_a_read_only_folder_can_be_read_but_not_written(self):
        self.succeed("insert", "t", "--create", stdin='{"a": 1}')
        os.chmod("lake", 0o500)
        self.assertEqual(self.rows("t"), [{"a": 1}])
        self.assertIn("all is well", self.succeed("check"))
        self.fail_with(1, "Permission denied", "insert", "t", stdin='{"a": 2}')
        self.fail_with(1, "Permission denied", "drop", "t")
        os.chmod("lake", 0o700)
        self.assertEqual(self.versions(), [0])

    def test_a_folder_that_may_not_be_read_is_an_error(self):
        self.succeed("create", "t", "a")
        os.chmod("lake", 0o000)
        for arguments in (["scan", "t"], ["tables"], ["log"], ["check"], ["create", "u", "a"]):
            self.fail_with(1, "Permission denied", *arguments)
        os.chmod("lake", 0o700)


if __name__ == "__main__":
    main()
