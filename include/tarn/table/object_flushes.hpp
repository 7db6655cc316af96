// The ways of a transaction's objects out of memory: in its entry as long as there is room, else into the store. With
// an executor their puts are under way while the transaction encodes the next rows:
//
//   the client's thread   | encode 1 | encode 2 | encode 3 | wait for 1 | encode 4 |  ...  | wait for all | put the
//   entry the executor          .          | put 1 ------------------------ | put 3 ------ ...
//                         .          .          | put 2 ----------------------- ...
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/executor.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/names.hpp"
#include "../store/put_object.hpp"
#include "client_core.hpp"

namespace tarn::inline TARN_ABI {

// Belongs to one transaction. Its end, however it comes, waits for what is under way. Memory: the bytes of the objects
// under way, limits::flushes_max at most.
template <class Store, class Codec>
class object_flushes {
 public:
  using core = client_core<Store, Codec>;

  // Puts each object at once, as what is not a transaction's own does.
  object_flushes() noexcept = default;
  // Puts them through the executor of `lake`, if it has one, but for so many bytes of objects, for the entry.
  object_flushes(shared<core> lake, std::size_t inline_bytes) noexcept
      : lake_(std::move(lake)), inline_bytes_left_(inline_bytes) {}
  object_flushes(object_flushes&&) noexcept = default;
  object_flushes& operator=(object_flushes&& other) noexcept {
    (void)finish();  // before what it needs goes
    lake_ = std::move(other.lake_);
    inline_bytes_left_ = other.inline_bytes_left_;
    under_way_ = std::move(other.under_way_);
    return *this;
  }
  object_flushes(const object_flushes&) = delete;
  object_flushes& operator=(const object_flushes&) = delete;
  ~object_flushes() { (void)finish(); }

  // Whether an object of so many bytes travels in the entry: then the room that it takes is gone.
  [[nodiscard]] bool take_inline_room(std::size_t size) noexcept {
    if (size > inline_bytes_left_) return false;
    inline_bytes_left_ -= size;
    return true;
  }

  // Puts an object, or has a copy of it put. Waits while too many are under way. The error is this put's or an earlier
  // one's: after it the transaction can only be rolled back.
  [[nodiscard]] status put(core& lake, std::string_view table, const uuid& id, std::string_view bytes) {
    if (!lake_ || lake.options.executor.start == nullptr || lake.options.bounds.flushes_max == 0)
      return put_now(lake, table, id, bytes);
    shared<flush> next;
    if (under_way_.size() < lake.options.bounds.flushes_max) {
      next = shared<flush>::make();
    } else {
      if (const status done = finish(*under_way_.front()); !done) return done;
      next = under_way_.front();  // in whose memory there is room
      under_way_.erase(0);
    }
    next->lake = &lake;
    next->table = table;
    next->id = id;
    next->bytes = bytes;
    next->done = error(errc::io, concat({"the executor has not put rows of table ", table}));
    under_way_.push_back(next);
    start(*next);
    return {};
  }

  // Waits for all puts that are under way, or for those of one table. The error is the oldest one's.
  [[nodiscard]] status finish() noexcept {
    status all;
    for (const shared<flush>& each : under_way_)
      if (const status done = finish(*each); all && !done) all = done;
    under_way_.clear();
    return all;
  }
  [[nodiscard]] status finish(std::string_view table) noexcept {
    for (const shared<flush>& each : under_way_)
      if (each->table == table)
        if (const status done = finish(*each); !done) return done;
    return {};
  }

 private:
  // What the executor's thread sees: nobody else touches it before it is finished.
  struct flush {
    core* lake = nullptr;
    std::string table = {};
    uuid id = {};
    std::string bytes = {};
    status done = {};
    void* started = nullptr;  // null: no executor has it
  };

  [[nodiscard]] static status put_now(core& lake, std::string_view table, const uuid& id, std::string_view bytes) {
    const status put =
        put_object(lake.store, object_name(table, id), bytes, lake.options.commit.backoff, lake.options.surroundings);
    return put ? put : put.error().within(concat({"flushing rows of table ", table}));
  }

  static void run(void* argument) {
    flush& mine = *static_cast<flush*>(argument);
    mine.done = put_now(*mine.lake, mine.table, mine.id, mine.bytes);
  }

  static void start(flush& mine) {
    const executor& by = mine.lake->options.executor;
    mine.started = by.start(by.context, &run, &mine);
    if (mine.started == nullptr) run(&mine);
  }

  [[nodiscard]] static status finish(flush& mine) noexcept {
    const executor& by = mine.lake->options.executor;
    if (void* const started = std::exchange(mine.started, nullptr); started != nullptr) by.finish(by.context, started);
    return mine.done;
  }

  shared<core> lake_;  // null: puts each at once
  std::size_t inline_bytes_left_ = 0;
  sequence<shared<flush>> under_way_;  // from the oldest on; among them some that are finished
};

}  // namespace tarn::inline TARN_ABI
