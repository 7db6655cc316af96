// Writing rows of one table in a transaction: what each kind of write reads and changes of the table's pending state,
// and which of its errors leave nothing to do but to roll back.
#pragma once

#include <cstddef>
#include <string>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"
#include "../merge/bucket.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "../merge/strategy.hpp"
#include "bag_row.hpp"
#include "changed_row.hpp"
#include "client_core.hpp"
#include "conflict.hpp"
#include "keyed_scan.hpp"
#include "object_flushes.hpp"
#include "pending_table.hpp"
#include "read_set.hpp"
#include "row_check.hpp"
#include "scan.hpp"

namespace tarn::inline TARN_ABI {

// What it is made of belongs to the transaction and must outlive it.
template <class Store, row_codec Codec, merge_strategy Merge>
class row_writes {
 public:
  using core = client_core<Store, Codec>;
  using pending = pending_table<Store, Codec, Merge>;
  using row_scan = table_scan<Store, Codec, Merge>;

  // `failure` becomes the error after which the transaction can only be rolled back.
  row_writes(core& lake, const shared_snapshot& state, isolation level, object_flushes<Store, Codec>& flushes,
             status& failure) noexcept
      : lake_(&lake), snapshot_(&state), level_(level), flushes_(&flushes), failure_(&failure) {}

  [[nodiscard]] status fail_with(const error& why) {
    *failure_ = why;
    return why;
  }

  [[nodiscard]] status flush(pending& slot) {
    if (!slot.exists()) return {};
    const status flushed = slot.is_keyed() ? slot.keys().flush(*lake_, *slot.state(), *snapshot_, *flushes_)
                                           : slot.rows().flush(*lake_, *slot.state(), *flushes_);
    return flushed ? flushed : fail_with(flushed.error());
  }

  // From then on, whether there is a row with the key of `values`, and what is in it, is part of what was read.
  void note_key(read_set& reads, const pending& slot, const list_view& values) {
    const table_key& key = slot.state()->key;
    std::string scratch;
    reads.add_key(bucket_of(values, key.columns, key.buckets), encode_key(values, key.columns, scratch),
                  bounds().read_keys_max);
  }
  // The same for a key that must be as it is at the commit too, whatever the level. Once it is written, that is a
  // matter of the write, but for level non_blocking: inserting many rows widens no read set.
  void note_validated(pending& slot, const list_view& values, const status& written) {
    if (!written || level_ == isolation::non_blocking) note_key(slot.access.validated, slot, values);
  }

  // Of a keyed table: whether or not there are others with their keys.
  template <class Rows>
  [[nodiscard]] status upsert(pending& slot, const Rows& rows) {
    if (const status good = check_rows(rows, *slot.state(), bounds()); !good) return good;
    return write_each(slot, rows);
  }

  // All rows or, if there is something wrong with any of them, none.
  template <class Rows>
  [[nodiscard]] status insert(pending& slot, const Rows& rows) {
    if (const status good = check_rows(rows, *slot.state(), bounds()); !good) return good;
    return slot.is_keyed() ? insert_keys(slot, rows) : append_each(slot, rows);
  }

  // The row that the scan stands on; in a keyed table, nothing has written it since the scan began.
  [[nodiscard]] status update_seen(pending& slot, const row_scan& standing_on, const column_changes& changes) {
    const row_view seen = standing_on.row();
    const row before(seen.begin(), seen.end());
    if (!slot.is_keyed()) return replace(slot, standing_on.place_in_bag(), before, changes);
    const status done = write_changed(slot, before, changes, standing_on.place());
    note_validated(slot, seen.values(), done);
    return done;
  }

  // What has been flushed of a table can be read only once it is in the store.
  [[nodiscard]] status finish_flushes(const pending& slot) {
    const status done = flushes_->finish(slot.name());
    return done ? done : fail_with(done.error());
  }

  [[nodiscard]] status write(pending& slot, const operation& done, const list_view& values, const keyed_place& place) {
    slot.access.wrote = true;
    const status written = slot.keys().write(*lake_, *slot.state(), *snapshot_, done, values, place, *flushes_);
    return written ? written : fail_with(written.error());
  }

  [[nodiscard]] status write_changed(pending& slot, const row& before, const column_changes& changes,
                                     const keyed_place& place) {
    const result<row> after = changed_row(*slot.state(), before, changes, bounds());
    if (!after) return after.error();
    return write(slot, {false, key_state::live}, *after, place);
  }

 private:
  [[nodiscard]] const limits& bounds() const noexcept { return lake_->options.bounds; }

  // A row of a bag by what it is changed to.
  [[nodiscard]] status replace(pending& slot, const bag_row& place, const row& before, const column_changes& changes) {
    if (slot.deletions()->contains(place))
      return error(errc::not_found, concat({"the row of table ", slot.name(),
                                            " was deleted or updated by this transaction since the scan began"}));
    const result<row> after = changed_row(*slot.state(), before, changes, bounds());
    if (!after) return after.error();
    if (const status appended = append(slot, *after); !appended)
      return appended.error().within(concat({"table ", slot.name()}));
    slot.deletions().writable().add(place, slot.rows().last_row());
    return {};
  }

  // To a bag. After an error the row is not there; if that was in making room for it, all is lost.
  [[nodiscard]] status append(pending& slot, const row_view& values) {
    slot.access.appended = true;
    const status room = slot.rows().make_room(*lake_, *slot.state(), (*snapshot_)->time, *flushes_);
    return room ? slot.rows().append(values) : fail_with(room.error());
  }

  template <class Rows>
  [[nodiscard]] status write_each(pending& slot, const Rows& rows) {
    for (const row_view each : rows)
      if (const status written = write(slot, {false, key_state::live}, each.values(), {}); !written) return written;
    return {};
  }

  // All are looked up before any is written, so that all are inserted or none.
  template <class Rows>
  [[nodiscard]] status insert_keys(pending& slot, const Rows& rows) {
    if (const status done = finish_flushes(slot); !done) return done;
    const status fresh = slot.keys().check_new(*lake_, *slot.state(), rows);
    for (const row_view each : rows) note_validated(slot, each.values(), fresh);
    if (!fresh) return fresh;
    return write_each(slot, rows);
  }

  template <class Rows>
  [[nodiscard]] status append_each(pending& slot, const Rows& rows) {
    std::size_t inserted = 0;
    for (const auto& each : rows) {
      if (const status appended = append(slot, each); !appended) {
        if (!*failure_) return appended;
        const error why = appended.error().within(describe_row(inserted, rows.size(), slot.name()));
        return inserted == 0 ? why : fail_with(why);
      }
      ++inserted;
    }
    return {};
  }

  core* lake_;
  const shared_snapshot* snapshot_;
  isolation level_;
  object_flushes<Store, Codec>* flushes_;
  status* failure_;
};

}  // namespace tarn::inline TARN_ABI
