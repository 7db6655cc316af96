// The writes of a transaction to one bucket that are not in an object yet: one record for each key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/sort.hpp"
#include "../core/table_key.hpp"
#include "../core/text_prefix.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../core/value_copy.hpp"
#include "../merge/bucket.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "../merge/record.hpp"

namespace tarn::inline TARN_ABI {

// A record whose key and values are in some buffer's memory.
struct buffered_record {
  std::string_view key;
  record content;
  uuid base;                  // that its place, if it is known, was counted in
  std::uint64_t written = 0;  // when: the number of the transaction's latest write of it to the table
};

// Records, and a share in the memory that they look into.
struct buffered_records {
  shared<arena> memory;
  sequence<buffered_record> records;  // sorted by key
};

// Such records as the rows of a delta, see merge/record.hpp. Models row_cursor.
class buffered_rows {
 public:
  explicit buffered_rows(buffered_records records) : records_(std::move(records)) {}

  template <class = void>
  [[nodiscard]] bool next() {
    row_.clear();
    if (next_ == records_.records.size()) return false;
    const record& each = records_.records[next_++].content;
    row_.emplace_back(encode_operation(each.done));
    row_.emplace_back(encode_place(each.place));
    for (const value_view& value : each.values) row_.push_back(value);
    return true;
  }
  [[nodiscard]] list_view row() const noexcept { return {row_.data(), row_.size()}; }
  [[nodiscard]] tarn::status status() const noexcept { return {}; }

 private:
  buffered_records records_;
  std::size_t next_ = 0;
  sequence<value_view> row_;
};

// A record of a buffer, and the beginning of its key: mostly it decides how two compare.
struct ordered_record {
  std::uint64_t prefix;  // see `prefix_of`
  const buffered_record* record;
};

// Memory: what was written, until `clear`, also what was written over. Not thread-safe.
class record_buffer {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] bool empty() const noexcept { return records_.empty(); }
  // Of all that was written, also of what was written over.
  [[nodiscard]] std::size_t byte_size() const noexcept { return memory_ ? memory_->byte_size() : 0; }
  // Whether the record of some key resets it.
  [[nodiscard]] bool resets() const noexcept { return resets_; }

  // Null if nothing was written under this key.
  template <class = void>
  [[nodiscard]] const buffered_record* find(std::string_view key) const noexcept {
    if (slots_.empty()) return nullptr;
    const std::uint32_t found = slots_[slot_of(key, hash_of(key))].record;
    return found == 0 ? nullptr : &records_[found - 1];
  }

  // Folds one more write, its `number`th, into what the transaction has done to the key. `where` is the key's place in
  // the object `base`, if it is known. The values are copied.
  template <class = void>
  void write(const operation& done, const list_view& values, const table_key& of, const base_place& where,
             const uuid& base, std::uint64_t number) {
    if (!memory_) memory_ = shared<arena>::make();
    if (2 * (records_.size() + 1) > slots_.size()) grow();
    const std::string_view key = encode_key(values, of.columns, scratch_);
    const std::uint32_t hash = hash_of(key);
    slot& found = slots_[slot_of(key, hash)];
    if (found.record == 0) {
      buffered_record& added = records_.emplace_back();
      added.key = copy_text(key, *memory_);
      if (done.then == key_state::nothing) added.content.values = keep(values);  // what has the key
      found = {hash, static_cast<std::uint32_t>(records_.size())};
    }
    buffered_record& mine = records_[found.record - 1];
    compose(mine.content, done, values, of);
    mine.written = number;
    if (where.known) {
      mine.content.place = where;
      mine.base = base;
    }
    resets_ = resets_ || done.resets;
  }

  // All records, sorted by key: until the next write.
  template <class = void>
  [[nodiscard]] sequence<ordered_record> in_order() const {
    sequence<ordered_record> all;
    all.reserve(records_.size());
    for (const buffered_record& each : records_) all.push_back({prefix_of(each.key), &each});
    sort(all.begin(), all.size(), [](const ordered_record& a, const ordered_record& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix : a.record->key < b.record->key;
    });
    return all;
  }
  // The same, as they are now, whatever is written afterwards.
  template <class = void>
  [[nodiscard]] buffered_records sorted() const {
    buffered_records all;
    all.memory = memory_;
    all.records.reserve(records_.size());
    for (const ordered_record& each : in_order()) all.records.push_back(*each.record);
    return all;
  }

  template <class = void>
  void clear() {
    *this = {};
  }

 private:
  // One record for what two have done, one after the other: fold(fold(s, a), b) is fold(s, compose(a, b)) for all s.
  template <class = void>
  void compose(record& mine, const operation& done, const list_view& values, const table_key& of) {
    if (done.resets) mine.done = {true, key_state::nothing};
    if (done.then == key_state::nothing || !counts_after({mine.done.then, mine.values}, values, of)) return;
    mine.done.then = done.then;
    mine.values = keep(values);
  }

  template <class = void>
  [[nodiscard]] list_view keep(const list_view& values) {
    return copy_values(values, *memory_);
  }

  struct slot {
    std::uint32_t hash = 0;
    std::uint32_t record = 0;  // its number, counted from 1; 0: free
  };

  [[nodiscard]] static std::uint32_t hash_of(std::string_view key) noexcept { return murmur3_x86_32(key, hash_seed); }

  // The slot that has the key, or the free one that it would be in. Open addressing, at most half full.
  template <class = void>
  [[nodiscard]] std::size_t slot_of(std::string_view key, std::uint32_t hash) const noexcept {
    return find_slot(hash, [&](const slot& each) { return each.hash == hash && records_[each.record - 1].key == key; });
  }
  template <class Sought>
  [[nodiscard]] std::size_t find_slot(std::uint32_t hash, Sought is_sought) const noexcept {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].record != 0 && !is_sought(slots_[at])) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  template <class = void>
  void grow() {
    const sequence<slot> before = std::move(slots_);
    const std::size_t size = before.empty() ? 16 : 2 * before.size();
    slots_ = {};
    slots_.reserve(size);
    while (slots_.size() < size) slots_.emplace_back();
    for (const slot& each : before)
      if (each.record != 0) slots_[find_slot(each.hash, [](const slot&) { return false; })] = each;
  }

  // Not the buckets' own, by which all keys here have something in common.
  static constexpr std::uint32_t hash_seed = 0x7461'726eU;

  shared<arena> memory_;
  sequence<buffered_record> records_;
  sequence<slot> slots_;  // by hash of the key
  std::string scratch_;
  bool resets_ = false;
};

}  // namespace tarn::inline TARN_ABI
