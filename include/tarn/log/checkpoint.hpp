// Checkpoints: the state at a version, so that opening a lake does not cost the reading of all of its history.
//
//   log          0   1   2  ...  99  100  101  ...  199  200  201     entries
//                                     |                   |
//   checkpoint                   state at 100        state at 200     opening reads 200, then entry 201
//
// What a checkpoint says is a function of the entries up to its version, and so are its bytes: whoever writes it writes
// the same. It carries the checksum of its entry, with which the chain goes on. One that is damaged or incomplete is
// passed over: an older one, or the log from its beginning, leads to the same state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/json_parser.hpp"
#include "../codec/json_writer.hpp"
#include "../core/arena.hpp"
#include "../core/backoff.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/environment.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../store/put_object.hpp"
#include "../store/store.hpp"
#include "application.hpp"
#include "json_fields.hpp"
#include "names.hpp"
#include "sealed_json.hpp"
#include "snapshot.hpp"
#include "table_reader.hpp"
#include "table_writer.hpp"

namespace tarn::inline TARN_ABI {

inline constexpr std::int64_t checkpoint_format = 1;

namespace checkpoint_json {

template <class = void>
void append_applications(std::string& out, const committed_sequences& applications) {
  append_text(out, R"(,"Applications":[)");
  for (const committed_sequence& each : applications) {
    append_text(out, &each == applications.begin() ? R"({"Application":)" : R"(,{"Application":)");
    append_json_string(out, each.work.application);
    out += concat({R"(,"Sequence":)", each.work.sequence, R"(,"Version":)", each.at.number, "}"});
  }
  out += ']';
}

// All but the tables; the braces stay open.
template <class = void>
[[nodiscard]] std::string write_head(const snapshot& state) {
  std::string out = concat({R"({"Checkpoint":)", checkpoint_format, R"(,"Version":)", state.at.number,
                            R"(,"EntryCrc32c":")", hex(state.entry_checksum), R"(","TimestampMs":)", state.time.ms,
                            R"(,"NeededToRead":[],"NeededToWrite":)"});
  table_json::append_strings(out, state.needed_to_write);
  append_applications(out, *state.applications);
  table_json::append_tags(out, *state.tags);
  table_json::append_retention(out, state.kept);
  return out;
}

template <class = void>
[[nodiscard]] std::string write_tables(const snapshot& state) {
  std::string out = "[";
  for (const auto& [name, table] : state.tables) {
    if (out.size() > 1) out += ',';
    append_table_state(out, *table);
  }
  out += ']';
  return out;
}

template <class = void>
void read_head(json_fields<>& fields, snapshot& state) {
  // The format first: all else may look different in another one.
  if (const std::int64_t format = fields.integer("Checkpoint", 1); format > checkpoint_format)
    return fields.complain(concat({"has format ", format, ": use a newer tarn"}), errc::unsupported);
  for (const std::string& feature : fields.strings("NeededToRead"))
    fields.complain(concat({"needs the feature '", feature, "' to be read: use a newer tarn"}), errc::unsupported);
  state.at = {fields.integer("Version", 0)};
  state.entry_checksum = fields.checksum("EntryCrc32c");
  state.time = {fields.integer("TimestampMs", INT64_MIN)};
  state.needed_to_write = fields.strings("NeededToWrite");
  for (const value_view each : fields.list("Applications")) {
    json_fields application(each, "an application");
    const application_sequence work{std::string(application.string("Application")), application.integer("Sequence", 0)};
    state.applications.writable().set(work, {application.integer("Version", 0)});
    if (!application.state()) fields.complain(application.state().error().message());
  }
  state.tags = copy_on_write<sequence<version_tag>>(table_json::read_tags(fields));
  state.kept = table_json::read_retention(fields);
}

template <class = void>
void read_tables(const list_view& tables, json_fields<>& fields, snapshot& state) {
  for (const value_view each : tables) {
    json_fields table(each, "a table");
    table_state read = read_table_state(table);
    if (!table.state()) return fields.complain(table.state().error().message(), table.state().error().code());
    const std::string name = read.name;
    if (state.tables.find(name) != nullptr) return fields.complain(concat({"has the table ", name, " twice"}));
    state.tables.find_or_insert(name, std::move(read));
  }
}

// A part of the tables' text, as the checkpoint describes it.
template <object_store Store>
[[nodiscard]] status append_part(Store& store, const std::string& name, value_view described, std::string& tables,
                                 const limits& bounds) {
  json_fields fields(described, name);
  const auto size = static_cast<std::uint64_t>(fields.integer("Bytes", 0));
  const std::uint32_t checksum = fields.checksum("Crc32c");
  if (!fields.state()) return fields.state();
  if (size > bounds.checkpoint_bytes_max - tables.size())
    return error(errc::limit_exceeded, concat({name, " makes the checkpoint larger than limits::checkpoint_bytes_max, ",
                                               bounds.checkpoint_bytes_max, ": raise it"}));
  const auto bytes = store.get(name);
  if (!bytes) return bytes.error();
  const std::string_view text = *bytes;
  if (text.size() != size || crc32c(text) != checksum)
    return error(errc::corrupt, concat({name, " is damaged: size or checksum are not those in the checkpoint"}));
  tables.append(text.data(), text.size());
  return {};
}

}  // namespace checkpoint_json

// Puts the state into the store as a checkpoint: the parts of a large one first, so that what names them has them all.
// One put, or one more for every limits::checkpoint_part_bytes. Memory: the text.
template <object_store Store>
[[nodiscard]] status write_checkpoint(Store& store, const snapshot& state, const limits& bounds,
                                      const backoff_options& options, const environment& surroundings) {
  if (state.at == version()) return {};  // the empty lake
  const std::string tables = checkpoint_json::write_tables(state);
  std::string head = checkpoint_json::write_head(state);
  if (tables.size() <= bounds.checkpoint_part_bytes) {
    head += concat({R"(,"Tables":)", tables});
  } else {
    append_text(head, R"(,"Parts":[)");
    std::uint32_t number = 0;
    for (std::string_view rest = tables; !rest.empty();
         rest.remove_prefix(rest.substr(0, bounds.checkpoint_part_bytes).size())) {
      const std::string_view part = rest.substr(0, bounds.checkpoint_part_bytes);
      const status put = put_object(store, checkpoint_part_name(state.at, ++number), part, options, surroundings);
      if (!put) return put;
      head += concat({number == 1 ? "" : ",", R"({"Bytes":)", part.size(), R"(,"Crc32c":")", hex(crc32c(part)), "\"}"});
    }
    head += ']';
  }
  append_seal(head);
  return put_object(store, checkpoint_name(state.at), head, options, surroundings);
}

// The state at version `at`, from its checkpoint. errc::not_found if there is none, errc::corrupt if it is damaged or a
// part of it is missing, errc::unsupported if it is a newer tarn's. Costs one `get`, and one more for each part.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> read_checkpoint(Store& store, version at, const limits& bounds) {
  const std::string name = checkpoint_name(at);
  const auto bytes = store.get(name);
  if (!bytes) return bytes.error();
  const std::string_view text = *bytes;
  if (text.size() > bounds.checkpoint_bytes_max)
    return error(errc::limit_exceeded, concat({name, " has ", text.size(), " bytes, limits::checkpoint_bytes_max is ",
                                               bounds.checkpoint_bytes_max}));
  if (!is_sealed(text)) return error(errc::corrupt, concat({name, " is damaged: it does not end with its checksum"}));
  arena memory;
  const json_options options{.escapes = json_escapes::tarn};
  const result<value_view> document = parse_json(text, memory, options);
  if (!document) return error(errc::corrupt, concat({name, " is not JSON: ", document.error().message()}));
  json_fields fields(*document, name);
  snapshot state;
  checkpoint_json::read_head(fields, state);
  if (state.at != at) fields.complain(concat({"is that of version ", state.at.number}));
  if (fields.state() && !fields.has("Parts")) checkpoint_json::read_tables(fields.list("Tables"), fields, state);
  if (!fields.state()) return fields.state().error();
  if (!fields.has("Parts")) return shared_snapshot(std::move(state));

  std::string tables;
  std::uint32_t number = 0;
  for (const value_view each : fields.list("Parts")) {
    const status read = checkpoint_json::append_part(store, checkpoint_part_name(at, ++number), each, tables, bounds);
    if (!read) return read.error();
  }
  const result<value_view> parsed = parse_json(tables, memory, options);
  if (!parsed || parsed->kind() != kind::list)
    return error(errc::corrupt, concat({name, " has parts that are no list"}));
  checkpoint_json::read_tables(parsed->as_list(), fields, state);
  if (!fields.state()) return fields.state().error();
  return shared_snapshot(std::move(state));
}

// Whether the checkpoint of the state's version is that of this state; errc::corrupt if not.
template <object_store Store>
[[nodiscard]] status check_checkpoint(Store& store, const snapshot& state, const limits& bounds) {
  const result<shared_snapshot> read = read_checkpoint(store, state.at, bounds);
  if (!read) return read.error();
  if (checkpoint_json::write_head(**read) == checkpoint_json::write_head(state) &&
      checkpoint_json::write_tables(**read) == checkpoint_json::write_tables(state))
    return {};
  return error(errc::corrupt, concat({checkpoint_name(state.at), " is not that of the state at its version"}));
}

// Removes a checkpoint and what parts it has. One `list`.
template <removing_store Store>
[[nodiscard]] status remove_checkpoint(Store& store, version at) {
  if (const status removed = store.remove(checkpoint_name(at)); !removed) return removed;
  sequence<std::string> parts;
  const status listed = store.list(checkpoint_name(at), std::string_view(), [&](std::string_view name) {
    version of;
    std::int64_t part = 0;
    if (parse_checkpoint_part_name(name, of, part)) parts.emplace_back(name);
  });
  if (!listed) return listed;
  for (const std::string& each : parts)
    if (const status removed = store.remove(each); !removed) return removed;
  return {};
}

// Writes a checkpoint and makes sure that it can be read: one that was there already and is damaged, at two looks, is
// replaced, if the store can remove. Reads it back in full.
template <object_store Store>
[[nodiscard]] status ensure_checkpoint(Store& store, const snapshot& state, const limits& bounds,
                                       const backoff_options& options, const environment& surroundings) {
  const status written = write_checkpoint(store, state, bounds, options, surroundings);
  if (!written || state.at == version()) return written;
  status good = check_checkpoint(store, state, bounds);
  if constexpr (removing_store<Store>) {
    // At a second look: what was only read wrongly is not to be taken away from those who rely on it.
    if (!good && good.error().code() == errc::corrupt) good = check_checkpoint(store, state, bounds);
    if (good || good.error().code() != errc::corrupt) return good;
    if (const status removed = remove_checkpoint(store, state.at); !removed) return removed;
    if (const status again = write_checkpoint(store, state, bounds, options, surroundings); !again) return again;
    good = check_checkpoint(store, state, bounds);
  }
  return good;
}

}  // namespace tarn::inline TARN_ABI
