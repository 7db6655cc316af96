"""CSV goes in and comes out value for value; what is wrong with it is said with line and column."""

import csv
import io

from support.tool import LakeTest, main, run

MESSY = '''\
id,text,number,"a ""name"", quoted"
007,plain,1,x
9007199254740993,"with, comma",1.10,
-0,"with ""quotes""",-0.0,""
+1,"two
lines",1e5,null
1e400,"CR LF\r\nin quotes",1e+05,NULL
12345678901234567890,Łódź 東京 🎉,0.1,"5"
-9223372036854775808,,5e-324,"true"
9223372036854775807, spaces ,-1.5e+300,true
00,"",6.02e+23,false
"",'single',1.,True
0x10,a\\b,.5,nan
1_000,\ttab,inf,-
x,"lone\rCR",-,x
'''


def fields(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


class RoundTrip(LakeTest):
    def test_every_field_comes_out_with_the_same_text(self):
        self.succeed("insert", "t", "--create", "--format", "csv", stdin=MESSY)
        out = self.succeed("scan", "t", "--format", "csv")
        self.assertEqual(fields(out), fields(MESSY))

    def test_writing_and_reading_again_gives_the_same_values(self):
        self.succeed("insert", "t", "--create", "--format", "csv", stdin=MESSY)
        out = self.succeed("scan", "t", "--format", "csv")
        self.succeed("insert", "again", "--create", "--format", "csv", stdin=out)
        self.assertEqual(self.succeed("scan", "t"), self.succeed("scan", "again"))
        self.assertEqual(self.succeed("scan", "again", "--format=csv"), out)

    def test_what_becomes_a_number(self):
        numbers = ["42", "-0.5", "0", "-1", "6.02e+23", "-0.0", "0.1", "9223372036854775807", "5e-324", "123456789.0"]
        strings = ["007", "+1", "1.10", "1e5", "-0", "12345678901234567890", "1e400", "1.", ".5", "0x10", "inf", "nan",
                   "NaN", "1 ", "1,", "--1", "1.0e+05", "9007199254740993.0", "null", "TRUE"]
        self.succeed("create", "t", "a")
        quoted = ['"%s"' % text for text in numbers]
        bare = ['"%s"' % text if "," in text else text for text in numbers + strings]
        self.succeed("insert", "t", "--format", "csv", stdin="\n".join(["a", *bare, *quoted]))
        rows = [line[len('{"a":') : -1] for line in self.succeed("scan", "t").splitlines()]
        self.assertEqual(rows[: len(numbers)], numbers)
        self.assertEqual(rows[len(numbers) :], ['"%s"' % text for text in strings + numbers])

    def test_null_the_empty_string_and_booleans(self):
        self.succeed("insert", "t", "--create", "--format", "csv", stdin='a,b\n,""\ntrue,"true"\nfalse,"false"\n')
        self.assertEqual(
            self.rows("t"), [{"a": None, "b": ""}, {"a": True, "b": "true"}, {"a": False, "b": "false"}]
        )

    def test_strings_only_when_asked(self):
        self.succeed("insert", "t", "--create", "--strings", "--format", "csv", stdin='a,b\n1,true\n,""\n')
        self.assertEqual(self.rows("t"), [{"a": "1", "b": "true"}, {"a": None, "b": ""}])

    def test_values_of_all_kinds_come_back_into_columns_of_their_type(self):
        columns = ["a:bytes", "b:double", "c:list", "d:map", "e:integer", "f:boolean", "g:string"]
        row = (
            '{"a":{"$bytes":"AP8="},"b":{"$double":"7ff0000000000000"},'
            '"c":[1,"x",null],"d":{"k":[0.5]},"e":1,"f":true,"g":"1"}'
        )
        self.succeed("create", "t", *columns)
        self.succeed("create", "again", *columns)
        self.succeed("insert", "t", stdin=row)
        self.succeed("insert", "again", "--format", "csv", stdin=self.succeed("scan", "t", "--format", "csv"))
        self.assertEqual(self.succeed("scan", "again"), row + "\n")

    def test_one_column_of_nulls(self):
        text = "a\n\n1\n\n"
        self.succeed("insert", "t", "--create", "--format", "csv", stdin=text)
        self.assertEqual(self.rows("t"), [{"a": None}, {"a": 1}, {"a": None}])
        self.assertEqual(self.succeed("scan", "t", "--format", "csv"), text)


class Dialect(LakeTest):
    def insert(self, text, *arguments):
        self.succeed("insert", "t", "--create", "--format", "csv", *arguments, stdin=text)
        rows = self.rows("t")
        self.succeed("drop", "t")
        self.assertTrue(all(list(row) == ["a", "b"] for row in rows))
        return [list(row.values()) for row in rows]

    def test_line_ends_byte_order_mark_and_empty_lines(self):
        expected = [[1, "x"], [2, "y"]]
        for text in [
            "a,b\n1,x\n2,y\n",
            "a,b\r\n1,x\r\n2,y\r\n",
            "a,b\n1,x\n2,y",
            "\ufeffa,b\n1,x\n\n2,y\n\n\n",
            "a,b\r\n1,x\r\n\r\n2,y",
        ]:
            self.assertEqual(self.insert(text), expected, text)

    def test_fields_that_straddle_the_pieces_in_which_the_input_is_read(self):
        for size in range(65_530, 65_545):
            text = 'a,b\n"%s""\n,",%s\n3,4\n' % ("x" * size, "é" * 3)
            self.assertEqual(self.insert(text), [["x" * size + '"\n,', "ééé"], [3, 4]])

    def test_columns_in_another_order_and_missing_ones(self):
        self.succeed("create", "t", "a", "b", "c")
        self.succeed("insert", "t", "--format", "csv", stdin="c,a\n3,1\n")
        self.assertEqual(self.rows("t"), [{"a": 1, "b": None, "c": 3}])

    def test_declared_types(self):
        self.succeed("create", "t", "i:integer", "d:double", "s:string", "b:boolean")
        self.succeed("insert", "t", "--format", "csv", stdin='i,d,s,b\n1,1,1,true\n"2","1.10",true,"false"\n,1e5,,\n')
        self.assertEqual(
            self.succeed("scan", "t").splitlines(),
            ['{"i":1,"d":1.0,"s":"1","b":true}', '{"i":2,"d":1.1,"s":"true","b":false}',
             '{"i":null,"d":100000.0,"s":null,"b":null}'],
        )

    def test_the_format_is_recognised(self):
        csv_text, ndjson = "a\n1\n", '{"a": 1}\n'
        files = {"x.csv": csv_text, "x.ndjson": ndjson, "x.jsonl": ndjson, "x": csv_text, "y": " \n" + ndjson}
        for name, content in files.items():
            self.write(name, content)
            self.assertIn("inserted 1 row", self.succeed("insert", "t", name, "--create"))
            self.assertIn("inserted 1 row", self.succeed("insert", "t", stdin=content))
            self.succeed("drop", "t")

    def test_no_rows(self):
        self.succeed("create", "t", "a")
        for text in ("", "a\n"):
            out = self.succeed("insert", "t", "--format", "csv", stdin=text)
            self.assertEqual(out, "inserted 0 rows into t (version 0)\n")
        self.assertEqual(self.versions(), [0])
        out = self.succeed("insert", "u", "--create", "--format=csv", stdin="x,y")
        self.assertEqual(out, "created table u and inserted 0 rows into it (version 1)\n")


class Errors(LakeTest):
    def check(self, place, message, text, *columns):
        self.succeed("create", "t", *(columns or ["a", "b"]))
        before = self.versions()
        self.write("file.csv", text)
        self.fail_with(1, f"lake: file.csv:{place}: {message}", "insert", "t", "file.csv")
        self.assertEqual(self.versions(), before)
        self.succeed("drop", "t")

    def test_errors_name_line_and_column(self):
        self.check("3:1", "1 field where the first line has 2", "a,b\n1,2\n3\n")
        self.check("3:5", "3 fields where the first line has 2", "a,b\n1,2\n3,4,5\n")
        self.check("2:3", "the quotes that open here are never closed", 'a,b\n1,"2\n3,4\n')
        self.check("3:6", "a comma or the end of the line should follow", 'a,b\n1,2\n3,"4"5\n')
        self.check("2:4", "quotes inside a field without quotes", 'a,b\n1,é"\n')
        self.check("2:2", "a carriage return that ends no line", "a,b\n1\r2,3\n")
        self.check("3:3", "the text is not UTF-8", b"a,b\n1,2\n3,\xff\n")
        self.check("1:3", "the table has no column 'x'; it has: a, b", "a,x\n1,2\n")
        self.check("1:3", "column 'a' comes twice", "a,a\n1,2\n")
        self.check("1:1", "column 'a' takes no nulls, so the first line must name it", "b\n1\n", "a:any!", "b")

    def test_lines_are_counted_within_quotes(self):
        self.check("5:3", "column 'b' takes integer or null; this is x", 'a,b\n"1\n2\n3",4\né,x\n', "a", "b:integer")
        self.check("4:4", "column 'b' takes integer or null; this is x", 'a,b\n"1\n2\n3",x\n', "a", "b:integer")

    def test_values_that_a_column_does_not_take(self):
        for kind, text, shown in [
            ("integer", "1.5", "1.5"),
            ("integer", "007", "007"),
            ("integer", "9223372036854775808", "9223372036854775808"),
            ("double", "9007199254740993", "9007199254740993, which no double equals"),
            ("double", "1e400", "1e400"),
            ("boolean", "yes", "yes"),
            ("list", "{}", "{}"),
            ("bytes", "AA==", "AA=="),
            ("map", '"a ""text"" that is cut, since it is rather long"', 'a "text" that is cut, since it is rathe\u2026'),
        ]:
            self.check("2:1", f"column 'a' takes {kind} or null; this is {shown}\n", f"a\n{text}\n", f"a:{kind}")
        self.check("2:1", "column 'a' takes string, not null; this is null\n", "a,b\n,1\n", "a:string!", "b")

    def test_a_header_that_makes_no_table(self):
        self.write("file.csv", "a,b,a\n1,2,3\n")
        self.fail_with(1, "file.csv: table t: two columns have the name 'a'", "insert", "t", "file.csv", "--create")
        self.write("file.csv", "a,,b\n1,2,3\n")
        self.fail_with(1, "file.csv: table t: column 1 has an empty name", "insert", "t", "file.csv", "--create")
        self.write("empty.csv", "")
        self.fail_with(1, "no rows that could tell the names", "insert", "t", "empty.csv", "--create")
        self.fail_with(1, "no rows that could tell the names", "create", "t", "--from", "empty.csv")

    def test_files_that_cannot_be_read(self):
        self.succeed("create", "t", "a")
        self.fail_with(1, "missing.csv: cannot open it: No such file", "insert", "t", "missing.csv")
        self.fail_with(1, ".: cannot read it: Is a directory", "insert", "t", ".")

    def test_a_record_without_end_takes_no_memory_without_end(self):
        self.succeed("create", "t", "a")
        self.refuse_endless(
            "standard input:2:1: the record that begins here has more than 16,777,216 bytes", "insert", "t",
            start_with=b'a\n"', go_on_with=b"x",
        )

    def test_what_the_library_refuses_is_said_with_the_place_of_the_row(self):
        self.succeed("create", "t", "a")
        controls = b"\x01" * (4 << 20)  # six bytes each in JSON
        done = run("lake", "insert", "t", "--format", "csv", stdin=b"a\n1\n" + controls)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.err, r"^lake: standard input:3:1: .*limits::row_bytes_max")
        self.assertEqual(self.rows("t"), [])

    def test_control_characters_do_not_reach_the_terminal(self):
        self.succeed("create", "t", "a")
        done = self.lake("insert", "t", "--format", "csv", stdin="\x1b[31m\n1\n")
        self.assertIn(r"no column '\u001b[31m'", done.err)


if __name__ == "__main__":
    main()
