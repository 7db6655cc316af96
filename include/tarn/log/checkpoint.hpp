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
#include "../codec/json_walk.hpp"
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
#include "../core/value.hpp"
#include "../store/put_object.hpp"
#include "../store/store.hpp"
#include "application.hpp"
#include "inline_objects.hpp"
#include "json_fields.hpp"
#include "listed_objects.hpp"
#include "names.hpp"
#include "sealed_json.hpp"
#include "snapshot.hpp"
#include "table_map.hpp"
#include "table_reader.hpp"
#include "table_state.hpp"
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
  if (state.inline_bytes_max > 0) out += concat({R"(,"InlineBytesMax":)", state.inline_bytes_max});
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
  if (fields.has("InlineBytesMax")) state.inline_bytes_max = table_json::read_number32(fields, "InlineBytesMax", 0);
}

// Reads tables from a text into a state.
template <class = void>
class tables_reader {
 public:
  // The rest of the list of tables that the parser has entered. False if it is no JSON, which the parser's failure
  // tells.
  [[nodiscard]] bool read(json_parser<>& parser) {
    return walk_list(parser, [&] { return read_table(parser); });
  }

  // Gives them to the state. Complains to the checkpoint's fields if they cannot be, though they are JSON.
  void move_to(snapshot& state, json_fields<>& fields) {
    state.tables = std::move(tables_);
    if (!outcome_) fields.complain(outcome_.error().message(), outcome_.error().code());
  }

 private:
  [[nodiscard]] bool read_table(json_parser<>& parser) {
    memory_.clear();
    listed_objects listed;
    value_view object;
    if (parser.enter_map()) {
      const auto read_member = [&](std::string_view key, value_view& content) {
        const bool of_bag = key == "Objects";
        if ((!of_bag && key != "KeyedObjects") || !parser.enter_list()) return read_value(parser, content);
        content = list_view();
        return of_bag ? objects_.read(parser, listed.of_bag, listed.of_bag_read)
                      : objects_.read(parser, listed.of_buckets, listed.of_buckets_read);
      };
      if (!walk_map(parser, memory_, members_, read_member)) return false;
      object = map_view(list_view(members_.data(), members_.size()));
    } else if (!read_value(parser, object)) {
      return false;
    }
    if (outcome_) outcome_ = add_table(object, std::move(listed));
    return true;
  }

  [[nodiscard]] bool read_value(json_parser<>& parser, value_view& read) {
    const result<value_view> parsed = parser.parse(memory_);
    if (parsed) read = *parsed;
    return parsed.has_value();
  }

  [[nodiscard]] status add_table(value_view object, listed_objects listed) {
    json_fields fields(object, "a table");
    table_state read = read_table_state(fields, std::move(listed));
    if (!fields.state()) return fields.state();
    const std::string name = read.name;
    if (tables_.find(name) != nullptr) return error(errc::corrupt, concat({"has the table ", name, " twice"}));
    tables_.find_or_insert(name, std::move(read));
    return {};
  }

  table_map<copy_on_write<table_state>> tables_;
  status outcome_;
  arena memory_;  // of one table, but for its objects
  sequence<value_view> members_;
  listed_objects_reader<> objects_;
};

inline constexpr json_options text_options{.escapes = json_escapes::tarn};

// All of a checkpoint: its tables to `tables`, its other members to `members`, whose values are in `memory`. False if
// it is no JSON, which the parser's failure tells.
template <class = void>
[[nodiscard]] bool read_text(json_parser<>& parser, arena& memory, sequence<value_view>& members,
                             tables_reader<>& tables) {
  const auto read_member = [&](std::string_view key, value_view& content) {
    if (key == "Tables" && parser.enter_list()) {
      content = list_view();
      return tables.read(parser);
    }
    const result<value_view> parsed = parser.parse(memory);
    if (parsed) content = *parsed;
    return parsed.has_value();
  };
  if (!parser.enter_map()) return fail_walk(parser, "'{'");
  if (!walk_map(parser, memory, members, read_member)) return false;
  return parser.at_end() || fail_walk(parser, "the end of the text");
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

// The tables of a checkpoint that has them in parts.
template <object_store Store>
[[nodiscard]] status read_parts(Store& store, version at, json_fields<>& fields, tables_reader<>& tables,
                                const limits& bounds) {
  std::string text;
  std::uint32_t number = 0;
  for (const value_view each : fields.list("Parts"))
    if (const status read = append_part(store, checkpoint_part_name(at, ++number), each, text, bounds); !read)
      return read;
  json_parser<> parser(text, text_options);
  if (!parser.enter_list() || !tables.read(parser) || !parser.at_end()) fields.complain("has parts that are no list");
  return fields.state();
}

}  // namespace checkpoint_json

// Puts the state into the store as a checkpoint: the objects that travel in the log and the parts of a large one first,
// so that what names them has them all. One put, or one more for each of those objects and for every
// limits::checkpoint_part_bytes. Memory: the text.
template <object_store Store>
[[nodiscard]] status write_checkpoint(Store& store, const snapshot& state, const limits& bounds,
                                      const backoff_options& options, const environment& surroundings) {
  if (state.at == version()) return {};  // the empty lake
  if (const status put = put_inline_objects(store, state, options, surroundings); !put) return put;
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
// Memory: the text and the state.
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
  sequence<value_view> members;
  checkpoint_json::tables_reader tables;
  json_parser<> parser(text, checkpoint_json::text_options);
  if (!checkpoint_json::read_text(parser, memory, members, tables))
    return error(errc::corrupt, concat({name, " is not JSON: ", parser.failure().message()}));
  json_fields fields(map_view(list_view(members.data(), members.size())), name);
  snapshot state;
  checkpoint_json::read_head(fields, state);
  if (state.at != at) fields.complain(concat({"is that of version ", state.at.number}));
  if (!fields.state()) return fields.state().error();
  if (fields.has("Parts")) {
    tables = {};
    const status read = checkpoint_json::read_parts(store, at, fields, tables, bounds);
    if (!read) return read.error();
  } else {
    (void)fields.list("Tables");
  }
  tables.move_to(state, fields);
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
