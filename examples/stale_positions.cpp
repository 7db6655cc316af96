// Row positions that have gone stale: the problem of Apache Hudi's issue on record positions under non-blocking
// concurrency, and how tarn's merge strategies take it. A delta says at which row of its base each key is. A compaction
// makes another base while a writer is still at work on the old one; the writer's positions are then wrong rows.
#include <cstdio>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>

namespace {

template <class Merge>
using client_with = tarn::client<tarn::memory_store, tarn::json_codec, Merge>;
using writer = client_with<tarn::merge::by_position>;

// What must not be done: to believe all positions, whatever base they were counted in.
struct raw_positions : tarn::merge::by_position {
  static bool positions_hold(const tarn::block_header&, const tarn::uuid&, tarn::version) noexcept { return true; }
};

// "b=old, c=old", and where the scan ends.
std::string rows_of(auto& scan) {
  std::string text;
  while (scan.next()) {
    const tarn::row_view row = scan.row();
    text += tarn::concat({text.empty() ? "" : ", ", row["key"].as_string(), "=", row["value"].as_string()});
  }
  return text;
}

// Updates or, without a value, erases a row that a scan stands on: that is how its position becomes known.
void change(writer::transaction_type& writing, std::string_view key, std::string_view value) {
  auto scan = writing.scan("letters").value();
  while (scan.next()) {
    if (scan.row()["key"].as_string() != key) continue;
    const tarn::status changed = value.empty() ? writing.erase(scan) : writing.update(scan, {{"value", value}});
    return changed.value();
  }
}

// How a delta's record is stored: what it does, and where its key is in the base that its writer read.
std::string describe(const tarn::record& record, std::string_view base) {
  const bool erases = record.done.then == tarn::key_state::nothing;
  std::string text = tarn::concat({erases ? "erase " : "", record.values[0].as_string(), erases ? "" : "=",
                                   erases ? std::string_view() : record.values[1].as_string()});
  if (record.place.known)
    text += tarn::concat({record.place.at ? " at " : " before ", record.place.index, " of ", base});
  return text;
}

// The records of an object, whose positions were counted in `base`.
std::string describe(tarn::memory_store& store, const tarn::action& added, std::string_view base) {
  std::string records;
  // Few rows travel in the entry itself.
  const std::string bytes(added.object.inline_bytes
                              ? std::string_view(*added.object.inline_bytes)
                              : std::string_view(store.get(tarn::object_name("letters", added.object.id)).value()));
  auto rows =
      tarn::json_codec().open(bytes, {{"letters", added.object.id}, tarn::columns_before(added.block.form) + 2});
  for (tarn::record record; rows->next() && tarn::decode_record(rows->row(), added.block.form, record);)
    records += (records.empty() ? "" : ", ") + describe(record, base);
  return records;
}

// The file group's objects, as the log and the store have them: one line for each, from the version that its writer had
// read (o) to the one that made it visible (*), and then its records. Bases are named by their version.
void draw(tarn::memory_store store) {
  tarn::table_map<std::string> bases;  // by id
  int deltas = 0;
  std::puts("            version");
  std::puts("            0       1       2       3       4       5");
  for (tarn::version at{1};; at = at.next()) {
    const auto logged = tarn::get_entry(store, at, tarn::limits{});
    if (!logged) return;
    for (const tarn::action& each : *logged->content.actions.find("letters")) {
      if (each.kind != tarn::action_kind::add_block) continue;
      const bool is_base = each.block.form == tarn::object_form::base;
      const std::string name = tarn::concat({is_base ? "base t" : "delta ", is_base ? at.number : ++deltas});
      if (is_base) bases.find_or_insert(tarn::to_text(each.object.id)) = name.substr(5);
      const std::string* const base = bases.find(tarn::to_text(each.block.base));

      const std::string records = describe(store, each, base == nullptr ? "" : *base);
      const auto from = static_cast<int>(8 * each.block.read_version.number);
      const auto size = static_cast<int>(8 * at.number) - from;
      std::printf("  %-10s%*so%.*s*%*s%s%s\n", name.c_str(), from, "", size - 1, "-----------------------",
                  44 - from - size, "", records.c_str(), each.block.compacted ? " (compacted: o plan, * commit)" : "");
    }
  }
}

// What a reader with this strategy finds, and how.
template <class Merge>
void read_with(const char* strategy, const tarn::memory_store& store) {
  client_with<Merge> reader{store};
  auto reading = reader.begin().value();
  auto scan = reading.scan("letters").value();
  const std::string rows = rows_of(scan);
  const tarn::merge_statistics merged = scan.statistics().merged;
  std::printf("  %-14s %-24s %u by position, %u by key; %u base keys compared\n", strategy, rows.c_str(),
              static_cast<unsigned>(merged.blocks_by_position), static_cast<unsigned>(merged.blocks_by_key),
              static_cast<unsigned>(merged.base_keys_compared));
}

void read_with_each_strategy(const tarn::memory_store& store) {
  std::puts("  strategy       rows                     blocks");
  read_with<tarn::merge::by_key>("by_key", store);
  read_with<tarn::merge::by_position>("by_position", store);
  read_with<tarn::merge::derived>("derived", store);
  read_with<raw_positions>("raw positions", store);
}

}  // namespace

int main() {
  const tarn::memory_store store;  // copies are the same store
  writer ada{store};
  writer joey{store};

  auto creating = ada.begin().value();
  creating
      .create_table("letters", {{"key", tarn::column_type::string}, {"value", tarn::column_type::string}},
                    tarn::keyed{{"key"}})
      .value();
  (void)creating.commit().value();

  auto filling = ada.begin().value();
  filling.upsert("letters", {{"a", "old"}, {"b", "old"}, {"c", "old"}}).value();
  (void)filling.commit().value();

  auto erasing = ada.begin().value();
  change(erasing, "a", "");
  (void)erasing.commit().value();

  const tarn::compaction_plan plan = ada.plan_compaction("letters").value()[0];
  auto updating = joey.begin(tarn::isolation::non_blocking).value();
  change(updating, "b", "new");
  (void)ada.commit_compaction(ada.run_compaction(plan).value()).value();
  (void)updating.commit().value();

  std::puts("Joey updates b, at row 1 of base t1. Meanwhile a compaction makes base t3, where row 1 is c.\n");
  draw(store);
  std::puts(
      "\nDelta 2 says that its positions are of t1, so nobody uses them with t3. Who does has b twice, and no c:\n");
  read_with_each_strategy(store);

  client_with<raw_positions> believer{store};
  auto believing = believer.begin().value();
  auto verifying = believing.verifying_scan("letters").value();
  (void)rows_of(verifying);
  const std::string& why = verifying.status().error().message();
  std::printf("\nA verifying scan notices:%s.\n", why.substr(why.find(" has ")).c_str());

  std::puts("\nAda, whose compaction it was, changes what she reads now. Her positions are of t3:\n");
  auto following = ada.begin().value();
  change(following, "c", "new");
  following.upsert("letters", {"d", "new"}).value();
  (void)following.commit().value();
  draw(store);
  std::puts("");
  read_with_each_strategy(store);
}
