// The store that clients of an exploration use.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../../core/result.hpp"
#include "../../core/text.hpp"
#include "../../store/memory_store.hpp"
#include "../../store/shared_bytes.hpp"
#include "../../store/store.hpp"
#include "../fault.hpp"
#include "explored_run.hpp"

namespace tarn::inline TARN_ABI::testing {

// A store as a client of an exploration sees it. Each call waits until it is this client's turn, and is then done at
// once and as a whole: a list too, of which nothing is seen while it is visited. Copies are the same client's. A call
// by anybody but that client while it runs, such as by a check after the run, is done without waiting and is not part
// of the run.
//
// Made of a memory_store it does the same as that, at once: for whoever prepares a client to be copied in each run.
class explored_store {
 public:
  using handle = shared_bytes;
  static constexpr store_strengths strengths{.complete_list = true};

  explicit explored_store(memory_store outside) : outside_(std::move(outside)) {}
  explored_store(explored_run& run, std::size_t process) noexcept : run_(&run), process_(process) {}

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (run_ == nullptr) return outside_->put_if_absent(name, bytes);
    if (!is_store_name(name)) return put_result::not_applied(refused_name(name));
    const result<bool> created = run_->put(process_, name, bytes);
    if (!created) return put_result::not_applied(created.error());
    return *created ? put_result::created() : put_result::already_exists();
  }
  [[nodiscard]] result<handle> get(std::string_view name) {
    if (run_ == nullptr) return outside_->get(name);
    if (!is_store_name(name)) return refused_name(name);
    return run_->get(process_, name);
  }
  template <class Visitor>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visitor&& visit) {
    if (run_ == nullptr) return outside_->list(prefix, start_after, visit);
    const result<std::vector<std::string>> names = run_->list(process_, prefix, start_after);
    if (!names) return names.error();
    for (const std::string& name : *names) visit(std::string_view(name));
    return {};
  }
  [[nodiscard]] status remove(std::string_view name) {
    const result<bool> removed = remove_if_there(name);
    return removed ? status() : status(removed.error());
  }
  // A remove that is false if there was nothing.
  [[nodiscard]] result<bool> remove_if_there(std::string_view name) {
    if (!is_store_name(name)) return refused_name(name);
    if (run_ != nullptr) return run_->remove(process_, name);
    const bool was_there = outside_->get(name).has_value();
    if (const status removed = outside_->remove(name); !removed) return removed.error();
    return was_there;
  }

  // A call that arrives later, at any time, even after this client's end. The exploration tries all times. Outside of a
  // run it arrives at once.
  void put_later(std::string_view name, std::string_view bytes) {
    if (run_ == nullptr)
      (void)outside_->put_if_absent(name, bytes);
    else if (is_store_name(name))
      run_->send(process_, store_operation::put, name, bytes);
  }
  void remove_later(std::string_view name) {
    if (run_ == nullptr)
      (void)outside_->remove(name);
    else if (is_store_name(name))
      run_->send(process_, store_operation::remove, name, {});
  }

 private:
  std::optional<memory_store> outside_;
  explored_run* run_ = nullptr;
  std::size_t process_ = no_process;
};

inline void explored_run::live(void* self, std::size_t number) {
  auto& here = *static_cast<explored_run*>(self);
  const explored_program& program = here.programs_[number];
#if TARN_HAS_EXCEPTIONS
  try {
    program.run(explored_store(here, number));
  } catch (const std::exception& thrown) {
    here.blame(number, concat({"threw: ", thrown.what()}));
  } catch (...) {
    here.blame(number, "threw something");
  }
#else
  program.run(explored_store(here, number));
#endif
}

}  // namespace tarn::inline TARN_ABI::testing
