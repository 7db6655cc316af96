"""Keyed tables: rows by key, and compaction."""

import pathlib
import shutil

from support.tool import LakeTest, main, parse, start


def crc32c(content):
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return b"%08x" % (crc ^ 0xFFFFFFFF)


def line(number, **columns):
    return '{"id": %d, "name": "%s"}\n' % (number, columns.get("name", "n%d" % number))


class Keyed(LakeTest):
    def create(self, *columns, **options):
        key = [f"--{name}={value}" for name, value in {"key": "id", **options}.items()]
        return self.succeed("create", "t", *(columns or ("id:integer", "name:string")), *key)

    def names(self, *arguments):
        return {row["id"]: row["name"] for row in self.rows("t", *arguments)}

    def tables(self, *arguments):
        return [parse(text) for text in self.succeed("tables", *arguments).splitlines()]


class Create(Keyed):
    def test_tables_shows_the_key_the_buckets_and_the_fold(self):
        self.assertEqual(self.create(buckets=4), "created keyed table t with 2 columns (version 0)\n")
        self.succeed("create", "bag", "a")
        self.succeed(
            "create", "u", "a, b:bytes", "c:boolean", "seq:integer", '--key=c,"a, b"', "--ordering=seq",
        )
        bag, t, u = self.tables()
        self.assertEqual([bag[name] for name in ("key", "buckets", "ordering", "records")], [None] * 4)
        self.assertEqual([t[name] for name in ("key", "buckets", "ordering", "records")], [["id"], 4, None, 0])
        self.assertEqual(t["columns"], ["id:integer!", "name:string"])
        self.assertEqual([u[name] for name in ("key", "buckets", "ordering")], [["c", "a, b"], 1, "seq"])
        text = self.succeed("tables", "--format=table")
        self.assertIn("bag: 0 rows in 0 objects, 0 bytes\n", text)
        self.assertIn("t: 0 records in 0 objects, 0 bytes; key id, 4 buckets, the latest write counts\n", text)
        self.assertIn('key c,"a, b", 1 bucket, the greatest seq counts\n', text)

    def test_what_is_no_key_is_refused(self):
        def refuse(code, message, *arguments):
            self.fail_with(code, message, "create", "t", "id:integer", "x", "d:double", *arguments)

        refuse(1, "there is no column 'y' to be a key", "--key", "y")
        refuse(1, "column 'x' cannot be a key: declare it integer", "--key", "x")
        refuse(1, "column 'd' cannot be a key", "--key", "id,d")
        refuse(1, "the key names a column twice", "--key", "id,id")
        refuse(1, "column 'x' cannot be an ordering", "--key", "id", "--ordering", "x")
        refuse(2, "--buckets 0: 1 to 4096 are possible", "--key", "id", "--buckets", "0")
        refuse(2, "--buckets 4097: ", "--key", "id", "--buckets", "4097")
        refuse(2, "--buckets goes with --key", "--buckets", "2")
        refuse(2, "--ordering goes with --key", "--ordering", "id")
        self.write("file.csv", "id\n1\n")
        self.fail_with(2, "a key needs columns with types", "create", "t", "--from", "file.csv", "--key", "id")
        self.assertFalse(pathlib.Path("lake").exists())


class Write(Keyed):
    def test_a_thousand_upserts_then_erase_get_compact(self):
        self.create(buckets=3)
        self.write("one.ndjson", "".join(line(number) for number in range(600)))
        self.write("two.csv", "name,id\n" + "".join("m%d,%d\n" % (number, number) for number in range(500, 900)))
        self.assertEqual(self.succeed("upsert", "t", "one.ndjson"), "upserted 600 rows into t (version 1)\n")
        self.assertEqual(self.succeed("upsert", "t", "two.csv"), "upserted 400 rows into t (version 2)\n")
        expected = {number: "%s%d" % ("n" if number < 500 else "m", number) for number in range(900)}
        self.assertEqual(self.names(), expected)

        self.assertEqual(self.succeed("erase", "t", "17"), "erased 1 key of t (version 3)\n")
        del expected[17]
        self.assertEqual(self.names(), expected)
        self.assertEqual(self.succeed("get", "t", "899"), '{"id":899,"name":"m899"}\n')
        self.assertEqual(self.succeed("get", "t", "3", "--format=csv"), "id,name\n3,n3\n")
        self.fail_with(1, "table t has no row with the key (17)", "get", "t", "17")
        self.assertEqual(self.succeed("get", "t", "17", "--at", "2"), '{"id":17,"name":"n17"}\n')
        self.assertEqual(self.tables()[0]["records"], 1001)
        self.assertIsNone(self.tables()[0]["rows"])
        self.assertEqual(self.tables("--count")[0]["rows"], 899)
        self.assertIn("t: 899 rows of 1,001 records in 7 objects", self.succeed("tables", "--count", "--format=table"))
        self.assertIn("data: 1,001 rows in 7 objects", self.succeed("check"))

        runs = [parse(text) for text in self.succeed("explain", "t").splitlines()]
        self.assertEqual([each["place"] for each in runs].count("base"), 3)
        self.assertEqual([each["place"] for each in runs].count("by key, it has no positions"), 4)
        self.assertEqual(sum(each["records"] for each in runs), 1001)

        before = self.succeed("scan", "t")
        self.assertEqual(
            self.succeed("compact", "t"), "compacted table t: 7 objects into 3 with 899 records (version 6)\n"
        )
        self.assertEqual(self.succeed("scan", "t"), before)
        self.assertEqual(self.succeed("scan", "t", "--at=3"), before)
        self.assertEqual(self.tables()[0]["records"], 899)
        self.assertEqual(self.tables()[0]["objects"], 3)
        self.assertEqual(self.succeed("compact", "t"), "table t has nothing to compact\n")
        self.assertIn("all is well", self.succeed("check"))
        log = [parse(text) for text in self.succeed("log").splitlines()]
        self.assertEqual([(each["operation"], each["replaced"]) for each in log[1:4]], [("write", 0)] * 3)
        self.assertEqual([each["operation"] for each in log[4:]], ["compact"] * 3)
        self.assertEqual(sorted(each["replaced"] for each in log[4:]), [2, 2, 3])
        self.assertEqual(sum(each["rows"] for each in log[4:]), 899)

    def test_upserts_after_a_compaction(self):
        self.create()
        self.succeed("upsert", "t", stdin=line(1) + line(2) + line(3))
        self.succeed("erase", "t", "2")
        self.succeed("compact", "t")
        self.succeed("upsert", "t", stdin=line(0) + line(2, name="back") + line(3, name="new") + line(4))
        self.succeed("erase", "t", "1")
        expected = {0: "n0", 2: "back", 3: "new", 4: "n4"}
        self.assertEqual(self.names(), expected)
        self.assertIn("all is well", self.succeed("check"))
        self.succeed("compact", "t")
        self.assertEqual(self.names(), expected)

    def test_keys_of_every_type(self):
        self.succeed("create", "t", "s:string", "b:bytes", "i:integer", "f:boolean", "x", "--key", "s,b,i,f")
        self.succeed("upsert", "t", stdin='{"s": "", "b": {"$bytes": "AA=="}, "i": -5, "f": true, "x": [1]}')
        key = ["", '{"$bytes": "AA=="}', "-5", "true"]
        self.assertEqual(parse(self.succeed("get", "t", *key))["x"], [1])
        self.succeed("erase", "t", *key)
        self.assertEqual(self.rows("t"), [])
        self.fail_with(
            1, "the key of table t is s,b,i,f: give 4 values, not 1", "get", "t", "x",
        )

    def test_keys_are_read_by_their_type(self):
        self.create("id:string", "name:string")
        self.succeed("upsert", "t", stdin="id,name\n007,bond\n")
        self.assertEqual(self.succeed("get", "t", "007"), '{"id":"007","name":"bond"}\n')
        self.succeed("create", "u", "id:integer", "--key", "id")
        self.succeed("upsert", "u", stdin="id\n7\n-8\n")
        self.assertEqual(self.rows("u"), [{"id": -8}, {"id": 7}])
        for word in ("007", "x", "1.0", ""):
            self.fail_with(1, "column 'id' takes integer, not null; this is " + word, "get", "u", word)
            self.fail_with(1, "column 'id' takes integer, not null; this is " + word, "erase", "u", word)

    def test_erase_takes_keys_from_a_file(self):
        self.create()
        self.succeed("upsert", "t", stdin="".join(line(number) for number in range(10)))
        self.write("keys.csv", "id\n1\n2\n77\n")
        self.assertEqual(self.succeed("erase", "t", "--from", "keys.csv"), "erased 3 keys of t (version 2)\n")
        self.succeed("erase", "t", "--from", "-", stdin=line(3) + '{"id": 4}\n')
        self.assertEqual(sorted(self.names()), [0, 5, 6, 7, 8, 9])
        self.succeed("erase", "t", "--from", "-", stdin=self.succeed("scan", "t"))
        self.assertEqual(self.names(), {})
        self.fail_with(
            1, "keys.ndjson:2:1: column 'id' takes no nulls, and there is no key 'id'", "erase", "t", "--from",
            self.write("keys.ndjson", '{"id": 0}\n{"name": "x"}\n'),
        )

    def test_the_greatest_ordering_counts(self):
        self.create("id:integer", "name:string", "seq:integer", ordering="seq")
        self.succeed("upsert", "t", stdin='{"id":1,"name":"new","seq":9}\n{"id":1,"name":"old","seq":8}')
        self.succeed("upsert", "t", stdin='{"id":1,"name":"older","seq":7}')
        self.assertEqual(self.names(), {1: "new"})
        self.succeed("erase", "t", "1", "--ordering", "8")
        self.assertEqual(self.names(), {1: "new"})
        self.succeed("erase", "t", "1", "--ordering", "20")
        self.assertEqual(self.names(), {})
        text = '{"id":2,"name":"two","seq":1}\n{"id":1,"name":"late","seq":19}'
        self.fail_with(
            1, "standard input:2:1: table t: the key (1) was erased with a greater ordering", "insert", "t", stdin=text
        )
        self.succeed("upsert", "t", stdin=text)
        self.assertEqual(self.names(), {2: "two"})
        self.succeed("compact", "t")
        self.succeed("upsert", "t", stdin=text)
        self.assertEqual(self.names(), {2: "two"})
        self.succeed("erase", "t", "1")
        self.succeed("insert", "t", stdin='{"id":1,"name":"late","seq":2}')
        self.assertEqual(self.names(), {1: "late", 2: "two"})
        self.assertIn("all is well", self.succeed("check"))


class Errors(Keyed):
    def test_insert_takes_new_keys_only(self):
        self.create()
        self.succeed("insert", "t", stdin=line(1) + line(2))
        before = self.versions()
        exists = "the key (2) exists: use upsert to replace its row\n"
        self.fail_with(1, "lake: standard input:2:1: table t: " + exists, "insert", "t", stdin=line(3) + line(2))
        self.fail_with(1, "file.csv:4:1: table t: " + exists.replace("2", "5"), "insert", "t",
                       self.write("file.csv", "id,name\n4,a\n5,b\n5,c\n"))  # fmt: skip
        self.assertEqual(self.versions(), before)
        self.succeed("erase", "t", "2")
        self.succeed("insert", "t", stdin=line(2, name="again"))
        self.assertEqual(self.names(), {1: "n1", 2: "again"})

    def test_wrong_and_missing_keys_are_said_with_line_and_column(self):
        self.create()
        before = self.versions()
        for place, message, text in [
            ("2:2", "column 'id' takes integer, not null; this is \"1\"", line(0) + '{"id": "1"}'),
            ("2:2", "column 'id' takes integer, not null; this is 1.0", line(0) + '{"id": 1.0}'),
            ("1:15", "column 'id' takes integer, not null; this is null", '{"name": "x", "id": null}'),
            ("1:1", "column 'id' takes no nulls, and there is no key 'id'", '{"name": "x"}'),
            ("3:3", "column 'id' takes integer, not null; this is 007", "name,id\na,1\nb,007\n"),
            ("2:3", "column 'id' takes integer, not null; this is null", "name,id\na,\n"),
            ("1:1", "column 'id' takes no nulls, so the first line must name it", "name\na\n"),
            ("1:4", "the table has no column 'nam'; it has: id, name", "id,nam\n1,a\n"),
        ]:
            for command in ("upsert", "insert"):
                self.fail_with(1, f"lake: standard input:{place}: {message}", command, "t", stdin=text)
        self.assertEqual(self.versions(), before)

    def test_tables_without_a_key(self):
        self.succeed("create", "bag", "id:integer")
        for arguments in (["upsert", "bag"], ["erase", "bag", "1"], ["get", "bag", "1"]):
            self.fail_with(1, "table bag has no key: it is a bag of rows", *arguments)
        self.assertEqual(self.succeed("compact", "bag"), "table bag has nothing to compact\n")
        for arguments in (["upsert", "t"], ["erase", "t", "1"], ["get", "t", "1"]):
            self.fail_with(1, "there is no table 't'; there are: bag", *arguments)
        self.fail_with(1, "there is no table 't'", "compact", "t")
        self.assertEqual(self.versions(), [0])
        for number in (1, 2, 3):
            self.succeed("insert", "bag", stdin=f'{{"id":{number}}}\n')
        self.assertEqual(
            self.succeed("compact", "bag"), "compacted table bag: 3 objects into 1 with 3 records (version 4)\n"
        )
        self.assertEqual(self.succeed("scan", "bag", "--format", "csv"), "id\n1\n2\n3\n")

    def test_misuse(self):
        for arguments, message in [
            (["erase", "t"], "give a key, --from or --where"),
            (["erase", "t", "1", "--from", "x"], "not both"),
            (["erase", "t", "1", "--format", "csv"], "--format says what --from reads"),
            (["erase", "t", "--from", "x", "--ordering", "1"], "--ordering goes with a key"),
            (["get", "t"], "too few arguments"),
            (["upsert", "t", "--create"], "there is no option --create"),
        ]:
            self.fail_with(2, message, *arguments)
        self.create()
        self.fail_with(1, "table t has no ordering", "erase", "t", "1", "--ordering", "1")


class Races(Keyed):
    def test_upserts_at_the_same_time_are_a_conflict_with_exit_code_3(self):
        self.create()
        slow = start("lake", "upsert", "t")
        slow.stdin.write(line(1).encode() * 100_000)  # more than a pipe holds: it has begun
        slow.stdin.flush()
        self.succeed("upsert", "t", stdin=line(1, name="other") + line(2))
        out, err = slow.communicate(timeout=60)
        self.assertEqual((slow.returncode, out), (3, b""))
        self.assertIn(b"(1)", err)  # the key
        self.assertEqual(self.names(), {1: "other", 2: "n2"})

    def test_an_upsert_goes_on_during_a_compaction(self):
        self.create()
        self.succeed("upsert", "t", stdin=line(1))
        self.succeed("upsert", "t", stdin=line(2))
        slow = start("lake", "upsert", "t")
        slow.stdin.write(line(1, name="new").encode() * 100_000)
        slow.stdin.flush()
        self.succeed("compact", "t")
        self.assertEqual((slow.communicate(timeout=60)[1], slow.returncode), (b"", 0))
        self.assertEqual(self.names(), {1: "new", 2: "n2"})
        self.assertIn("all is well", self.succeed("check"))


class Check(Keyed):
    def test_damage_of_a_keyed_object_is_named(self):
        self.create()
        for number in range(3):
            self.succeed("upsert", "t", stdin=line(number))
        objects = sorted(pathlib.Path("lake").glob("_table_*"), key=lambda path: path.stat().st_mtime_ns)
        content = bytearray(objects[1].read_bytes())
        content[len(content) // 2] ^= 1
        objects[1].chmod(0o644)
        objects[1].write_bytes(content)
        done = self.lake("check")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.out, rf"damaged: 1 [^\n]*\n  [^\n]*{objects[1].name}")
        self.assertIn("the last good version is 1", done.err)
        self.assertEqual(self.names("--at", "1"), {0: "n0"})

    def test_objects_that_a_compaction_has_replaced_are_verified_too(self):
        self.create()
        for number in range(2):
            self.succeed("upsert", "t", stdin=line(number))
        first = min(pathlib.Path("lake").glob("_table_*"), key=lambda path: path.stat().st_mtime_ns)
        self.succeed("compact", "t")
        first.unlink()
        self.assertIn(first.name, self.lake("check").out)
        self.assertEqual(len(self.names()), 2)

    def rewrite(self, path, before, after):
        """Replaces a part of a file that ends in a checksum, and makes that right; the checksums of the whole file."""
        content = path.read_bytes()
        self.assertEqual(content.count(before), 1, content)
        changed = content.replace(before, after)[: -len(b'xxxxxxxx"}')]
        changed += crc32c(changed) + b'"}'
        path.chmod(0o644)
        path.write_bytes(changed)
        return crc32c(content), crc32c(changed)

    def forge(self, before, after):
        """A lake whose newest object has a wrong record, but right checksums, as if by a writer with a bug."""
        self.create()
        self.succeed("insert", "t", stdin=line(1) + line(3) + line(5))
        self.succeed("insert", "t", stdin=line(4))  # looks for the key, so it knows where it is: before row 2
        newest = max(pathlib.Path("lake").glob("_table_*"), key=lambda path: path.stat().st_mtime_ns)
        self.rewrite(pathlib.Path("lake/_log_%020d" % 2), *self.rewrite(newest, before, after))
        return newest.name

    def test_wrong_positions_are_found(self):
        for wrong in (b"[0,-1,", b"[0,-4,", b"[0,1,4"):
            with self.subTest(wrong):
                shutil.rmtree("lake", ignore_errors=True)
                name = self.forge(b"[0,-3,4" if wrong.endswith(b"4") else b"[0,-3,", wrong)
                done = self.lake("check")
                self.assertEqual(done.returncode, 1, done.out)
                self.assertRegex(done.out, rf"damaged: 1 [^\n]*\n  [^\n]*{name}")
                self.assertIn("the last good version is 1: ", done.err)

    def test_records_without_a_key_are_found(self):
        name = self.forge(b',4,"n4"', b',null,4')
        done = self.lake("check")
        self.assertEqual(done.returncode, 1, done.err)
        self.assertRegex(done.out, rf"{name}.*is no record")


class Older(LakeTest):
    def test_a_lake_of_an_older_tool_reads_as_before_and_can_get_keyed_tables(self):
        shutil.copytree(pathlib.Path(__file__).resolve().parents[1] / "fixtures/article/two-commits", "lake")
        before = self.succeed("scan", "x")
        self.succeed("create", "t", "id:integer", "--key", "id")
        self.succeed("upsert", "t", stdin='{"id": 1}')
        self.assertEqual(self.succeed("scan", "x"), before)
        self.assertEqual(self.rows("t"), [{"id": 1}])
        self.assertIn("all is well", self.succeed("check"))


if __name__ == "__main__":
    main()
