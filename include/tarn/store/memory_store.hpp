// A store in memory: for tests, caches and programs whose lake need not outlive them. Thread-safe.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/lock.hpp"
#include "../core/shared.hpp"
#include "fwd.hpp"
#include "shared_bytes.hpp"
#include "store.hpp"

namespace tarn::inline TARN_ABI {

// Copies share their objects, which live as long as any copy. A call costs O(log objects); `put_if_absent` copies the
// bytes once, `get` not at all. A moved-from store may only be destroyed or assigned to.
class memory_store {
 public:
  using handle = shared_bytes;
  static constexpr store_strengths strengths{.complete_list = true, .thread_safe = TARN_HAS_THREADS != 0};

  memory_store() : content_(shared<content>::make()) {}

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!is_store_name(name)) return put_result::not_applied(refused_name(name));
    object made{std::string(name), shared_bytes(bytes)};  // copied before the lock, which is then held for a moment
    const scoped_lock hold(content_->guard);
    const bool inserted = content_->objects.insert(std::move(made)).second;
    return inserted ? put_result::created() : put_result::already_exists();
  }

  [[nodiscard]] result<handle> get(std::string_view name) const {
    if (!is_store_name(name)) return refused_name(name);
    const scoped_lock hold(content_->guard);
    const auto found = content_->objects.find(name);
    if (found == content_->objects.end()) return error{errc::not_found, concat("there is no object ", name)};
    return found->bytes;
  }

  // In byte order. The visitor may call this store: names that come or go meanwhile are listed or not, all others are.
  template <class Visitor>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visitor&& visit) const {
    std::string name(start_after);
    // Names with the prefix follow each other, beginning at the prefix itself.
    bool may_equal = prefix > start_after;
    if (may_equal) name = prefix;
    while (find_next(name, may_equal) && name.starts_with(prefix)) {
      visit(std::string_view(name));
      may_equal = false;
    }
    return {};
  }

  // Handles that `get` has returned stay valid.
  [[nodiscard]] status remove(std::string_view name) {
    if (!is_store_name(name)) return refused_name(name);
    const scoped_lock hold(content_->guard);
    const auto found = content_->objects.find(name);
    if (found != content_->objects.end()) content_->objects.erase(found);
    return {};
  }

 private:
  struct object {
    std::string name;
    shared_bytes bytes;
  };
  struct by_name {
    using is_transparent = void;
    bool operator()(const object& a, const object& b) const noexcept { return a.name < b.name; }
    bool operator()(const object& a, std::string_view b) const noexcept { return a.name < b; }
    bool operator()(std::string_view a, const object& b) const noexcept { return a < b.name; }
  };
  struct content {
    mutex guard;
    std::set<object, by_name> objects;
  };

  // Makes `name` the first name after it, or from it on; false if there is none. A list takes the lock for one name at
  // a time: no iterator has to outlive a change of the set, and the visitor runs without the lock.
  [[nodiscard]] bool find_next(std::string& name, bool may_equal) const {
    const scoped_lock hold(content_->guard);
    const auto next = may_equal ? content_->objects.lower_bound(std::string_view(name))
                                : content_->objects.upper_bound(std::string_view(name));
    if (next == content_->objects.end()) return false;
    name = next->name;
    return true;
  }

  shared<content> content_;
};

}  // namespace tarn::inline TARN_ABI
