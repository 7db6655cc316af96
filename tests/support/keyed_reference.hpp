// What a keyed table is, read from the bytes in the store by the definition alone: the fold, from nothing, of all
// operations on a key, in the order of the log. Slow, and nothing of it is tarn's.
//
// Compactions are not looked at, since they change no answer: what they removed is still there to be read, what they
// added is left out. Of which objects the table is made, and whose positions hold in which base, is kept besides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/testing/plain_fold.hpp>
#include <tarn/testing/plain_json.hpp>
#include <tarn/testing/plain_state.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

using tarn::testing::expected_bucket;
using tarn::testing::keyed_change;
using tarn::testing::keyed_contents;
using tarn::testing::keyed_layout;
using tarn::testing::keyed_operation;
using tarn::testing::keyed_value;
using tarn::testing::plain_json;
using tarn::testing::plain_json_reader;
using tarn::testing::plain_row;
using tarn::testing::plain_value;

// The live rows in the order of a scan: bucket after bucket, in order of key in each. They are those of `contents`.
using plain_rows = std::vector<const plain_row*>;
[[nodiscard]] inline plain_rows rows_in_order(const keyed_contents& contents, const keyed_layout& table) {
  std::vector<plain_rows> buckets(table.buckets);
  for (const auto& [key, value] : contents)
    if (value.live) buckets[expected_bucket(key, table.buckets)].push_back(&value.row);
  plain_rows all = std::move(buckets[0]);
  for (std::size_t bucket = 1; bucket < buckets.size(); ++bucket)
    all.insert(all.end(), buckets[bucket].begin(), buckets[bucket].end());
  return all;
}

// --- from the store ----------------------------------------------------------------------------------------------

struct reference_block {
  std::string name;
  bool base_form = false;
  std::string base;  // that its positions were counted in; empty: it has none
  std::int64_t read_version = -1;
};

struct reference_bucket {
  std::vector<reference_block> blocks;  // in order
  std::int64_t since = -1;              // since when the first has been the first

  [[nodiscard]] bool has_base() const { return !blocks.empty() && blocks[0].base_form; }

  // How many blocks have positions that hold, and how many blocks there are besides the base.
  template <class Holds>
  [[nodiscard]] std::size_t count(Holds holds) const {
    std::size_t counted = 0;
    for (std::size_t at = 1; has_base() && at < blocks.size(); ++at)
      if (!blocks[at].base.empty() && holds(blocks[at])) ++counted;
    return counted;
  }
  [[nodiscard]] std::size_t by_position() const {
    return count([&](const reference_block& each) { return each.base == blocks[0].name; });
  }
  [[nodiscard]] std::size_t derived() const {
    return count([&](const reference_block& each) { return each.read_version >= since; });
  }
  [[nodiscard]] std::size_t runs() const { return blocks.size() - (has_base() ? 1 : 0); }
};

struct reference_version {
  keyed_contents contents;
  std::vector<reference_bucket> buckets;
};

// The table `name` of a lake with no other, which its version 0 creates. `good()` is false if there was anything in the
// store that this does not expect there.
template <class Store>
class keyed_reference {
 public:
  keyed_reference(Store store, std::string name) : store_(std::move(store)), name_(std::move(name)) {}

  // The version after those that have been read, which must be there.
  void read_next() { read_entry(); }
  // Whether no other versions are there.
  [[nodiscard]] bool at_end() {
    std::size_t entries = 0;
    const auto counted = store_.list("_log_", "", [&](std::string_view) { ++entries; });
    return counted && entries == versions_.size();
  }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] const keyed_layout& layout() const { return layout_; }
  [[nodiscard]] const std::vector<reference_version>& versions() const { return versions_; }
  // Objects in base form, written by transactions whose bucket was not empty any more when they were committed.
  [[nodiscard]] std::size_t demoted() const { return demoted_; }
  // Records with a place, all of which are right.
  [[nodiscard]] std::size_t places() const { return places_; }

 private:
  [[nodiscard]] plain_json get(const std::string& name) {
    const auto bytes = store_.get(name);
    if (!bytes) return good_ = false, plain_json();
    return parse(*bytes);
  }
  [[nodiscard]] plain_json parse(std::string_view bytes) {
    plain_json_reader reader(bytes);
    plain_json read = reader.read();
    good_ = good_ && reader.good();
    return read;
  }

  void read_entry() {
    char name[32];
    std::snprintf(name, sizeof name, "_log_%020zu", versions_.size());
    const plain_json entry = get(name);
    const plain_json* const actions = entry.find("Actions");
    if (!good_ || actions == nullptr) return void(good_ = false);
    if (versions_.empty()) read_creation(*actions);
    reference_version next = versions_.empty() ? reference_version{{}, {}} : versions_.back();
    next.buckets.resize(layout_.buckets);
    for (const plain_json& action : actions->list(name_)) read_action(next, action);
    const auto at = static_cast<std::int64_t>(versions_.size());
    for (std::size_t bucket = 0; bucket < next.buckets.size(); ++bucket) {
      reference_bucket& now = next.buckets[bucket];
      const bool existed = !versions_.empty() && !versions_.back().buckets[bucket].blocks.empty();
      if (now.blocks.empty()) continue;
      if (!existed || versions_.back().buckets[bucket].blocks[0].name != now.blocks[0].name) now.since = at;
    }
    versions_.push_back(std::move(next));
  }

  void read_creation(const plain_json& actions) {
    const std::vector<plain_json>& first = actions.list(name_);
    const plain_json* const made = first.empty() ? nullptr : first[0].find("CreateKeyedTable");
    if (made == nullptr) return void(good_ = false);
    const auto place_of = [&](std::int64_t id) {
      const std::vector<plain_json>& ids = made->list("ColumnIds");
      std::size_t place = 0;
      while (place < ids.size() && ids[place].as_integer() != id) ++place;
      good_ = good_ && place < ids.size();
      return place;
    };
    for (const plain_json& id : made->list("Key")) layout_.key.push_back(place_of(id.as_integer()));
    layout_.buckets = static_cast<std::uint32_t>(made->integer("Buckets"));
    if (made->text("Fold") == "by_ordering") layout_.ordering = place_of(made->integer("Ordering"));
    columns_ = made->list("Columns").size();
  }

  void read_action(reference_version& into, const plain_json& action) {
    if (action.find("CreateKeyedTable") != nullptr) return;
    const plain_json* const removed = action.find("RemoveKeyedObject");
    const plain_json* added = action.find("AddKeyedObject");
    if (added == nullptr) added = action.find("AddInlineKeyedObject");
    const plain_json* const changed = removed != nullptr ? removed : added;
    if (changed == nullptr) return void(good_ = false);
    const auto bucket = static_cast<std::size_t>(changed->integer("Bucket"));
    if (bucket >= into.buckets.size()) return void(good_ = false);
    std::vector<reference_block>& blocks = into.buckets[bucket].blocks;
    const std::string name = changed->text("Name");
    if (removed != nullptr) {
      const auto same = [&](const reference_block& each) { return each.name == name; };
      blocks.erase(std::remove_if(blocks.begin(), blocks.end(), same), blocks.end());
      return;
    }
    const bool is_base = added->text("Form") == "base";
    const bool compacted = added->find("Compacted") != nullptr;
    if (!compacted && is_base) {
      const std::int64_t read = added->integer("ReadVersion");
      const bool exists = read >= 0 && static_cast<std::size_t>(read) < versions_.size();
      if (!exists || !versions_[static_cast<std::size_t>(read)].buckets[bucket].blocks.empty())
        return void(good_ = false);  // only a bucket that the writer saw empty may get base form
      if (!blocks.empty()) ++demoted_;
    }
    blocks.insert(compacted ? blocks.begin() : blocks.end(),
                  {name, is_base, added->text("Base"), added->integer("ReadVersion")});
    const std::size_t before = is_base ? 1 : 2;
    if (is_base) bases_[name] = {};  // it may have no rows
    for (const plain_json& record : records_of(*added, before + columns_)) {
      if (record.items.size() != before + columns_) return void(good_ = false);
      plain_row row;
      for (std::size_t place = before; place < record.items.size(); ++place) row.push_back(record.items[place].value);
      const plain_row key = layout_.key_of(row);
      good_ = good_ && bucket == expected_bucket(key, layout_.buckets);
      if (is_base) bases_[name].push_back(key);
      if (!is_base && record.items[1].value != plain_value()) check_place(record.items[1], key, added->text("Base"));
      if (!compacted) apply_record(into, record.items[0].as_integer(), row);
    }
  }

  // The rows of an object. Those of a columnar one are read by tarn's codec, which has tests of its own.
  [[nodiscard]] std::vector<plain_json> records_of(const plain_json& added, std::size_t columns) {
    const std::string name = "_table_" + name_ + "_" + added.text("Name");
    std::vector<plain_json> records;
    std::string bytes;
    if (const auto travels = tarn::testing::plain_inline_bytes(added)) {
      bytes = *travels;
    } else {
      const auto stored = store_.get(name);
      if (!stored) return good_ = false, records;
      bytes = std::string_view(*stored);
    }
    if (added.text("Codec") != tarn::columnar_codec::name) return parse(bytes).list("Data");
    tarn::object_expectation expected;
    expected.identity.table = name_;
    expected.columns = columns;
    good_ = good_ && parse_uuid(added.text("Name"), expected.identity.id);
    auto rows = tarn::columnar_codec().open(bytes, expected);
    while (rows && rows->next()) {
      plain_json& record = records.emplace_back();
      for (const tarn::value_view each : rows->row()) record.items.push_back({to_plain(each)});
    }
    good_ = good_ && rows && rows->status();
    return records;
  }
  [[nodiscard]] static plain_value to_plain(const tarn::value_view& value) {
    if (value.kind() == tarn::kind::integer) return value.as_integer();
    if (value.kind() == tarn::kind::boolean) return value.as_boolean();
    if (value.kind() == tarn::kind::string) return std::string(value.as_string());
    return {};
  }

  // Codes as in tarn/merge/record.hpp.
  void apply_record(reference_version& into, std::int64_t what, const plain_row& row) {
    good_ = good_ && what >= 0 && what <= 4;
    if (what == 1 || what > 2) apply(into.contents, layout_, {keyed_change::erase, row});
    if (what == 0 || what == 3) apply(into.contents, layout_, {keyed_change::upsert, row});
    if (what == 2 || what == 4) apply(into.contents, layout_, {keyed_change::ordered_erase, row});
  }

  // Whether a place is that of the key among the rows of the object that its block names.
  void check_place(const plain_json& place, const plain_row& key, const std::string& base) {
    ++places_;
    const auto named = bases_.find(base);
    if (named == bases_.end()) return void(good_ = false);
    const std::vector<plain_row>& keys = named->second;
    const auto first = std::lower_bound(keys.begin(), keys.end(), key);
    const std::int64_t index = first - keys.begin();
    const bool at = first != keys.end() && *first == key;
    good_ = good_ && place.as_integer() == (at ? index : -index - 1);
  }

  Store store_;
  std::string name_;
  bool good_ = true;
  std::size_t columns_ = 0;
  std::size_t demoted_ = 0;
  std::size_t places_ = 0;
  std::map<std::string, std::vector<plain_row>> bases_;  // keys of the rows of each object in base form
  keyed_layout layout_;
  std::vector<reference_version> versions_;
};

}  // namespace tarn_test
