// What a transaction has read of one keyed table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../merge/key.hpp"

namespace tarn::inline TARN_ABI {

// A key that was looked up, found or not: that there is none is an answer too.
struct read_key {
  std::string key;  // see encode_key
  std::uint32_t bucket = 0;
};

// Keys and ranges of keys, up to a limit; then the whole table. A value. Not thread-safe to change.
class read_set {
 public:
  [[nodiscard]] bool empty() const noexcept { return !whole_ && keys_.empty() && ranges_.empty(); }
  // Whether anything that is written to the table changes what was read.
  [[nodiscard]] bool is_whole() const noexcept { return whole_; }
  // In order, each once, after `sort`.
  [[nodiscard]] const sequence<read_key>& keys() const noexcept { return keys_; }
  [[nodiscard]] const sequence<key_range>& ranges() const noexcept { return ranges_; }

  // Ranges are bounded: all keys are the whole table. `count_max`: how many keys and ranges it may have. Amortised
  // O(log n) comparisons; memory: up to twice as many keys.
  template <class = void>
  void add_key(std::uint32_t bucket, std::string_view key, std::size_t count_max) {
    if (whole_) return;
    keys_.push_back({std::string(key), bucket});
    if (keys_.size() / 2 >= count_max) make_room(count_max);
  }
  template <class = void>
  void add_range(key_range read, std::size_t count_max) {
    if (whole_) return;
    ranges_.push_back(std::move(read));
    if (ranges_.size() > count_max) widen();
  }

  // To be called before it is compared.
  template <class = void>
  void sort(std::size_t count_max) {
    if (!whole_) make_room(count_max);
  }

 private:
  // Keys are often read again and again: the limit counts each once.
  template <class = void>
  void make_room(std::size_t count_max) {
    tarn::sort(keys_.begin(), keys_.size(), [](const read_key& a, const read_key& b) { return a.key < b.key; });
    std::size_t kept = 0;
    for (std::size_t at = 0; at < keys_.size(); ++at) {
      if (kept > 0 && keys_[at].key == keys_[kept - 1].key) continue;
      if (kept != at) keys_[kept] = std::move(keys_[at]);
      ++kept;
    }
    keys_.shrink(kept);
    if (keys_.size() + ranges_.size() > count_max) widen();
  }
  template <class = void>
  void widen() {
    whole_ = true;
    keys_ = {};
    ranges_ = {};
  }

  sequence<read_key> keys_;
  sequence<key_range> ranges_;
  bool whole_ = false;
};

}  // namespace tarn::inline TARN_ABI
