// LAW: damage is an error that names what is damaged, never a crash or other rows, and takes nothing with it that does
// not depend on it. Exhaustive, for each bit and each length of each object of a small lake.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/codec/codecs.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/codec/json_codec.hpp>
#include <tarn/store/memory_store.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/altered_store.hpp"
#include "../support/random_source.hpp"
#include "../support/reading.hpp"
#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;

using rows = std::vector<tarn::row>;

struct table_content {
  rows content;
  std::set<std::string> objects;  // by name
};
using lake_content = std::map<std::string, table_content>;  // by name of table

// Two bags and a keyed table, three versions, six data objects; what it holds, and in which objects. The second version
// is written by another client, whose codec may be another.
template <class Codec, class SecondCodec = Codec>
class small_lake {
 public:
  explicit small_lake(std::uint64_t seed = 1) : environment_(seed) {
    tarn::client_options options = with_stored_objects();
    options.surroundings = environment_.get();
    tarn::client lake{store_, options, tarn::codecs<Codec, SecondCodec>()};
    tarn::client second{store_, options, tarn::codecs<SecondCodec, Codec>()};
    commit(lake, {{"cities", {{"Ulm", 126'000}}}, {"keys", {{1, "one"}, {2, "two"}}}});
    commit(second, {{"cities", {{"K\xc3\xb6ln", 1'086'000}, {"Trier", nullptr}}}});
    const tarn::value list = tarn::value::list({1, 2.5, true, nullptr, tarn::bytes{"\xff"}});
    commit(lake, {{"cities", {{"Gera", 93'000}}}, {"notes", {{list}}}, {"keys", {{2, "deux"}, {3, "trois"}}}});
  }

  [[nodiscard]] const tarn::memory_store& store() const { return store_; }
  [[nodiscard]] const std::map<std::string, std::string>& objects() const { return objects_; }
  [[nodiscard]] tarn::version head() const { return {static_cast<std::int64_t>(versions_.size()) - 1}; }
  [[nodiscard]] const lake_content& at(tarn::version at) const {
    return versions_[static_cast<std::size_t>(at.number)];
  }

 private:
  template <class Client>
  void commit(Client& lake, const std::map<std::string, rows>& inserted) {
    lake_content content;
    auto transaction = lake.begin().value();
    if (versions_.empty()) {
      transaction.create_table("cities", {"name", {"people", tarn::column_type::integer}}).value();
      transaction.create_table("notes", {"note"}).value();
      transaction.create_table("keys", {{"k", tarn::column_type::integer}, "v"}, tarn::keyed{{"k"}}).value();
      content = {{"cities", {}}, {"notes", {}}, {"keys", {}}};
    } else {
      content = versions_.back();
    }
    for (const auto& [table, more] : inserted) {
      rows& all = content[table].content;
      if (table == "keys") {
        (void)transaction.get("keys", {1});  // so that positions are recorded
        transaction.upsert(table, more).value();
        for (const tarn::row& each : more) std::erase_if(all, [&](const tarn::row& old) { return old[0] == each[0]; });
      } else {
        transaction.insert(table, more).value();
      }
      all.insert(all.end(), more.begin(), more.end());
    }
    (void)transaction.commit().value();
    note_new_objects(content);
    versions_.push_back(std::move(content));
  }

  void note_new_objects(lake_content& content) {
    const tarn::status listed = store_.list("", "", [&](std::string_view name) {
      if (!objects_.emplace(name, std::string_view(store_.get(name).value())).second) return;
      for (auto& [table, each] : content)
        if (name.starts_with("_table_" + table + "_")) each.objects.insert(std::string(name));
    });
    REQUIRE(listed.has_value());
  }

  test_environment environment_;
  tarn::memory_store store_;
  std::map<std::string, std::string> objects_;
  std::vector<lake_content> versions_;
};

// What was found wrong, counted; the first few are told in full.
class verdict {
 public:
  void expect(bool holds, const std::string& what) {
    if (holds) return;
    if (++wrong_ <= 5) FAIL_CHECK(what);
  }
  ~verdict() { CHECK(wrong_ == 0); }

 private:
  std::size_t wrong_ = 0;
};

[[nodiscard]] bool names(const std::string& message, std::string_view what) {
  return message.find(what) != std::string::npos;
}

// The version whose entry has this name; -1 if it is not an entry's.
[[nodiscard]] tarn::version version_of(std::string_view name) {
  tarn::version at;
  (void)tarn::parse_entry_name(name, at);
  return at;
}

// Whether the error is one of damage and names one of what has been altered, which `matters`.
template <class Matters>
[[nodiscard]] bool blames(const tarn::error& why, const alterations& altered, Matters matters) {
  if (why.code() != tarn::errc::corrupt) return false;
  return std::any_of(altered.begin(), altered.end(), [&](const auto& each) {
    if (!matters(each.first)) return false;
    const tarn::version at = version_of(each.first);
    return names(why.message(), each.first) ||
           (at.number >= 0 && names(why.message(), "version " + std::to_string(at.number)));
  });
}

template <class Matters>
[[nodiscard]] bool is_altered(const alterations& altered, Matters matters) {
  return std::any_of(altered.begin(), altered.end(), [&](const auto& each) { return matters(each.first); });
}

// What was read of a table before an end that `told` of, against what must be there.
void judge_rows(const rows& seen, const tarn::status& told, const std::string& table, const table_content& expected,
                const alterations& altered, const std::string& place, verdict& all) {
  const auto is_needed = [&objects = expected.objects](const std::string& name) { return objects.contains(name); };
  const bool is_prefix =
      seen.size() <= expected.content.size() && std::equal(seen.begin(), seen.end(), expected.content.begin());
  all.expect(is_prefix, place + "other rows in " + table);
  if (is_altered(altered, is_needed)) {
    all.expect(!told, place + "no error in a damaged " + table);
    if (!told) all.expect(blames(told.error(), altered, is_needed), place + told.error().message());
  } else {
    all.expect(told.has_value() && seen.size() == expected.content.size(), place + "lost rows of " + table);
  }
}

// By rows and by columns.
template <class Transaction>
void judge_scans(Transaction& transaction, const lake_content& content, const alterations& altered,
                 const std::string& place, verdict& all) {
  for (const auto& [table, expected] : content) {
    auto scan = transaction.scan(table).value();
    rows seen;
    while (scan.next()) seen.emplace_back(scan.row().begin(), scan.row().end());
    judge_rows(seen, scan.status(), table, expected, altered, place, all);
    auto columns = transaction.scan_columns(table).value();
    rows put_together;
    while (columns.next())
      for (std::size_t row = 0; row < columns.batch().rows(); ++row) {
        tarn::row& made = put_together.emplace_back();
        for (std::size_t at = 0; at < columns.columns().size(); ++at)
          made.emplace_back(columns.batch().column(at)[row]);
      }
    judge_rows(put_together, columns.status(), table, expected, altered, place + "by columns: ", all);
  }
}

using json_lake = small_lake<tarn::json_codec>;
using columnar_lake = small_lake<tarn::columnar_codec>;
using mixed_lake = small_lake<tarn::json_codec, tarn::columnar_codec>;
using reading_codecs = tarn::codecs<tarn::json_codec, tarn::columnar_codec>;

// Entries are the same whatever the codec: those of one lake are enough to damage everywhere.
template <class Lake>
[[nodiscard]] bool is_worth_damaging(std::string_view name) {
  return std::is_same_v<Lake, json_lake> || name.starts_with("_table_");
}

// Opens the lake in all ways and scans all of it, and judges each answer by what it depends on.
template <class Lake>
void judge(const Lake& lake, const alterations& altered, const std::string& how, verdict& all) {
  tarn::client damaged{altered_store(lake.store(), altered), {}, reading_codecs()};
  for (tarn::version at{0}; at <= lake.head(); at = at.next()) {
    const std::string place = how + ", version " + std::to_string(at.number) + ": ";
    const auto is_needed_entry = [&](std::string_view name) {
      const tarn::version entry = version_of(name);
      return entry.number >= 0 && entry <= at;
    };
    auto begun = at == lake.head() ? damaged.begin() : damaged.begin_at(at);
    if (is_altered(altered, is_needed_entry)) {
      all.expect(!begun, place + "opens in spite of a damaged entry");
      if (!begun) all.expect(blames(begun.error(), altered, is_needed_entry), place + begun.error().message());
      continue;
    }
    all.expect(begun.has_value(), place + (begun ? "" : begun.error().message()));
    if (!begun) continue;
    judge_scans(*begun, lake.at(at), altered, place, all);
    const auto is_later_entry = [&](std::string_view name) { return version_of(name) > at; };
    if (!is_altered(altered, is_later_entry)) continue;
    // Whoever would add to the log has to read all of it.
    auto writer = damaged.begin_at(at).value();
    writer.insert("notes", {1}).value();
    const auto committed = writer.commit();
    all.expect(!committed, place + "commits after a damaged entry");
    if (!committed) all.expect(blames(committed.error(), altered, is_later_entry), place + committed.error().message());
  }
}

}  // namespace

TEST_CASE_TEMPLATE("A13: the small lake is as large as it is meant to be, and reads as it should while it is undamaged",
                   Lake, json_lake, columnar_lake, mixed_lake) {
  const Lake lake;
  CHECK(lake.head() == tarn::version{2});
  CHECK(lake.objects().size() == 9);
  CHECK(lake.at({2}).at("keys").content.size() == 3);
  CHECK(lake.at({2}).at("cities").content.size() == 4);
  CHECK(lake.at({2}).at("cities").objects.size() == 3);
  verdict all;
  judge(lake, {}, "undamaged", all);
}

TEST_CASE_TEMPLATE(
    "LAW: A13: one flipped bit, anywhere, is found and named, and what does not depend on it is still there", Lake,
    json_lake, columnar_lake) {
  const Lake lake;
  verdict all;
  std::size_t flips = 0;
  const std::uint64_t step = share_of_cases();
  for (const auto& [name, bytes] : lake.objects())
    for (std::size_t at = 0; is_worth_damaging<Lake>(name) && at < bytes.size(); ++at)
      for (std::uint64_t bit = at % step; bit < 8; bit += step, ++flips) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        judge(lake, {{name, damaged}}, name + ", byte " + std::to_string(at) + ", bit " + std::to_string(bit), all);
      }
  MESSAGE(flips, " flips");
}

TEST_CASE_TEMPLATE(
    "LAW: A13: an object cut short anywhere is found and named, and what does not depend on it is still there", Lake,
    json_lake, columnar_lake) {
  const Lake lake;
  verdict all;
  for (const auto& [name, bytes] : lake.objects())
    for (std::size_t size = 0; is_worth_damaging<Lake>(name) && size < bytes.size(); size += share_of_cases())
      judge(lake, {{name, bytes.substr(0, size)}}, name + ", cut to " + std::to_string(size), all);
}

TEST_CASE_TEMPLATE("LAW: an object with something before or after its bytes is found and named", Lake, json_lake,
                   columnar_lake) {
  const Lake lake;
  verdict all;
  for (const auto& [name, bytes] : lake.objects())
    for (const char* const more : {" ", "\n", "{}", "0"}) {
      judge(lake, {{name, bytes + more}}, name + " with something after it", all);
      judge(lake, {{name, more + bytes}}, name + " with something before it", all);
    }
}

TEST_CASE_TEMPLATE("LAW: A11: an object that is gone is missed by name, unless it was the newest version", Lake,
                   json_lake, mixed_lake) {
  const Lake lake;
  verdict all;
  for (const auto& [name, bytes] : lake.objects()) {
    if (version_of(name) != lake.head()) {
      judge(lake, {{name, {}}}, name + " removed", all);
      continue;
    }
    // Nobody can tell such a lake from one where that version was never committed: it is whole, one version older.
    tarn::client shorter{altered_store(lake.store(), {{name, {}}}), {}, reading_codecs()};
    auto begun = shorter.begin().value();
    CHECK(begun.read_version() == tarn::version{1});
    for (const auto& [table, expected] : lake.at({1})) CHECK(rows_of(begun, table) == expected.content);
  }
}

TEST_CASE_TEMPLATE("LAW: bytes that belong to another name are found and named", Lake, json_lake, columnar_lake,
                   mixed_lake) {
  const Lake lake;
  verdict all;
  for (const auto& [name, bytes] : lake.objects())
    for (const auto& [other, other_bytes] : lake.objects()) {
      if (name == other) continue;
      judge(lake, {{name, other_bytes}}, name + " holds " + other, all);
      if (name < other) judge(lake, {{name, other_bytes}, {other, bytes}}, name + " and " + other + " swapped", all);
    }
}

TEST_CASE_TEMPLATE("LAW: an entry of another lake is found by the chain, though nothing is wrong with it", Lake,
                   json_lake) {
  const Lake lake;
  const Lake other(2);
  for (tarn::version at{0}; at <= lake.head(); at = at.next()) {
    const std::string name = tarn::entry_name(at);
    const alterations altered = {{name, other.objects().at(name)}};
    REQUIRE(other.objects().at(name) != lake.objects().at(name));
    tarn::client damaged{altered_store(lake.store(), altered), {}, reading_codecs()};
    const auto begun = damaged.begin();
    REQUIRE_FALSE(begun.has_value());
    CHECK_MESSAGE(blames(begun.error(), altered, [](std::string_view) { return true; }), begun.error().message());
  }
}
