// A store in memory: for tests, caches and programs whose lake need not outlive them. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/lock.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "fwd.hpp"
#include "object_map.hpp"
#include "shared_bytes.hpp"
#include "store.hpp"

namespace tarn::inline TARN_ABI {

// Copies share their objects, which live as long as any copy. A call costs O(log objects); `put_if_absent` copies the
// bytes once, `get` not at all. A moved-from store may only be destroyed or assigned to.
class memory_store {
 public:
  using handle = shared_bytes;
  static constexpr store_strengths strengths{.complete_list = true, .thread_safe = TARN_HAS_THREADS != 0};

  template <class = void>
  memory_store() : content_(shared<content>::make()) {}

  template <class = void>
  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!is_store_name(name)) return put_result::not_applied(refused_name(name));
    shared_bytes copied(bytes);  // before the lock, which is then held for a moment only
    const scoped_lock hold(content_->guard);
    return content_->objects.insert(name, std::move(copied)) ? put_result::created() : put_result::already_exists();
  }

  template <class = void>
  [[nodiscard]] result<handle> get(std::string_view name) const {
    if (!is_store_name(name)) return refused_name(name);
    const scoped_lock hold(content_->guard);
    const object_map<>::object* const found = content_->objects.find(name);
    if (found == nullptr) return error{errc::not_found, concat({"there is no object ", name})};
    return found->bytes;
  }

  // In byte order. The visitor may call this store: names that come or go meanwhile are listed or not, all others are.
  template <class Visitor>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visitor&& visit) const {
    // Names with the prefix follow each other; the prefix itself, as a name, is the first of them.
    const bool from_prefix = prefix > start_after;
    std::string name(from_prefix ? prefix : start_after);
    for (bool found = move_on(name, from_prefix); found && name.starts_with(prefix); found = move_on(name, false))
      visit(std::string_view(name));
    return {};
  }

  // Handles that `get` has returned stay valid.
  template <class = void>
  [[nodiscard]] status remove(std::string_view name) {
    if (!is_store_name(name)) return refused_name(name);
    const scoped_lock hold(content_->guard);
    content_->objects.erase(name);
    return {};
  }

 private:
  struct content {
    mutex guard;
    object_map<> objects;
  };

  // Makes `name` the first name after it, or from it on; false if there is none. A list takes the lock for one name at
  // a time: nothing that it holds can be removed by others, and the visitor runs without the lock.
  template <class = void>
  [[nodiscard]] bool move_on(std::string& name, bool may_stay) const {
    const scoped_lock hold(content_->guard);
    const object_map<>::object* const next =
        may_stay ? content_->objects.at_or_after(name) : content_->objects.after(name);
    if (next == nullptr) return false;
    name = next->name;
    return true;
  }

  shared<content> content_;
};

}  // namespace tarn::inline TARN_ABI
