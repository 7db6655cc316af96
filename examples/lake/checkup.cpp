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
    tarn::result<tarn::logged_entry> read = tarn::get_entry(store_, at, bounds_);
    if (!read && read.error().code() == tarn::errc::not_found) {
      const auto next = listed_.upper_bound(at);
      if (next == listed_.end()) return;
      const std::string later = tarn::concat({"missing, though version ", next->number, " exists"});
      note_damage(at, tarn::entry_name(at), later);
      chain_whole_ = false;
      at = *next;
      read = tarn::get_entry(store_, at, bounds_);
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
      if (each.kind == tarn::action_kind::add_object) check_object(at, table, each.object);
  if (found_.damaged.empty()) found_.last_whole = at;
}

void checkup::check_object(tarn::version added, std::string_view table, const tarn::data_object& object) {
  const std::string name = tarn::object_name(table, object.id);
  unclaimed_.erase(name);
  const tarn::status read = read_object({table, object.id}, object);
  if (read) return void(++found_.objects);
  note_damage(added, name, read.error().message());
}

// Without the entries before, an object's columns are not known, and only its bytes can be verified.
tarn::status checkup::read_object(const tarn::object_identity& identity, const tarn::data_object& object) {
  const auto bytes = store_.get(name_of(identity));
  if (!bytes) return bytes.error();
  const std::string_view text = *bytes;
  found_.bytes += text.size();
  if (object.described && (text.size() != object.bytes || tarn::crc32c(text) != object.checksum))
    return tarn::error(tarn::errc::corrupt,
                       tarn::concat({"it has ", text.size(), " bytes of checksum ", tarn::hex(tarn::crc32c(text)),
                                     ", the log says ", object.bytes, " of ", tarn::hex(object.checksum)}));
  const tarn::table_state* const table = chain_whole_ ? state_->find_table(identity.table) : nullptr;
  return table == nullptr ? tarn::status() : read_rows(identity, object, text, table->columns.size());
}

tarn::status checkup::read_rows(const tarn::object_identity& identity, const tarn::data_object& object,
                                std::string_view bytes, std::size_t columns) {
  if (object.described && object.codec != tarn::json_codec::name)
    return tarn::error(tarn::errc::unsupported, tarn::concat({"it is in codec '", object.codec, "'"}));
  tarn::object_expectation expected;
  expected.identity = identity;
  expected.columns = columns;
  expected.counted = object.described;
  expected.rows = object.rows;
  expected.checksum_verified = object.described;
  tarn::result<tarn::json_cursor<>> rows = tarn::json_codec().open(bytes, expected, bounds_);
  if (!rows) return rows.error();
  while (rows->next()) {
    ++found_.rows;
    shown_.count_row();
  }
  return rows->status();
}

void checkup::note_damage(tarn::version at, std::string_view name, std::string_view what) {
  // Before the first damage, the version before was whole.
  if (found_.damaged.empty()) found_.last_whole = {at.number - 1};
  found_.damaged.push_back(what.find(name) == std::string_view::npos ? tarn::concat({name, ": ", what})
                                                                     : std::string(what));
}

}  // namespace lake
