#include "checkup.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lake {

tarn::result<findings> checkup::run(const std::string& folder) {
  // The names first: objects that are put later, and the entries that name them, are then no concern of this checkup.
  std::error_code failed;
  std::filesystem::directory_iterator each(folder, failed);
  for (; !failed && each != std::filesystem::directory_iterator(); each.increment(failed))
    sort_name(each->path().filename().string());
  if (failed)
    return tarn::error(tarn::errc::io, tarn::concat({"cannot list folder '", folder, "': ", failed.message()}));

  check_log();
  if (found_.damaged.empty() && chain_whole_) check_merges();
  found_.unreferenced.assign(unclaimed_.begin(), unclaimed_.end());
  std::sort(found_.unreferenced.begin(), found_.unreferenced.end());
  std::sort(found_.temporary.begin(), found_.temporary.end());
  std::sort(found_.strangers.begin(), found_.strangers.end());
  return found_;
}

void checkup::sort_name(const std::string& name) {
  tarn::version at;
  std::string_view table;
  tarn::uuid id;
  if (tarn::parse_entry_name(name, at))
    listed_.insert(at);
  else if (tarn::parse_object_name(name, table, id))
    unclaimed_.insert(name);
  else if (name.starts_with(tarn::temporary_prefix))
    found_.temporary.push_back(name);
  else
    found_.strangers.push_back(name);
}

void checkup::check_log() {
  for (tarn::version at{0};; at = at.next()) {
    tarn::result<tarn::logged_entry> read = tarn::get_entry(core_.store, at, core_.options.bounds);
    if (!read && read.error().code() == tarn::errc::not_found) {
      const auto next = listed_.upper_bound(at);
      if (next == listed_.end()) return;
      const std::string later = tarn::concat({"missing, though version ", next->number, " exists"});
      note_damage(at, tarn::entry_name(at), later);
      chain_whole_ = false;
      at = *next;
      read = tarn::get_entry(core_.store, at, core_.options.bounds);
    }
    ++found_.versions;
    if (read) {
      check_entry(*read);
    } else {
      note_damage(at, tarn::entry_name(at), read.error().message());
      chain_whole_ = false;
    }
  }
}

void checkup::check_entry(const tarn::logged_entry& read) {
  const tarn::version at = read.content.at;
  if (chain_whole_) {
    const tarn::status applied = apply_entry(state_.writable(), read.content, read.checksum);
    if (!applied) note_damage(at, tarn::entry_name(at), applied.error().message());
    chain_whole_ = applied.has_value();
  }
  for (const auto& [table, actions] : read.content.actions)
    for (const tarn::action& each : actions)
      if (each.kind == tarn::action_kind::add_object || each.kind == tarn::action_kind::add_block)
        check_object(at, table, each);
  if (found_.damaged.empty()) found_.last_whole = at;
}

void checkup::check_object(tarn::version added, std::string_view table, const tarn::action& adds) {
  const std::string name = tarn::object_name(table, adds.object.id);
  unclaimed_.erase(name);
  const tarn::status read = read_object(table, adds);
  if (read) return void(++found_.objects);
  note_damage(added, name, read.error().message());
}

// Without the entries before, an object's columns are not known, and only its bytes can be verified.
tarn::status checkup::read_object(std::string_view table, const tarn::action& adds) {
  const tarn::table_state* const known = chain_whole_ ? state_->find_table(table) : nullptr;
  if (known == nullptr) return read_bytes(tarn::object_name(table, adds.object.id), adds.object);
  if (adds.kind == tarn::action_kind::add_object) return read_rows(*known, adds.object);
  return read_records(*known, {adds.object, adds.block, {}});
}

tarn::status checkup::read_rows(const tarn::table_state& table, const tarn::data_object& object) {
  using reader = tarn::object_reader<tarn::file_store<>, tarn::json_codec>;
  tarn::result<reader> rows = reader::open(core_, table, object, core_.options.bounds);
  if (!rows) return rows.error();
  found_.bytes += rows->byte_size();
  while (rows->next()) count_row();
  return rows->status();
}

tarn::status checkup::read_records(const tarn::table_state& table, const tarn::keyed_object& object) {
  using source = tarn::record_source_of<tarn::file_store<>, tarn::json_codec>;
  tarn::result<source> records = source::open(core_, table, object);
  if (!records) return records.error();
  found_.bytes += records->byte_size();
  std::string scratch;
  std::string previous;
  for (std::uint64_t at = 0; records->next(); ++at) {
    const tarn::list_view values = records->current().values;
    const std::string_view key = tarn::encode_key(values, table.key.columns, scratch);
    if (at > 0 && key <= previous)
      return tarn::error(tarn::errc::corrupt, tarn::concat({"its record ", at, " is not sorted by key"}));
    previous = key;
    count_row();
  }
  return records->status();
}

tarn::status checkup::read_bytes(const std::string& name, const tarn::data_object& object) {
  const auto bytes = core_.store.get(name);
  if (!bytes) return bytes.error();
  const std::string_view text = *bytes;
  found_.bytes += text.size();
  if (!object.described || (text.size() == object.bytes && tarn::crc32c(text) == object.checksum)) return {};
  return tarn::error(tarn::errc::corrupt, "its bytes are not those that the log describes");
}

// Each object may be good, and the positions in one still not be those of the rows in another. In the newest version
// that shows when they are merged.
void checkup::check_merges() {
  tarn::result<transaction> reading = opened_.begin_at(state_->at);
  for (const auto& [name, table] : state_->tables) {
    if (table->key.empty()) continue;
    tarn::status read = reading ? tarn::status() : tarn::status(reading.error());
    if (read) {
      tarn::result<transaction::row_scan> scan = reading->verifying_scan(table->name);
      while (scan && scan->next()) shown_.count_row();
      read = scan ? scan->status() : tarn::status(scan.error());
    }
    if (read) continue;
    const std::string& why = read.error().message();
    tarn::version added = state_->at;  // the object that the message names
    for (const auto& bucket : table->buckets)
      for (const tarn::keyed_object& each : bucket->objects)
        if (why.find(tarn::object_name(table->name, each.object.id)) != std::string::npos)
          added = each.block.compacted ? bucket->since : each.order.at;
    note_damage(added, tarn::concat({"table ", table->name}), why);
  }
}

void checkup::note_damage(tarn::version at, std::string_view name, std::string_view what) {
  // Before the first damage, the version before was whole.
  if (found_.damaged.empty()) found_.last_whole = {at.number - 1};
  found_.damaged.push_back(what.find(name) == std::string_view::npos ? tarn::concat({name, ": ", what})
                                                                     : std::string(what));
}

}  // namespace lake
