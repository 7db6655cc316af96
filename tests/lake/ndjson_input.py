"""NDJSON goes in and comes out value for value; what is wrong with it is said with line and column."""

from support.tool import LakeTest, main, parse

MESSY = r"""
{"id": 9007199254740993, "text": "plain", "number": 1.10, "more": null}
{"id": -0, "text": "\" and \\ and \/ and \u00e9\u20ac\ud83c\udf89", "number": -0.0, "more": [1, [2.5, {"a": null}]]}

{"number": 1e5, "id": 1, "text": "line\nends\r\n and \u0000 and \u001f", "more": {"$bytes": "not bytes"}}
{"id": 9223372036854775807, "text": "", "number": 5e-324, "more": {"": {"deep": [[[]], {}]}}}
{"id": -9223372036854775808, "text": "東京 🎉 Łódź", "number": 1.7976931348623157e308, "more": "007"}
{"id": true, "text": 17, "number": "17", "more": false}
{"id": 1.0, "text": "\ttab", "number": 0.1, "more": {"$double": "7ff0000000000000"}}
  {  "id"  :  0  ,  "text"  :  "spaces"  , "number" : 123456789012345.6, "more" : 1E-7 }
{"text": null}
{}
"""


class RoundTrip(LakeTest):
    def test_every_value_comes_out_the_same(self):
        self.succeed("insert", "t", "--create", stdin=MESSY)
        expected = [parse(line) for line in MESSY.splitlines() if line]
        columns = ["id", "text", "number", "more"]
        self.assert_same(self.rows("t"), [{name: row.get(name) for name in columns} for row in expected])

    def test_writing_and_reading_again_gives_the_same(self):
        self.succeed("insert", "t", "--create", stdin=MESSY)
        once = self.succeed("scan", "t")
        self.succeed("insert", "again", "--create", stdin=once)
        self.assertEqual(self.succeed("scan", "again"), once)

    def test_columns_come_from_the_first_thousand_objects_in_order_of_appearance(self):
        lines = ['{"b": 1}', '{"a": 1, "b": 2}'] + ['{"b": 0}'] * 997 + ['{"c": 1}']
        self.succeed("insert", "t", "--create", stdin="\n".join(lines))
        self.assertEqual(list(self.rows("t", "--limit", "1")[0]), ["b", "a", "c"])
        lines.insert(5, '{"b": 0}')
        self.fail_with(
            1, "standard input:1001:2: the table has no column 'c'; it has: b, a", "insert", "u", "--create",
            stdin="\n".join(lines),
        )

    def test_declared_types(self):
        self.succeed("create", "t", "d:double", "b:bytes", "m:map")
        rows = [
            '{"d": 5, "b": {"$bytes": "AP8="}, "m": {"$bytes": "AP8="}}',
            '{"d": {"$double": "fff0000000000000"}}',
        ]
        self.succeed("insert", "t", stdin="\n".join(rows))
        self.assertEqual(
            self.succeed("scan", "t").splitlines(),
            [
                '{"d":5.0,"b":{"$bytes":"AP8="},"m":{"$bytes":"AP8="}}',
                '{"d":{"$double":"fff0000000000000"},"b":null,"m":null}',
            ],
        )

    def test_lines_that_straddle_the_pieces_in_which_the_input_is_read(self):
        for size in range(65_525, 65_540):
            text = '{"a": "%s", "b": 1}\n{"b": 2}' % ("x" * size)
            self.succeed("insert", "t", "--create", stdin=text)
            self.assertEqual(self.rows("t"), [{"a": "x" * size, "b": 1}, {"a": None, "b": 2}])
            self.succeed("drop", "t")

    def test_line_ends_byte_order_mark_and_no_rows(self):
        self.succeed("insert", "t", "--create", stdin='\ufeff{"a": 1}\r\n\r\n \t\r\n{"a": 2}')
        self.assertEqual(self.rows("t"), [{"a": 1}, {"a": 2}])
        for text in ("", "\n\n \n"):
            self.assertIn("inserted 0 rows", self.succeed("insert", "t", stdin=text))


class Errors(LakeTest):
    def check(self, place, message, text, *columns):
        self.succeed("create", "t", *(columns or ["a", "b"]))
        before = self.versions()
        self.write("file.ndjson", text)
        self.fail_with(1, f"lake: file.ndjson:{place}: {message}", "insert", "t", "file.ndjson")
        self.assertEqual(self.versions(), before)
        self.succeed("drop", "t")

    def test_errors_name_line_and_column(self):
        good = '{"a": 1}\n'
        self.check("2:5", "expected ':' after a key, found '}'", good + '{"a"}\n')
        self.check("2:9", "expected a value, found '}'", good + '{"ééé": }\n')
        self.check("3:7", "the integer needs more than 64 bits", good * 2 + '{"a": 9223372036854775808}\n')
        self.check("1:7", "the number is beyond the largest double", '{"a": 1e400}')
        self.check("1:7", "a number has no leading zeros", '{"a": 007}')
        self.check("1:8", "expected well-formed UTF-8, found the byte 0xff", b'{"a": "\xff"}')
        self.check("1:8", "half a surrogate pair", r'{"a": "\ud800"}')
        self.check("1:16", "the map that ends here has the key 'a' twice", '{"a": 1, "a": 2}')
        self.check("1:9", "expected the end of the line, found '{'", '{"a": 1}{"a": 2}')

    def test_unknown_keys_are_errors(self):
        self.check("2:10", "the table has no column 'aa'; it has: a, b", '{"a": 1}\n{"b": 2, "aa": 3}\n')
        self.check("2:1", "the table has no column 'é'", '{"a": 1}\n{"b": 2, "\\u00e9": 3}\n')
        self.check("1:2", "the table has no column 'A'", '{"A": 1}\n')

    def test_values_that_a_column_does_not_take(self):
        for kind, value, shown in [
            ("integer", '"1"', '"1"'),
            ("integer", "1.0", "1.0"),
            ("double", "9007199254740993", "9007199254740993, which no double equals"),
            ("bytes", '{"$bytes": "A"}', '{"$bytes":"A"}'),
            ("string", "true", "true"),
        ]:
            self.check("1:2", f"column 'a' takes {kind} or null; this is {shown}\n", '{"a": %s}' % value, f"a:{kind}")
        self.check("1:1", "column 'a' takes no nulls, and there is no key 'a'", '{"b": 1}', "a:any!", "b")

    def test_what_is_not_ndjson(self):
        self.check("1:1", "this is no object: NDJSON has one object", '[\n{"a": 1}\n]')
        self.check("2:1", "this is no object", '{"a": 1}\n17\n')
        unfinished = "expected a key in quotes, found the end of the text (NDJSON has a whole object in each line)"
        self.check("1:2", unfinished, '{\n  "a": 1\n}\n')

    def test_nesting_and_long_lines_have_limits(self):
        self.check("1:70", "nested deeper than", '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}")
        self.succeed("create", "t", "a")
        self.refuse_endless(
            "standard input:2:1: the line has more than 16,777,216 bytes", "insert", "t",
            start_with=b'{"a": 1}\n{', go_on_with=b" ",
        )

    def test_a_table_that_is_missing_is_made_only_when_asked(self):
        self.succeed("create", "t", "a")
        self.fail_with(1, "there is no table 'u'; there are: t; --create makes it", "insert", "u", stdin='{"a": 1}')
        self.fail_with(1, "no rows that could tell the names", "insert", "u", "--create", stdin="\n")
        self.fail_with(1, "no rows that could tell the names", "insert", "u", "--create", stdin="{}\n{}\n")
        self.assertEqual(self.versions(), [0])


if __name__ == "__main__":
    main()
