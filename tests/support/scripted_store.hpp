// A store around another one, whose puts and gets a test can watch and change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <tarn/store/store.hpp>

namespace tarn_test {

// What happens to one call; the default is what the store itself does.
struct script {
  // Called instead of the inner put, which it is given.
  std::function<tarn::put_result(std::string_view name, std::string_view bytes, tarn::memory_store& inner)> put;
  // Called before a get: an error is returned instead of the bytes.
  std::function<tarn::status(std::string_view name)> before_get;
  std::function<tarn::status()> before_list;
  bool lists_all = false;  // of the prefix, whatever to start after
  std::function<tarn::status(std::string_view name)> before_remove;
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t lists = 0;
};

// Copies share the script and the content.
class scripted_store {
 public:
  using handle = tarn::memory_store::handle;

  scripted_store() : script_(std::make_shared<script>()) {}
  explicit scripted_store(tarn::memory_store inner) : inner_(inner), script_(std::make_shared<script>()) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    ++script_->puts;
    return script_->put ? script_->put(name, bytes, inner_) : inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    ++script_->gets;
    if (script_->before_get)
      if (const tarn::status allowed = script_->before_get(name); !allowed) return allowed.error();
    return inner_.get(name);
  }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    ++script_->lists;
    if (script_->before_list)
      if (const tarn::status allowed = script_->before_list(); !allowed) return allowed;
    return inner_.list(prefix, script_->lists_all ? std::string_view() : start_after, visit);
  }

  [[nodiscard]] script& plan() { return *script_; }
  [[nodiscard]] tarn::memory_store& inner() { return inner_; }

 private:
  tarn::memory_store inner_;
  std::shared_ptr<script> script_;
};

// The same, and it can remove.
class removing_scripted_store : public scripted_store {
 public:
  using scripted_store::scripted_store;
  [[nodiscard]] tarn::status remove(std::string_view name) {
    if (plan().before_remove)
      if (const tarn::status allowed = plan().before_remove(name); !allowed) return allowed;
    return inner().remove(name);
  }
};

[[nodiscard]] inline bool is_entry(std::string_view name) { return name.starts_with("_log_"); }
[[nodiscard]] inline bool is_object(std::string_view name) { return name.starts_with("_table_"); }

}  // namespace tarn_test
