// What the store of an exploration holds: objects in memory that are put back, before each of very many runs, to what
// they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../../store/memory_store.hpp"
#include "../../store/shared_bytes.hpp"
#include "../hash.hpp"
#include "store_call.hpp"

namespace tarn::inline TARN_ABI::testing {

// Names that a run has used are kept for the next ones, since those use the same: finding one costs O(log names), and
// beginning anew costs O(objects that the last run touched), without any allocation. Bytes are shared.
class explored_content {
 public:
  struct object {
    std::optional<shared_bytes> bytes;    // nothing: there is no such object
    std::optional<shared_bytes> initial;  // when a run begins
    std::uint64_t hash = 0;               // of the name and the bytes
    bool touched = false;                 // in this run
  };
  using named_object = std::map<std::string, object, std::less<>>::value_type;

  explicit explored_content(const memory_store& initial) {
    std::vector<std::string> names;
    // A memory_store fails for names only that it has not listed.
    (void)initial.list("", "", [&](std::string_view name) { names.emplace_back(name); });
    for (const std::string& name : names) {
      named_object& made = named(name);
      made.second.initial = *initial.get(name);
      set(made, made.second.initial);
      made.second.touched = false;
    }
    touched_.clear();
  }

  // Makes the content what it was at first.
  void reset() {
    for (named_object* each : touched_) {
      set(*each, each->second.initial);
      each->second.touched = false;
    }
    touched_.clear();
  }

  // The object of this name, whether it exists or not. Stays where it is.
  [[nodiscard]] named_object& named(std::string_view name) {
    const auto found = objects_.lower_bound(name);
    if (found != objects_.end() && found->first == name) return *found;
    return *objects_.emplace_hint(found, std::string(name), object{});
  }

  // False, and nothing was changed, if it exists.
  bool put(named_object& into, std::string_view bytes) {
    if (into.second.bytes) return false;
    set(into, shared_bytes(bytes));
    return true;
  }
  // False if there was none.
  bool remove(named_object& gone) {
    if (!gone.second.bytes) return false;
    set(gone, {});
    return true;
  }
  // In byte order.
  template <class Visitor>
  void list(std::string_view prefix, std::string_view start_after, Visitor&& visit) const {
    auto at = prefix > start_after ? objects_.lower_bound(prefix) : objects_.upper_bound(start_after);
    for (; at != objects_.end() && std::string_view(at->first).starts_with(prefix); ++at)
      if (at->second.bytes) visit(std::string_view(at->first));
  }

  // Of all objects there are: equal for equal contents.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  void set(named_object& into, std::optional<shared_bytes> bytes) {
    object& changed = into.second;
    if (changed.bytes) hash_ -= changed.hash;
    changed.bytes = std::move(bytes);
    if (changed.bytes) changed.hash = mix(hash_of(into.first), hash_of(*changed.bytes));
    if (changed.bytes) hash_ += changed.hash;
    if (changed.touched) return;
    changed.touched = true;
    touched_.push_back(&into);
  }

  std::map<std::string, object, std::less<>> objects_;
  std::vector<named_object*> touched_;
  std::uint64_t hash_ = 0;  // a sum, so that it does not depend on the order of changes
};

}  // namespace tarn::inline TARN_ABI::testing
