// The store: anything that holds named, immutable bytes. All that tarn's safety rests on is here.
//
//   put_if_absent(name, bytes)   atomic: of any number of callers with one name, at most one ever creates it, and what
//                                it holds is that caller's bytes, whole. When the answer is `created` or
//                                `already_exists` the bytes in the store are durable.
//   get(name)                    the bytes of a name, whole. What a put has created, a later get finds.
//   list(prefix, start_after,    calls visit(name) for the names with this prefix that come after `start_after` in byte
//        visit)                  order. Nothing that decides correctness trusts it: it may be stale, unsorted, have
//                                holes, or name a thing twice.
//   remove(name)                 optional: a store without it keeps garbage. Success if there is no such name.
//
// A client calls its store from the thread that uses it, one call at a time; with client_options::executor, which takes
// a store that is `thread_safe`, put_if_absent also from the executor's threads, at the same time.
//
// Names are 1 to 255 bytes of ASCII letters, digits, '_', '-' and '.'; see `is_store_name`.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI {

// What is known after a put_if_absent. Saying `unknown` when in doubt is always safe; saying one of the other three
// when it is not certain loses data.
enum class put_outcome : unsigned char {
  created,         // by this call
  already_exists,  // by whomever, perhaps by this very call if the store tries again by itself
  not_applied,     // nothing landed, nor will, of this call (an earlier `unknown` one stays so): it may be made again
  unknown,         // it may have landed, or may still land
};

// The outcome and, for the last two, the reason.
class [[nodiscard]] put_result {
 public:
  [[nodiscard]] static put_result created() { return {put_outcome::created, {}}; }
  [[nodiscard]] static put_result already_exists() { return {put_outcome::already_exists, {}}; }
  [[nodiscard]] static put_result not_applied(error why) { return {put_outcome::not_applied, std::move(why)}; }
  [[nodiscard]] static put_result unknown(error why) { return {put_outcome::unknown, std::move(why)}; }

  [[nodiscard]] put_outcome outcome() const noexcept { return outcome_; }
  // Only for `not_applied` and `unknown`.
  [[nodiscard]] const error& why() const noexcept { return why_.error(); }

 private:
  put_result(put_outcome outcome, status why) : outcome_(outcome), why_(std::move(why)) {}

  put_outcome outcome_;
  status why_;
};

// Whether the same put may succeed when it is tried again. A full disk or a missing right does not go away by waiting.
template <class = void>
[[nodiscard]] bool may_retry(const put_result& put) {
  return put.outcome() != put_outcome::not_applied || put.why().code() == errc::io;
}

// What `get` returns the bytes in: owns them, movable, and a view of it stays valid until it is destroyed, even when
// it has been moved. Nothing is copied that the store can share or map.
template <class H>
concept object_handle = std::movable<H> && std::convertible_to<const H&, std::string_view>;

// A visitor of names, as an example of what `list` is called with.
struct ignore_names {
  void operator()(std::string_view) const noexcept {}
};

// The three calls, one by one, so that a message can say which is missing.
template <class S>
concept puts_if_absent = requires(S& store, std::string_view name, std::string_view bytes) {
  { store.put_if_absent(name, bytes) } -> std::same_as<put_result>;
};
template <class S>
concept gets_objects = requires(S& store, std::string_view name) {
  { store.get(name) } -> std::same_as<result<typename S::handle>>;
}
&&object_handle<typename S::handle>;
template <class S>
concept lists_names = requires(S& store, std::string_view prefix, std::string_view start_after) {
  { store.list(prefix, start_after, ignore_names{}) } -> std::same_as<status>;
};

template <class S>
concept object_store = puts_if_absent<S> && gets_objects<S> && lists_names<S>;

// A store that can also forget.
template <class S>
concept removing_store = object_store<S> && requires(S& store, std::string_view name) {
  { store.remove(name) } -> std::same_as<status>;
};

// What a store promises beyond the above, as `static constexpr store_strengths strengths`. tarn is correct without any
// of it; the conformance suite tests what is claimed.
struct store_strengths {
  bool durable = false;        // created bytes survive the loss of power
  bool complete_list = false;  // a list names everything whose put had returned before the list began, once
  bool thread_safe = false;    // one store object may be used by several threads at once
  bool flat_list = false;      // a list goes through all names, whatever its prefix: one list of all is the least work
};

template <class S>
[[nodiscard]] constexpr store_strengths strengths_of() noexcept {
  if constexpr (requires { S::strengths; })
    return S::strengths;
  else
    return {};
}

// Whether a store takes `name`. Names that begin with a dot are hidden files and the folder itself to a file system,
// and `_tmp_` begins the names of what a store has in the making: a store never gets, puts or lists either.
template <class = void>
[[nodiscard]] bool is_store_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > 255 || name.front() == '.' || name.starts_with("_tmp_")) return false;
  for (const char c : name)
    if (!is_name_character(c)) return false;
  return true;
}

// The error for a name that `is_store_name` refuses. The name is shown cut and with '?' for what cannot be printed.
template <class = void>
[[nodiscard]] error refused_name(std::string_view name) {
  constexpr std::size_t shown_max = 64;
  std::string shown(name.substr(0, shown_max));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return {errc::invalid_name,
          concat({"an object cannot be called \"", shown, name.size() > shown_max ? "...\"" : "\"", " (", name.size(),
                  " bytes): names are 1 to 255 ASCII letters, digits, '_', '-' and '.', and begin with neither '.' "
                  "nor \"_tmp_\""})};
}

}  // namespace tarn::inline TARN_ABI
