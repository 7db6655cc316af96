// entry_writer.hpp, entry_reader.hpp and json_fields.hpp: entries to bytes and back.
#include <doctest/doctest.h>

#include <string>
#include <tarn/log/entry_reader.hpp>
#include <tarn/log/entry_writer.hpp>
#include <vector>

#include "../support/sample_entry.hpp"

using namespace tarn;
using tarn_test::sample_entry;
using tarn_test::sample_entry_of_keys;

namespace {

std::string read_error(std::string_view bytes, version at = {3}) {
  const result<entry> read = read_entry(bytes, at, limits{});
  return read ? std::string() : std::string(name_of(read.error().code())) + ": " + read.error().message();
}

// The text with a checksum that fits, as a later tarn would write it.
std::string sealed(std::string text) {
  text += ",\"Checksum\":\"";
  return text + hex(crc32c(text)) + "\"}";
}

constexpr std::string_view common =
    R"(,"Transaction":"0190a3f2-7c1e-7abc-8def-0123456789ab","ReadVersion":2,"PreviousCrc32c":"00000000","TimestampMs":1,"Operation":"x","NeededToRead":[],"NeededToWrite":[])";

}  // namespace

TEST_CASE("an entry reads back as it was written") {
  const entry written = sample_entry();
  const std::string bytes = write_entry(written);
  const result<entry> read = read_entry(bytes, written.at, limits{});
  REQUIRE_MESSAGE(read.has_value(), read.error().message());
  CHECK(write_entry(*read) == bytes);
  CHECK_FALSE(read->of_article);
  CHECK(read->actions.find("cities")->size() == 3);
  const action& made = (*read->actions.find("cities"))[1];
  CHECK(made.columns[1].name == "caf\xc3\xa9 \"quoted\"");
  CHECK(made.columns[1].type == column_type::integer);
  CHECK_FALSE(made.columns[1].nullable);
  CHECK(made.columns[1].id.number == 2);
}

TEST_CASE("an entry of keyed tables reads back as it was written") {
  const std::string bytes = write_entry(sample_entry_of_keys());
  const result<entry> read = read_entry(bytes, {3}, limits{});
  REQUIRE_MESSAGE(read.has_value(), read.error().message());
  CHECK(write_entry(*read) == bytes);
  const sequence<action>& keys = *read->actions.find("keys");
  REQUIRE(keys.size() == 4);
  CHECK(keys[0].key.columns == sequence<std::uint32_t>{0});
  CHECK(keys[0].key.buckets == 7);
  CHECK(keys[0].key.ordering == 1);
  CHECK(keys[1].kind == action_kind::remove_object);
  CHECK(keys[1].object.id == tarn_test::sample_id(8));
  CHECK(keys[1].block.bucket == 3);
  CHECK(keys[2].block.form == object_form::delta);
  CHECK(keys[2].block.base == tarn_test::sample_id(6));
  CHECK(keys[2].block.read_version == version{2});
  CHECK_FALSE(keys[2].block.compacted);
  CHECK(keys[3].block.form == object_form::base);
  CHECK(keys[3].block.base.is_nil());
  CHECK(keys[3].block.compacted);
}

TEST_CASE("a keyed table's actions with fields that cannot be are errors, and an unknown fold is unsupported") {
  const auto code_with = [](std::string_view from, std::string_view to) {
    std::string text = write_entry(sample_entry_of_keys());
    text.resize(text.rfind(",\"Checksum\""));
    const std::size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    text.replace(place, from.size(), to);
    const result<entry> read = read_entry(sealed(text), {3}, limits{});
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message().starts_with("version 3 "));
    return read.error().code();
  };
  CHECK(code_with(R"("Key":[1])", R"("Key":[])") == errc::corrupt);
  CHECK(code_with(R"("Key":[1])", R"("Key":[9])") == errc::corrupt);
  CHECK(code_with(R"("Key":[1])", R"("Key":["1"])") == errc::corrupt);
  CHECK(code_with(R"("Buckets":7)", R"("Buckets":0)") == errc::corrupt);
  CHECK(code_with(R"("Buckets":7)", R"("Buckets":4294967296)") == errc::corrupt);
  CHECK(code_with(R"("Buckets":7)", R"("Buckets":65537)") == errc::corrupt);
  CHECK(code_with(R"("Key":[1])", R"("Key":[1,1])") == errc::corrupt);
  CHECK(code_with(R"("Types":["integer","integer"])", R"("Types":["any","integer"])") == errc::corrupt);
  CHECK(code_with(R"("Types":["integer","integer"])", R"("Types":["integer","boolean"])") == errc::corrupt);
  CHECK(code_with(R"("Nullable":[false,false])", R"("Nullable":[true,false])") == errc::corrupt);
  CHECK(code_with(R"("Fold":"by_ordering")", R"("Fold":"sum")") == errc::unsupported);
  CHECK(code_with(R"("Ordering":2)", R"("Ordering":3)") == errc::corrupt);
  CHECK(code_with(R"("Form":"delta")", R"("Form":"beta")") == errc::corrupt);
  CHECK(code_with(R"("Form":"base")", R"("Form":"delta")") == errc::corrupt);  // and compacted
  CHECK(code_with(R"("Bucket":3)", R"("Bucket":-1)") == errc::corrupt);
  CHECK(code_with(R"("Compacted":true)", R"("Compacted":1)") == errc::corrupt);
  // Of an object without a name: what the writer would make of it has none.
  CHECK(code_with(R"({"AddKeyedObject":{"Name":"0190a3f2-7c1e-7abc-8def-000000000005")",
                  R"({"AddKeyedObject":{"Name":"00000000-0000-0000-0000-000000000000")") == errc::corrupt);
}

TEST_CASE("the bytes of an entry are pinned: changing them is a decision") {
  CHECK(
      write_entry(sample_entry()) ==
      R"({"Id":3,"Actions":{"cities":[{"AddDataobject":null,"ChangeMetadata":null,"DropTable":{"TableId":"0190a3f2-7c1e-7abc-8def-000000000001"}},)"
      R"({"AddDataobject":null,"ChangeMetadata":{"Table":"cities","Columns":["id","café \"quoted\""],"TableId":"0190a3f2-7c1e-7abc-8def-000000000002","ColumnIds":[1,2],"Types":["any","integer"],"Nullable":[true,false]}},)"
      R"({"AddDataobject":{"Name":"0190a3f2-7c1e-7abc-8def-000000000003","Table":"cities","Codec":"json","Rows":2,"Bytes":150,"Crc32c":"0000beef"},"ChangeMetadata":null}]},)"
      R"("Format":1,"Transaction":"0190a3f2-7c1e-7abc-8def-000000000004","ReadVersion":2,"PreviousCrc32c":"deadbeef","TimestampMs":1700000000000,"Operation":"drop table, create table, insert","NeededToRead":[],"NeededToWrite":[],"Checksum":"0693827d"})");
}

TEST_CASE("deletes and compactions of bags read back as they were written, and their bytes are pinned") {
  entry written = sample_entry();
  action deletion{action_kind::delete_rows, {}, {}, {}};
  deletion.object.id = tarn_test::sample_id(3);
  deletion.rows.add(row_range{3, 7});
  deletion.rows.add(0);
  deletion.replacements = {{{3, 4}, tarn_test::sample_id(5), 0}, {{7, 7}, tarn_test::sample_id(5), 2}};
  action compaction{action_kind::replace_objects, {}, {}, {tarn_test::sample_id(6), true, "json", 2, 150, 0xbeef}};
  compaction.replaced = {tarn_test::sample_id(3), tarn_test::sample_id(5)};
  action emptied{action_kind::replace_objects, {}, {}, {}};
  emptied.replaced = {tarn_test::sample_id(6)};
  written.actions.find_or_insert("cities") = {deletion, compaction, emptied};
  const std::string bytes = write_entry(written);
  CHECK(
      bytes.find(
          R"({"DeleteRows":{"Name":"0190a3f2-7c1e-7abc-8def-000000000003","Rows":"0,3-7","Updates":[{"First":3,"Last":4,"Name":"0190a3f2-7c1e-7abc-8def-000000000005","Row":0},{"First":7,"Last":7,"Name":"0190a3f2-7c1e-7abc-8def-000000000005","Row":2}]}},)"
          R"({"ReplaceDataobjects":{"Name":"0190a3f2-7c1e-7abc-8def-000000000006","Table":"cities","Codec":"json","Rows":2,"Bytes":150,"Crc32c":"0000beef","Replaced":["0190a3f2-7c1e-7abc-8def-000000000003","0190a3f2-7c1e-7abc-8def-000000000005"]}},)"
          R"({"ReplaceDataobjects":{"Table":"cities","Replaced":["0190a3f2-7c1e-7abc-8def-000000000006"]}})") !=
      std::string::npos);
  const result<entry> read = read_entry(bytes, written.at, limits{});
  REQUIRE_MESSAGE(read.has_value(), read.error().message());
  CHECK(write_entry(*read) == bytes);
  const sequence<action>& actions = *read->actions.find("cities");
  REQUIRE(actions.size() == 3);
  CHECK(actions[0].rows == deletion.rows);
  CHECK(actions[0].replacements[1].first == 2);
  CHECK(actions[1].replaced == compaction.replaced);
  CHECK(actions[2].object.id.is_nil());
  const auto code_with = [&](std::string_view from, std::string_view to) {
    std::string text = bytes;
    text.resize(text.rfind(",\"Checksum\""));
    const std::size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    text.replace(place, from.size(), to);
    const result<entry> changed = read_entry(sealed(text), {3}, limits{});
    REQUIRE_FALSE(changed.has_value());
    return changed.error().code();
  };
  CHECK(code_with(R"("Rows":"0,3-7")", R"("Rows":"")") == errc::corrupt);
  CHECK(code_with(R"("Rows":"0,3-7")", R"("Rows":"3-7,0")") == errc::corrupt);
  CHECK(code_with(R"("First":3)", R"("First":5)") == errc::corrupt);
  CHECK(code_with(R"("First":3)", R"("First":-3)") == errc::corrupt);
  CHECK(code_with(R"("Codec":"json")", R"("Coded":"json")") == errc::corrupt);  // a name, but no description
  CHECK(code_with(R"(["0190)", R"(["9190x)") == errc::corrupt);
}

TEST_CASE("A13: every truncation of an entry is an error that names the version") {
  const std::string bytes = write_entry(sample_entry_of_keys());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    const std::string why = read_error(std::string_view(bytes).substr(0, size));
    REQUIRE(why.starts_with("corrupt: version 3 "));
  }
}

TEST_CASE("A13, D14: every flipped bit of an entry is an error, never another entry or the article's") {
  const std::string bytes = write_entry(sample_entry_of_keys());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      CAPTURE(at);
      CAPTURE(bit);
      REQUIRE(read_error(damaged).starts_with("corrupt: version 3 "));
    }
}

TEST_CASE("D14: an entry of tarn's with a damaged field name or another case of hex digits is not the article's") {
  const std::string bytes = write_entry(sample_entry());
  const auto replaced = [&](std::string_view what, std::string_view with) {
    std::string changed = bytes;
    const std::size_t at = changed.find(what);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, what.size(), with);
  };
  CHECK(read_error(replaced("\"Checksum\"", "\"Bhecksum\"")).starts_with("corrupt: version 3 "));
  CHECK(read_error(replaced("\"Format\"", "\"Gormat\"")).starts_with("corrupt: version 3 "));
  CHECK(read_error(replaced("0693827d", "0693827D")).starts_with("corrupt: version 3 "));
  CHECK(read_error(bytes + " ").starts_with("corrupt: version 3 "));
  CHECK(read_error(bytes + "\n").starts_with("corrupt: version 3 "));
}

TEST_CASE("an entry found in another slot is an error") {
  CHECK(read_error(write_entry(sample_entry()), {4}).starts_with("corrupt: version 4 "));
}

TEST_CASE("the article's entries are read; with any other key, or one in another case, they are not the article's") {
  const std::string good =
      R"({"Id":3,"Actions":{"x":[{"AddDataobject":null,"ChangeMetadata":{"Table":"x","Columns":["a","b"]}},)"
      R"({"AddDataobject":{"Name":"ed1e6a73-74f1-4c17-bef9-d54470f5f09b","Table":"x"},"ChangeMetadata":null}]}})";
  const result<entry> read = read_entry(good, {3}, limits{});
  REQUIRE(read.has_value());
  CHECK(read->of_article);
  REQUIRE(read->actions.find("x")->size() == 2);
  CHECK(read->actions.find("x")->front().columns[1].id.number == 2);
  CHECK_FALSE(read->actions.find("x")->back().object.described);
  for (const auto& [what, with] : std::vector<std::pair<std::string, std::string>>{
           {"\"Id\":3", "\"Id\":3,\"Extra\":1"},
           {"\"Id\"", "\"id\""},
           {"\"Table\":\"x\",\"Columns\"", "\"Table\":\"x\",\"Rows\":1,\"Columns\""},
           {"\"Table\":\"x\"},\"Change", "\"Table\":\"x\",\"Rows\":1},\"Change"},
           {"{\"AddDataobject\":null,", "{\"AddDataobject\":null,\"Other\":null,"},
           {"\"Columns\"", "\"columns\""}}) {
    std::string changed = good;
    changed.replace(changed.find(what), what.size(), with);
    CAPTURE(changed);
    CHECK(read_error(changed).starts_with("corrupt: version 3 "));
  }
}

TEST_CASE("A14: what a later tarn writes is unsupported and named, what it adds beside it is ignored") {
  const std::string start = R"({"Id":3,"Actions":{)";
  const std::string later_action = sealed(
      start + R"("x":[{"AddDataobject":null,"ChangeMetadata":null,"MoveTable":{}}]},"Format":1)" + std::string(common));
  CHECK(read_error(later_action).starts_with("unsupported: "));
  CHECK(read_error(later_action).find("MoveTable") != std::string::npos);
  const std::string later_format = sealed(start + R"(},"Format":2)" + std::string(common));
  CHECK(read_error(later_format).starts_with("unsupported: "));
  const std::string later_field = sealed(start + R"(},"Format":1,"Weather":"fine")" + std::string(common));
  CHECK(read_error(later_field) == "");
}

TEST_CASE("an entry whose checksum fits but whose fields do not is an error, saying which") {
  const auto message = [&](std::string_view actions, std::string_view fields) {
    return read_error(sealed(concat({R"({"Id":3,"Actions":{)", actions, R"(},"Format":1)", fields})));
  };
  CHECK(message("", "").find("has no \"Transaction\"") != std::string::npos);
  CHECK(message(R"("x":7)", common).find("no list of actions on table x") != std::string::npos);
  CHECK(message(R"("x":[7])", common).find("is no object") != std::string::npos);
  CHECK(message(R"("x":[{}])", common).find("does nothing") != std::string::npos);
  CHECK(message(R"("a/b":[])", common).find("table name 'a/b'") != std::string::npos);
  CHECK(message(R"("x":[],"X":[])", common).find("twice") != std::string::npos);
  CHECK(
      message(
          R"("x":[{"AddDataobject":{"Name":"no","Table":"x","Codec":"json","Rows":1,"Bytes":1,"Crc32c":"00000000"}}])",
          common)
          .find("UUID") != std::string::npos);
  CHECK(
      message(
          R"("x":[{"ChangeMetadata":{"Table":"y","Columns":["a"],"TableId":"0190a3f2-7c1e-7abc-8def-0123456789ab","ColumnIds":[1],"Types":["any"],"Nullable":[true]}}])",
          common)
          .find("names table 'y'") != std::string::npos);
  CHECK(
      message(
          R"("x":[{"ChangeMetadata":{"Table":"x","Columns":["a"],"TableId":"0190a3f2-7c1e-7abc-8def-0123456789ab","ColumnIds":[1,2],"Types":["any"],"Nullable":[true]}}])",
          common)
          .find("each column") != std::string::npos);
  CHECK(
      message(
          R"("x":[{"ChangeMetadata":{"Table":"x","Columns":["a"],"TableId":"0190a3f2-7c1e-7abc-8def-0123456789ab","ColumnIds":[1],"Types":["tensor"],"Nullable":[true]}}])",
          common)
          .find("tensor") != std::string::npos);
}

TEST_CASE("an entry larger than its limit is not parsed") {
  limits bounds;
  bounds.entry_bytes_max = 10;
  const result<entry> read = read_entry(write_entry(sample_entry()), {3}, bounds);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code() == errc::limit_exceeded);
  CHECK(read.error().message().find("limits::entry_bytes_max") != std::string::npos);
}
