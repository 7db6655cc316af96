// The article: the faults of its program that tarn does not have, its own two tests, and folders that it wrote.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/temporary_folder.hpp"

using namespace tarn;

namespace {

template <class Lake>
std::vector<row> rows_of(Lake& lake, std::string_view table) {
  std::vector<row> rows;
  auto tx = lake.begin().value();
  for (const row_view each : tx.scan(table).value()) rows.emplace_back(each.begin(), each.end());
  return rows;
}

template <class Lake>
version insert_and_commit(Lake& lake, std::string_view table, const std::vector<row>& rows) {
  auto tx = lake.begin().value();
  if (!tx.has_table(table).value()) tx.create_table(table, {"a", "b"}).value();
  tx.insert(table, rows).value();
  return tx.commit().value();
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// A copy of one of the article's folders.
class article_folder {
 public:
  explicit article_folder(const char* name) {
    const std::filesystem::path from = std::filesystem::path(TARN_TEST_FIXTURES) / "article" / name;
    for (const auto& each : std::filesystem::directory_iterator(from))
      std::filesystem::copy_file(each.path(), folder_.path() / each.path().filename());
  }
  [[nodiscard]] file_store<> open() const { return file_store<>(folder_.path().string()); }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  tarn_test::temporary_folder folder_;
};

}  // namespace

TEST_CASE_TEMPLATE("A1: three commits in a row are versions 0, 1 and 2", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  for (std::int64_t number = 0; number < 3; ++number)
    CHECK(insert_and_commit(lake, "x", {{number, "row"}}) == version{number});
  client other{store.open()};
  CHECK(rows_of(other, "x").size() == 3);
}

TEST_CASE_TEMPLATE("A3: exactly 65,536 rows are one object and read back", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  for (int number = 0; number < 65'536; ++number) tx.insert("x", {number}).value();
  tx.commit().value();
  CHECK(rows_of(lake, "x").size() == 65'536);
  CHECK(tarn_test::names_in(store.open(), "_table_").size() == 1);
}

TEST_CASE_TEMPLATE("A5: 65,537 rows are two objects, the second with one row and about its size", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  for (int number = 0; number < 65'537; ++number) tx.insert("x", {number}).value();
  tx.commit().value();
  const std::vector<row> rows = rows_of(lake, "x");
  REQUIRE(rows.size() == 65'537);
  for (std::size_t at = 0; at < rows.size(); ++at)
    REQUIRE(value_view(rows[at][0]).as_integer() == static_cast<std::int64_t>(at));
  auto log = lake.log().value();
  REQUIRE(log.next());
  CHECK(log.summary().tables[0].objects == 2);
  CHECK(log.summary().tables[0].rows == 65'537);
  auto opened = store.open();
  std::size_t smallest = SIZE_MAX;
  for (const std::string& name : tarn_test::names_in(opened, "_table_")) {
    const auto bytes = opened.get(name);
    smallest = std::min(smallest, std::string_view(*bytes).size());
  }
  CHECK(smallest < 200);
}

TEST_CASE("A4: the insert whose flush fails returns the error, and nothing of the transaction is ever seen") {
  tarn_test::scripted_store store;
  client_options options;
  options.bounds.rows_per_object = 4;
  client lake{store, options};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {{0}, {1}, {2}, {3}}).value();
  store.plan().put = [](std::string_view, std::string_view, memory_store&) {
    return put_result::not_applied(error(errc::no_space, "the store is full"));
  };
  const status failed = tx.insert("x", {4});
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code() == errc::no_space);
  CHECK(failed.error().message().find("table x") != std::string::npos);
  store.plan().put = nullptr;
  // Whatever is tried now, nothing wrong can be committed or read.
  CHECK(tx.insert("x", {4}).error().code() == errc::finished);
  CHECK(tx.scan("x").error().code() == errc::finished);
  CHECK(tx.commit().error().code() == errc::finished);
  CHECK(tx.commit().error().message().find("the store is full") != std::string::npos);
  tx.rollback();
  CHECK(lake.begin()->read_version() == version{-1});
  CHECK(insert_and_commit(lake, "x", {{1, 2}}) == version{0});
}

TEST_CASE_TEMPLATE("A6: an object is about as large as its rows", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  insert_and_commit(lake, "x", {{"one", 1}});
  auto opened = store.open();
  for (const std::string& name : tarn_test::names_in(opened)) {
    const auto bytes = opened.get(name);
    CHECK(std::string_view(*bytes).size() < 750);
  }
}

TEST_CASE_TEMPLATE("A8, A9: values come back as they went in", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  const std::vector<row> rows = {
      {9'007'199'254'740'993, 9'007'199'254'740'993.0},
      {INT64_MIN, INT64_MAX},
      {1, 1.0},
      {-0.0, 0},
      {5e-324, 1.7976931348623157e308},
      {value(std::numeric_limits<double>::quiet_NaN()), value(-std::numeric_limits<double>::infinity())},
      {bytes{std::string_view("\0\xff\xfe", 3)}, "caf\xc3\xa9 \xe2\x98\x83 \xf0\x9f\x98\x80"},
      {value::list({1, "two", nullptr, value::list({})}),
       value::map({{"k", 1}, {"$bytes", "not bytes"}, {"", nullptr}})},
      {nullptr, nullptr},
      {true, false},
      {"", "\"\\/\b\f\n\r\t\x01"},
  };
  insert_and_commit(lake, "x", rows);
  client other{store.open()};
  CHECK(rows_of(other, "x") == rows);
}

TEST_CASE_TEMPLATE("A10: bad table names are refused at create, and nothing is written", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  auto tx = lake.begin().value();
  for (const std::string& name :
       {std::string("../../evil"), std::string("a/b"), std::string(250, 'x'), std::string(), std::string("\xff")}) {
    const status refused = tx.create_table(name, {"a"});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid_name);
  }
  CHECK(tx.commit().value() == version{-1});
  CHECK(tarn_test::names_in(store.open()).empty());
}

TEST_CASE_TEMPLATE("A11, A13: a missing or damaged entry is named, and older versions stay readable", Lake,
                   TARN_EACH_STORE) {
  for (const std::string_view damage : {"missing", "empty", "cut", "flipped"}) {
    CAPTURE(damage);
    Lake store;
    client lake{store.open()};
    for (int number = 0; number < 4; ++number) insert_and_commit(lake, "x", {{number, damage}});
    auto opened = store.open();
    std::string entry{std::string_view(*opened.get(entry_name({2})))};
    REQUIRE(opened.remove(entry_name({2})).has_value());
    entry[100] = static_cast<char>(entry[100] ^ 1);
    if (damage == "empty") entry.clear();
    if (damage == "cut") entry.resize(entry.size() / 2);
    if (damage != "missing") {
      CHECK(opened.put_if_absent(entry_name({2}), entry).outcome() == put_outcome::created);
    }

    client fresh{store.open()};
    const auto refused = fresh.begin();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::corrupt);
    CHECK(refused.error().message().find("version 2 ") != std::string::npos);
    auto older = fresh.begin_at(version{1}).value();
    int rows = 0;
    for ([[maybe_unused]] const row_view each : older.scan("x").value()) ++rows;
    CHECK(rows == 2);
    auto log = fresh.log().value();
    CHECK(log.next());
    CHECK(log.next());
    CHECK_FALSE(log.next());
    CHECK(log.status().error().code() == errc::corrupt);
    // Nor does anybody write on top of damage.
    older.insert("x", {1, 2}).value();
    CHECK_FALSE(older.commit().has_value());
  }
}

TEST_CASE("A12: strangers, even folders with an entry's look, do not stop a lake") {
  tarn_test::temporary_folder folder;
  client lake{file_store<>(folder.path().string())};
  insert_and_commit(lake, "x", {{1, 2}});
  std::ofstream(folder.path() / "_log_backup~") << "?";
  std::ofstream(folder.path() / "_log_5") << "?";
  std::filesystem::create_directory(folder.path() / "_log_old");
  client other{file_store<>(folder.path().string())};
  CHECK(rows_of(other, "x").size() == 1);
  CHECK(insert_and_commit(other, "x", {{3, 4}}) == version{1});
}

TEST_CASE("A15: a commit whose answer was lost is found in its slot: success, once") {
  // The protocol's side of it is in commit_test.cpp, the file store's in its own tests; here the rows.
  tarn_test::scripted_store store;
  client lake{store};
  store.plan().put = [](std::string_view name, std::string_view bytes, memory_store& content) {
    const put_result done = content.put_if_absent(name, bytes);
    const bool lost = tarn_test::is_entry(name) && done.outcome() == put_outcome::created;
    return lost ? put_result::unknown(error(errc::io, "the answer was lost")) : done;
  };
  CHECK(insert_and_commit(lake, "x", {{1, 2}}) == version{0});
  CHECK(rows_of(lake, "x").size() == 1);
}

TEST_CASE_TEMPLATE("A16: transactions that write different tables both commit", Lake, TARN_EACH_STORE) {
  Lake store;
  client first{store.open()};
  client second{store.open()};
  auto one = first.begin().value();
  auto two = second.begin().value();
  one.create_table("x", {"a"}).value();
  two.create_table("y", {"a"}).value();
  one.insert("x", {1}).value();
  two.insert("y", {2}).value();
  CHECK(one.commit().value() == version{0});
  CHECK(two.commit().value() == version{1});
  CHECK(rows_of(first, "y").size() == 1);
}

TEST_CASE("A17: scanning a table that does not exist is an error with the names that do") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  CHECK(tx.scan("x").error().message() == "there is no table 'x'; the lake has no tables");
  tx.create_table("cities", {"a"}).value();
  tx.create_table("Animals", {"a"}).value();
  const auto missing = tx.scan("x");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code() == errc::no_such_table);
  CHECK(missing.error().message() == "there is no table 'x'; there are: Animals cities");
  CHECK(tx.scan("CITIES").error().code() == errc::no_such_table);
}

TEST_CASE("A18: wrong rows and schemas are refused, saying which, and leave the transaction as it was") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  CHECK(tx.create_table("x", {"a", "a"}).error().code() == errc::invalid_argument);
  CHECK(tx.create_table("x", {"a", ""}).error().code() == errc::invalid_argument);
  CHECK(tx.create_table("x", schema()).error().code() == errc::invalid_argument);
  tx.create_table("x", {"a", "b"}).value();
  CHECK(tx.insert("x", {1}).error().message() == "table x: the row has 1 value, the table has 2 columns");
  CHECK_FALSE(tx.insert("x", {{1, 2}, {3, 4}, {5, 6, 7}}).has_value());  // all or none
  tx.insert("x", {8, 9}).value();
  tx.commit().value();
  CHECK(rows_of(lake, "x") == std::vector<row>{{8, 9}});
}

TEST_CASE("A19: a row of nulls is an ordinary row") {
  client lake{memory_store{}};
  insert_and_commit(lake, "x", {{nullptr, nullptr}, {nullptr, 1}, {nullptr, nullptr}});
  CHECK(rows_of(lake, "x").size() == 3);
}

TEST_CASE("A20: changing what was inserted changes nothing") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"a"}).value();
  std::string text = "before";
  tx.insert("x", {text}).value();
  text = "after!";
  for (const row_view each : tx.scan("x").value()) CHECK(each["a"].as_string() == "before");
  tx.commit().value();
  CHECK(rows_of(lake, "x") == std::vector<row>{{"before"}});
}

TEST_CASE_TEMPLATE("the article's test: of two concurrent writers of one new table, one fails", Lake, TARN_EACH_STORE) {
  Lake store;
  client_options articles;
  articles.commit.rebase_limit = 0;
  client c1_writer{store.open(), articles};
  client c2_writer{store.open(), articles};
  // Have c2 and c1 begin a transaction.
  auto c1 = c1_writer.begin().value();
  auto c2 = c2_writer.begin().value();
  // Both create a table and insert a row; c1 commits first.
  c1.create_table("x", {"a", "b"}).value();
  c1.insert("x", {"Joey", 1}).value();
  c1.commit().value();
  c2.create_table("x", {"a", "b"}).value();
  c2.insert("x", {"Holly", 1}).value();
  const auto lost = c2.commit();
  REQUIRE_FALSE(lost.has_value());
  CHECK(lost.error().code() == errc::conflict);
  CHECK(rows_of(c2_writer, "x") == std::vector<row>{{"Joey", 1}});
}

TEST_CASE_TEMPLATE("the article's test: a reader concurrent with a writer reads its snapshot", Lake, TARN_EACH_STORE) {
  Lake store;
  client c1_writer{store.open()};
  client c2_reader{store.open()};
  // First, create some data and commit it.
  insert_and_commit(c1_writer, "x", {{"Joey", 1}, {"Yue", 2}});
  // A new transaction inserts a row that is not committed yet.
  auto c1 = c1_writer.begin().value();
  auto c2 = c2_reader.begin().value();
  c1.insert("x", {"Ada", 3}).value();
  const auto seen_by = [](auto& tx) {
    std::vector<std::string> names;
    for (const row_view each : tx.scan("x").value()) names.emplace_back(each[0].as_string());
    return names;
  };
  CHECK(seen_by(c1) == std::vector<std::string>{"Ada", "Joey", "Yue"});  // c1 sees its own row
  CHECK(seen_by(c2) == std::vector<std::string>{"Joey", "Yue"});         // c2 does not
  c1.commit().value();
  CHECK(seen_by(c2) == std::vector<std::string>{"Joey", "Yue"});  // nor after the commit
  c2.commit().value();
  CHECK(rows_of(c2_reader, "x").size() == 3);
}

TEST_CASE("the article's folder two-commits: strangers ignored, both rows and the later one read, and appended to") {
  article_folder folder("two-commits");
  client lake{folder.open()};
  CHECK(rows_of(lake, "x") == std::vector<row>{{"Joey", 1}, {"Yue", 2}, {"Ada", 3}});
  CHECK(insert_and_commit(lake, "x", {{"Grace", 4}}) == version{2});
  CHECK(rows_of(lake, "x") == std::vector<row>{{"Joey", 1}, {"Yue", 2}, {"Ada", 3}, {"Grace", 4}});
  auto log = lake.log().value();
  REQUIRE(log.next());
  CHECK(log.summary().of_article);
  CHECK(log.summary().tables[0].created);
  CHECK_FALSE(log.summary().tables[0].counted);
  REQUIRE(log.next());
  REQUIRE(log.next());
  CHECK_FALSE(log.summary().of_article);
  CHECK(log.summary().tables[0].rows == 1);
}

TEST_CASE("A5: the article's folder two-objects: Len is honoured, stale rows after it are not rows") {
  article_folder folder("two-objects");
  client lake{folder.open()};
  auto tx = lake.begin().value();
  std::int64_t expected = 0;
  for (const row_view each : tx.scan("n").value()) {
    REQUIRE(each[0].as_integer() == expected);
    REQUIRE(each[1].as_string() == concat({expected * expected}));
    ++expected;
  }
  CHECK(expected == 65'537);
}

TEST_CASE("the article's folder value-kinds: every value exactly, and an empty table") {
  article_folder folder("value-kinds");
  client lake{folder.open()};
  const std::vector<row> expected = {{0, nullptr},
                                     {1, true},
                                     {2, false},
                                     {3, 0},
                                     {4, -1},
                                     {5, 1.5},
                                     {6, -0.25},
                                     {7, 1e21},
                                     {8, 1e-7},
                                     {9, 123'456'789'012},
                                     {10, ""},
                                     {11, "plain"},
                                     {12, "quote\" back\\ slash/ tab\t nl\n"},
                                     {13, "caf\xc3\xa9 \xe2\x98\x83 \xf0\x9f\x98\x80"},
                                     {14, "<&>\xe2\x80\xa8"},
                                     {15, value::list({1, "two", nullptr})},
                                     {16, value::map({{"k", 1}, {"nested", value::list({true})}})}};
  CHECK(rows_of(lake, "kinds") == expected);
  CHECK(rows_of(lake, "empty").empty());
}

TEST_CASE("what tarn writes keeps the article's JSON shape") {
  tarn_test::temporary_folder folder;
  client lake{file_store<>(folder.path().string()), tarn_test::with_stored_objects()};
  insert_and_commit(lake, "x", {{"Joey", 1}, {"Yue", 2}});
  insert_and_commit(lake, "x", {{"Ada", 3}});
  int files = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder.path())) {
    ++files;
    const std::string content = read_file(each.path());
    arena memory;
    const auto document = parse_json(content, memory);
    REQUIRE_MESSAGE(document.has_value(), document.error().message());
    // The members that the article's program looks for, under exactly its names; its reader ignores case, so no other
    // member may be called the same in another case.
    const bool is_log = each.path().filename().string().starts_with("_log_");
    const std::vector<std::string> names =
        is_log ? std::vector<std::string>{"Id", "Actions"} : std::vector<std::string>{"Table", "Name", "Data", "Len"};
    for (const std::string& name : names) {
      int found = 0;
      for (const member_view member : document->as_map())
        if (compare_ignoring_case(member.key, name) == 0) {
          ++found;
          CHECK(member.key == name);
        }
      CHECK(found == 1);
    }
  }
  CHECK(files == 4);
  if (std::system("python3 --version > /dev/null 2>&1") == 0) {
    const std::string command =
        "for f in '" + folder.path().string() + "'/*; do python3 -m json.tool \"$f\" > /dev/null || exit 1; done";
    CHECK(std::system(command.c_str()) == 0);
  }
}
