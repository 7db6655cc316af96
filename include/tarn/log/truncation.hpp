// Truncation: the log's beginning, given up. What remains begins at a checkpoint.
//
//   before    0   1   2  ...  100  101  ...  200  201           checkpoints at 100 and 200
//   marker    "the log up to 100 is gone; go on from checkpoint 100 or 200; these transactions were 0 to 100"
//   after                           101  ...  200  201
//
// The marker is put before anything is removed, and is the k-th one: its number is taken with put-if-absent, so that
// there are no gaps, and whoever has seen k - 1 finds the k-th with one `get`. From then on whatever is in a slot up to
// its version is garbage: a writer that slept through the truncation may fill one. It cannot do more harm: the log
// never ends at the marker's version, and the entry after that is linked to the real one, not to garbage. So who has
// read garbage, or has put its entry among it, finds either a broken chain or the marker; that is why nothing is
// believed and nothing is reported before the next marker has been looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/json_parser.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../store/store.hpp"
#include "json_fields.hpp"
#include "names.hpp"
#include "sealed_json.hpp"

namespace tarn::inline TARN_ABI {

inline constexpr std::int64_t marker_format = 1;

// What a truncation has done.
struct truncation_marker {
  version first;                  // of the slots that it has emptied
  version last;                   // ... and all up to this one
  sequence<version> checkpoints;  // not before `last`: at least one of them was intact
  sequence<uuid> transactions;    // of the entries `first` to `last`; nil: the article's program wrote it

  // Which of these entries was this transaction's; -1: none. Those of the article's program have none to tell them by.
  template <class = void>
  [[nodiscard]] version slot_of(const uuid& transaction) const noexcept {
    if (transaction.is_nil()) return {};
    for (std::size_t place = 0; place < transactions.size(); ++place)
      if (transactions[place] == transaction) return {first.number + static_cast<std::int64_t>(place)};
    return {};
  }
};

// What a client knows of where a lake's log begins and how far it reaches.
struct log_extent {
  version listed;                 // the newest version that a listing has named: the log does not end before it
  std::int64_t markers = 0;       // how many truncations there were: the number of the next one's marker
  version truncated;              // slots up to this one are garbage; -1: none
  sequence<version> checkpoints;  // that the latest marker relies on
};

template <class = void>
[[nodiscard]] std::string write_marker(const truncation_marker& marker) {
  std::string out = concat({R"({"Truncation":)", marker_format, R"(,"FirstVersion":)", marker.first.number,
                            R"(,"LastVersion":)", marker.last.number, R"(,"Checkpoints":[)"});
  for (const version each : marker.checkpoints) out += concat({out.back() == '[' ? "" : ",", each.number});
  append_text(out, R"(],"Transactions":[)");
  for (const uuid& each : marker.transactions) out += concat({out.back() == '[' ? "\"" : ",\"", to_text(each), "\""});
  out += ']';
  append_seal(out);
  return out;
}

// errc::corrupt for what is no marker. `name` is what messages call it.
template <class = void>
[[nodiscard]] result<truncation_marker> read_marker(std::string_view bytes, std::string_view name) {
  if (!is_sealed(bytes)) return error(errc::corrupt, concat({name, " is damaged: it does not end with its checksum"}));
  arena memory;
  const result<value_view> document = parse_json(bytes, memory);
  if (!document) return error(errc::corrupt, concat({name, " is not JSON: ", document.error().message()}));
  json_fields fields(*document, name);
  truncation_marker read;
  if (const std::int64_t format = fields.integer("Truncation", 1); format > marker_format)
    return error(errc::unsupported, concat({name, " has format ", format, ": use a newer tarn"}));
  read.first = {fields.integer("FirstVersion", 0)};
  read.last = {fields.integer("LastVersion", 0)};
  for (const value_view each : fields.list("Checkpoints")) {
    if (each.kind() != kind::integer || each.as_integer() < read.last.number)
      fields.complain("relies on a checkpoint that does not come after what is gone");
    else
      read.checkpoints.push_back({each.as_integer()});
  }
  for (const std::string& each : fields.strings("Transactions")) {
    uuid id;
    if (!parse_uuid(each, id)) fields.complain(concat({"names the transaction '", each, "'"}));
    read.transactions.push_back(id);
  }
  if (fields.state() &&
      (read.last < read.first || read.checkpoints.empty() ||
       read.transactions.size() != static_cast<std::uint64_t>(read.last.number - read.first.number) + 1))
    fields.complain("does not name the transaction of each entry that is gone, and a checkpoint");
  if (!fields.state()) return fields.state().error();
  return read;
}

// The marker of the truncation with this number; errc::not_found if there is none. One `get`.
template <object_store Store>
[[nodiscard]] result<truncation_marker> get_marker(Store& store, std::int64_t number) {
  const std::string name = marker_name(number);
  const auto bytes = store.get(name);
  if (!bytes) return bytes.error();
  return read_marker(*bytes, name);
}

// Learns what the marker of the truncation `number` says, which must be the latest that is known.
template <class = void>
void note_truncation(log_extent& extent, std::int64_t number, const truncation_marker& marker) {
  extent.markers = number + 1;
  extent.truncated = marker.last;
  extent.checkpoints = marker.checkpoints;
}

// Brings what is known of truncations up to date. One `get` that finds nothing, and one for each that is new. A store
// that cannot remove has none.
template <object_store Store>
[[nodiscard]] status find_truncations(Store& store, log_extent& extent) {
  if constexpr (removing_store<Store>) {
    for (;;) {
      const result<truncation_marker> next = get_marker(store, extent.markers);
      if (!next && next.error().code() == errc::not_found) return {};
      if (!next) return next.error();
      note_truncation(extent, extent.markers, *next);
    }
  }
  return {};
}

// The same for a client that knows nothing yet: a listing saves it most of the markers before the last, and tells of
// later ones if the next is lost. Names that the store lists and does not have cost a `get` each.
template <object_store Store>
[[nodiscard]] status list_truncations(Store& store, log_extent& extent) {
  if constexpr (removing_store<Store>) {
    const result<truncation_marker> next = get_marker(store, extent.markers);
    // One that is lost, damaged or a newer tarn's is in nobody's way if there is a later one.
    const bool is_missing = !next && next.error().code() == errc::not_found;
    const bool is_unreadable =
        !next && (next.error().code() == errc::corrupt || next.error().code() == errc::unsupported);
    if (!next && !is_missing && !is_unreadable) return next.error();
    if (next) note_truncation(extent, extent.markers, *next);
    sequence<std::int64_t> numbers;
    const status listed = store.list(marker_prefix, std::string_view(), [&](std::string_view name) {
      std::int64_t number = 0;
      if (parse_marker_name(name, number) && number >= extent.markers) numbers.push_back(number);
    });
    if (!listed) return listed;
    if (is_missing && numbers.empty()) return {};
    sort(numbers.begin(), numbers.size(), [](std::int64_t a, std::int64_t b) { return a < b; });
    for (std::size_t at = numbers.size(); at-- > 0;) {
      const result<truncation_marker> found = get_marker(store, numbers[at]);
      if (!found && found.error().code() == errc::not_found) continue;
      if (!found) return found.error();  // it may be one that the store does not have
      note_truncation(extent, numbers[at], *found);
      break;
    }
  }
  return find_truncations(store, extent);
}

// What became of a transaction that may have been committed in a slot that a truncation has emptied since, in `first`
// or a later one: its version; -1 if it was not. One `get` for each truncation that has emptied such slots.
template <object_store Store>
[[nodiscard]] result<version> find_emptied_slot(Store& store, const log_extent& extent, const uuid& transaction,
                                                version first) {
  for (std::int64_t number = extent.markers; number-- > 0;) {
    const result<truncation_marker> marker = get_marker(store, number);
    if (!marker) return marker.error();
    const version slot = marker->slot_of(transaction);
    if (slot != version() || marker->first <= first) return slot;
  }
  return version();
}

}  // namespace tarn::inline TARN_ABI
