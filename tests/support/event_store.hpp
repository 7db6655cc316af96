// A store in memory that remembers what has happened in it, for invariants over time. Copies share all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/invariants.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

class event_store {
 public:
  using handle = tarn::memory_store::handle;
  static constexpr tarn::store_strengths strengths = tarn::memory_store::strengths;

  // The same store, as the client with this number uses it.
  [[nodiscard]] event_store of_client(std::uint32_t number) const {
    event_store made = *this;
    made.client_ = number;
    return made;
  }

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    const tarn::put_result put = inner_.put_if_absent(name, bytes);
    if (put.outcome() == tarn::put_outcome::created) note(tarn::testing::store_event::kind::put, name, bytes);
    return put;
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    auto found = inner_.get(name);
    if (!found) note(tarn::testing::store_event::kind::missing, name);
    return found;
  }
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, auto visit) {
    return inner_.list(prefix, start_after, visit);
  }
  [[nodiscard]] tarn::status remove(std::string_view name) {
    if (inner_.get(name)) note(tarn::testing::store_event::kind::removed, name);
    return inner_.remove(name);
  }

  // A vacuum of this client has succeeded.
  void note_vacuum() { note(tarn::testing::store_event::kind::vacuumed, {}); }
  [[nodiscard]] std::vector<tarn::testing::store_event>& events() { return *events_; }
  // Past the record.
  [[nodiscard]] tarn::memory_store& inner() { return inner_; }

 private:
  void note(tarn::testing::store_event::kind what, std::string_view name, std::string_view bytes = {}) {
    events_->push_back({what, client_, std::string(name), std::string(bytes)});
  }

  tarn::memory_store inner_;
  std::shared_ptr<std::vector<tarn::testing::store_event>> events_ =
      std::make_shared<std::vector<tarn::testing::store_event>>();
  std::uint32_t client_ = 0;
};

}  // namespace tarn_test
