// Reading objects to find out whether they are good: what check.hpp does with each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../log/names.hpp"
#include "../log/table_state.hpp"
#include "../merge/bucket.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "../merge/strategy.hpp"
#include "check_bounds.hpp"
#include "check_report.hpp"
#include "client_core.hpp"
#include "keyed_bucket.hpp"
#include "object_reader.hpp"
#include "record_sources.hpp"

namespace tarn::inline TARN_ABI {

// Adds what it reads, and what is wrong with it, to a report. Memory: one object; a slice, that of its merge.
template <class Store, row_codec Codec>
class object_check {
 public:
  using core = client_core<Store, Codec>;

  // Both must outlive it.
  object_check(core& lake, check_report& report) : lake_(&lake), report_(&report) {}

  // An object of the bag `of`, which came with version `at`.
  void check_rows(const table_state& of, const data_object& object, version at) {
    const subject what{object, object_name(of.name, object.id), of.name, at};
    const table_state as_written = before_changes(of, object.schema_number);
    auto rows = object_reader<Store, Codec>::open(*lake_, as_written, object, lake_->options.bounds);
    if (!rows) return report_unopened(what, rows.error());
    bounds_check<> bounds(object, as_written.columns);
    std::uint64_t count = 0;
    for (; rows->next(); ++count) {
      if (const status good = check_kinds(as_written.columns, rows->row()); !good)
        return report_row(what, count, good.error().message());
      bounds.add(rows->row());
    }
    if (!rows->status()) return report_rows(what, rows->status().error().message());
    conclude(what, bounds, count, rows->byte_size());
  }

  // The same of a keyed table.
  void check_records(const table_state& of, const keyed_object& object, version at) {
    const subject what{object.object, object_name(of.name, object.object.id), of.name, at};
    auto records = record_source_of<Store, Codec>::open(*lake_, of, object);
    if (!records) return report_unopened(what, records.error());
    bounds_check<> bounds(object.object, of.columns);
    std::string scratch;
    std::string previous;
    std::uint64_t count = 0;
    for (; records->next(); ++count) {
      const list_view values = records->current().values;
      const std::string_view key = encode_key(values, of.key.columns, scratch);
      if (count > 0 && key <= previous) return report_row(what, count, "is not sorted by key");
      if (bucket_of(values, of.key.columns, of.key.buckets) != object.block.bucket)
        return report_row(what, count, concat({"has a key of another bucket than ", object.block.bucket}));
      if (records->current().done.then == key_state::live)
        if (const status good = check_kinds(of.columns, values); !good)
          return report_row(what, count, good.error().message());
      previous.assign(key);
      bounds.add(values);
    }
    if (!records->status()) return report_rows(what, records->status().error().message());
    conclude(what, bounds, count, records->byte_size());
  }

  // An object of a table that is not known, since the log is damaged: only its bytes can be verified.
  void check_bytes(std::string_view table, const data_object& object, version at) {
    const subject what{object, object_name(table, object.id), table, at};
    const auto bytes = object_bytes<Store>::get(lake_->store, what.name, what.object);
    const status good = bytes ? check_object_bytes(object, what.name, *bytes) : status(bytes.error());
    if (!good) return report_unopened(what, good.error());
    ++report_->objects;
    report_->rows += object.rows;
    report_->bytes += std::string_view(*bytes).size();
  }

  // The objects of a bucket may all be good, and the positions in one of them not be those of the rows in another.
  // Reads them once more.
  void check_positions(const table_state& of, const bucket_state& bucket) {
    if (bucket.base() == nullptr || bucket.objects.size() < 2) return;
    for (const keyed_object& each : bucket.objects)
      if (is_damaged(each.object.id)) return;
    const status merged = merge(of, bucket);
    if (merged) return;
    // Whose fault it is shows when each is merged alone.
    for (const keyed_object& each : bucket.objects) {
      if (&each == bucket.base()) continue;
      bucket_state pair;
      pair.objects = {*bucket.base(), each};
      pair.since = bucket.since;
      const status good = merge(of, pair);
      if (!good) report_positions(of.name, each, good.error());
    }
  }

  // In any order.
  [[nodiscard]] const sequence<uuid>& damaged() const noexcept { return damaged_; }

 private:
  struct subject {
    const data_object& object;
    std::string name;
    std::string_view table;
    version at;
  };

  // The table as it was when it had these columns, without its objects.
  [[nodiscard]] static table_state before_changes(const table_state& of, std::uint32_t schema_number) {
    table_state former;
    former.name = of.name;
    former.id = of.id;
    former.columns = of.schema_of(schema_number);
    for (std::uint32_t each = 0; each < schema_number; ++each)
      former.earlier_schemas.push_back(of.earlier_schemas[each]);
    return former;
  }

  [[nodiscard]] static status check_kinds(const schema& columns, const list_view& values) {
    for (std::size_t at = 0; at < columns.size(); ++at)
      if (!columns[at].takes(values[at].kind()))
        return error(errc::corrupt, concat({"has ", name_of(values[at].kind()), " in column '", columns[at].name,
                                            "', which does not take it"}));
    return {};
  }

  // Whatever the client's strategy: that positions may be used is what is checked.
  [[nodiscard]] status merge(const table_state& of, const bucket_state& bucket) {
    const keyed_bucket<Store, Codec, merge::by_position> slice(bucket, nullptr);
    std::uint64_t bytes = 0;
    auto merged = slice.open(*lake_, of, verification::of_positions, bytes);
    if (!merged) return merged.error();
    while (merged->next(true)) continue;
    return merged->status();
  }

  [[nodiscard]] bool is_damaged(const uuid& object) const noexcept {
    for (const uuid& each : damaged_)
      if (each == object) return true;
    return false;
  }

  void conclude(const subject& what, const bounds_check<>& bounds, std::uint64_t rows, std::uint64_t bytes) {
    ++report_->objects;
    report_->rows += rows;
    report_->bytes += bytes;
    const status good = bounds.conclude();
    if (!good)
      report(finding_kind::wrong_bounds, what,
             concat({"object ", what.name, ": ", good.error().message(),
                     "; scans with filters may leave out its rows: compact the table, which states bounds anew"}));
  }

  // Looks once more, since an error does not say in so many words what it is about.
  void report_unopened(const subject& what, const error& why) {
    finding_kind kind = finding_kind::damaged_object;
    const auto bytes = object_bytes<Store>::get(lake_->store, what.name, what.object);
    if (!bytes && bytes.error().code() == errc::not_found)
      return report_lost(finding_kind::missing_object, what,
                         concat({"object ", what.name, ", which the log names, is missing"}));
    if (why.code() == errc::unsupported)
      kind = finding_kind::unsupported;
    else if (bytes && what.object.described && check_object_bytes(what.object, what.name, *bytes))
      kind = finding_kind::wrong_rows;
    report_lost(kind, what, why.message());
  }
  void report_rows(const subject& what, std::string_view why) {
    report_lost(what.object.described ? finding_kind::wrong_rows : finding_kind::damaged_object, what, why);
  }
  void report_row(const subject& what, std::uint64_t number, std::string_view why) {
    report_rows(what, concat({"object ", what.name, ": its row ", number, " ", why}));
  }
  void report_lost(finding_kind kind, const subject& what, std::string_view why) {
    report(kind, what,
           concat({why, "; versions from ", what.at.number,
                   " on that have it cannot be read in full: put a good copy in its place, or restore a version that "
                   "does not have it"}));
  }
  void report_positions(std::string_view table, const keyed_object& block, const error& why) {
    const subject what{block.object, object_name(table, block.object.id), table, block.order.at};
    report(finding_kind::wrong_positions, what,
           concat({why.message(), "; a client with merge::by_key reads the right rows: compact the table with one"}));
  }

  void report(finding_kind kind, const subject& what, std::string_view why) {
    damaged_.push_back(what.object.id);
    report_->add(kind, what.name, what.at, what.table, why);
  }

  core* lake_;
  check_report* report_;
  sequence<uuid> damaged_;
};

}  // namespace tarn::inline TARN_ABI
