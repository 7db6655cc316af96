// Errors are values: what went wrong, where, and what to do about it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>  // and with bad_alloc std::exception, without the rest of <exception>
#include <string>
#include <string_view>

#include "config.hpp"
#include "shared.hpp"
#include "strong_types.hpp"
#include "text.hpp"
#include "uuid.hpp"

namespace tarn::inline TARN_ABI {

// Few codes; each is one that a caller would act on in its own way. The message has the particulars.
enum class errc : unsigned char {
  io,                // the store failed; the message has its reason
  permission,        // the store may not be read or written by this process
  no_space,          // the store is full; make room and try again
  not_found,         // no such object, version or commit
  corrupt,           // bytes are damaged, missing, or not what the log says; nothing was guessed
  unsupported,       // written by a later tarn, or in need of a codec or a feature that is not there
  invalid_name,      // not a table or object name; see `check_table_name`
  invalid_argument,  // a row, a schema, an option or a text that cannot be taken; the message says which part
  limit_exceeded,    // a bound in `limits` was met; the message names it
  no_such_table,     // the message names the tables that exist
  table_exists,      // under this name, or one that differs in case only
  exists,            // a row with this key: `upsert` replaces it; or a tag of this name
  late,              // a row that a greater ordering of its key hides
  conflict,          // a concurrent commit changed what this transaction depends on; run it again
  commit_unknown,    // the commit may have taken effect: ask `client::find_commit`
  expired,           // a vacuum may have taken what this transaction was to add: run it again
  snapshot_expired,  // the version was given up by a vacuum or a truncation: read a newer one
  stale_sequence,    // an application has committed work with a greater number; see `transaction::last_sequence`
  finished,          // the transaction was committed, rolled back or has failed; begin another
};

[[nodiscard]] constexpr std::string_view name_of(errc code) noexcept {
  constexpr const char* names[] = {
      "io",           "permission",       "no_space",       "not_found",     "corrupt",          "unsupported",
      "invalid_name", "invalid_argument", "limit_exceeded", "no_such_table", "table_exists",     "exists",
      "late",         "conflict",         "commit_unknown", "expired",       "snapshot_expired", "stale_sequence",
      "finished"};
  return names[static_cast<unsigned char>(code)];
}

// A commit whose outcome is not known: it is in the log if, and only if, this slot holds this transaction.
struct commit_in_doubt {
  uuid transaction;
  version slot;
};

template <class T>
class result;

// One pointer wide, cheap to copy and move. A moved-from error may only be destroyed or assigned to.
class [[nodiscard]] error {
 public:
  template <class = void>
  error(errc code, std::string message) : detail_(shared<const detail>::make(detail{code, std::move(message), {}})) {}
  template <class = void>
  error(commit_in_doubt commit, std::string message)
      : detail_(shared<const detail>::make(detail{errc::commit_unknown, std::move(message), commit})) {}

  [[nodiscard]] errc code() const noexcept { return detail_->code; }
  [[nodiscard]] const std::string& message() const noexcept { return detail_->message; }

  // What to ask `client::find_commit` about; only for errc::commit_unknown.
  [[nodiscard]] commit_in_doubt in_doubt() const noexcept { return detail_->commit; }

  // Whether the same work, done again from its start, may succeed without anybody repairing anything.
  [[nodiscard]] bool retry_helps() const noexcept { return code() == errc::conflict || code() == errc::expired; }

  // The same error, seen from further out: `place` and a colon go before the message.
  template <class = void>
  [[nodiscard]] error within(std::string_view place) const {
    error outer;
    outer.detail_ = shared<const detail>::make(detail{code(), concat({place, ": ", message()}), in_doubt()});
    return outer;
  }

 private:
  struct detail {
    errc code = errc::io;
    std::string message;
    commit_in_doubt commit;
  };

  friend class result<void>;
  error() noexcept = default;  // no error: what a successful result<void> holds

  shared<const detail> detail_;
};

#if TARN_HAS_EXCEPTIONS
// What is thrown for a value that is not there: by `.value()`, a value asked for as another kind, a column asked for by
// a wrong name, and a range-for over a scan that fails. tarn throws nothing else (but what allocating throws).
class failure : public std::exception {
 public:
  explicit failure(error why) : why_(std::move(why)) {}
  [[nodiscard]] const char* what() const noexcept override { return why_.message().c_str(); }
  [[nodiscard]] const error& why() const noexcept { return why_; }

 private:
  error why_;
};
#endif

// The end of a program, or of a scope, that asked for a value where there is an error.
template <class = void>
[[noreturn]] void fail(const error& why) {
#if TARN_HAS_EXCEPTIONS
  throw failure(why);
#else
  const std::string_view code = name_of(why.code());
  std::fprintf(stderr, "tarn: %.*s: %s\n", static_cast<int>(code.size()), code.data(), why.message().c_str());
  std::abort();
#endif
}

}  // namespace tarn::inline TARN_ABI
