// A store whose calls meet the faults of a plan: around any other store, one for each client of a simulated lake.
//
//   using store = tarn::testing::fault_store<tarn::memory_store>;
//   tarn::memory_store content;
//   auto faults = store::state_of({{0, 3, {tarn::testing::fault_kind::error_after}}});   // of client 0, its call 3
//   tarn::client a(store(content, faults, 0), options);
//   tarn::client b(store(content, faults, 1), options);
//   ...
//   if (!faults->never_fired(faults->chooser().planned()).empty()) ...                      // then nothing was tested
//
// Used by one thread at a time, also through different handles: clients take turns, as they do under an explorer.
// Without a fault it is the store inside.
//
// Effects that come late (late, duplicate) are handed to the store inside, if it can do that (`delivers_later`): to an
// explorer, which tries all moments. Otherwise they land when as many calls were made as the fault says.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../store/shared_bytes.hpp"
#include "../store/store.hpp"
#include "fault.hpp"
#include "fault_chooser.hpp"
#include "fault_state.hpp"
#include "list_faults.hpp"
#include "simulated_environment.hpp"

namespace tarn::inline TARN_ABI::testing {

// A store that takes puts and removes whose caller does not wait for them.
template <class S>
concept delivers_later = requires(S& store, std::string_view name, std::string_view bytes) {
  store.put_later(name, bytes);
  store.remove_later(name);
};

// The bytes of an object as the store inside has them, or altered ones.
template <object_handle Inner>
class alterable_bytes {
 public:
  explicit alterable_bytes(Inner whole) : bytes_(std::in_place_index<0>, std::move(whole)) {}
  explicit alterable_bytes(std::string_view altered) : bytes_(std::in_place_index<1>, altered) {}

  operator std::string_view() const noexcept {  // NOLINT(google-explicit-constructor): its purpose
    if (const Inner* const whole = std::get_if<0>(&bytes_)) return *whole;
    return *std::get_if<1>(&bytes_);
  }

 private:
  std::variant<Inner, shared_bytes> bytes_;
};

// Copies are handles of the same client. The environment, if one is given, is the client's own: without it the faults
// of time cannot happen.
template <object_store Inner, chooses_faults Chooser = planned_faults>
class fault_store {
 public:
  using handle = alterable_bytes<typename Inner::handle>;
  using state = std::shared_ptr<fault_state<Chooser>>;
  // The inner store's, as long as no fault breaks them; but of one thread.
  static constexpr store_strengths strengths{.durable = strengths_of<Inner>().durable,
                                             .complete_list = strengths_of<Inner>().complete_list,
                                             .flat_list = strengths_of<Inner>().flat_list};

  // For the clients of one lake.
  [[nodiscard]] static state state_of(Chooser chooser = Chooser()) {
    return std::make_shared<fault_state<Chooser>>(std::move(chooser));
  }
  [[nodiscard]] static state state_of(
      std::vector<planned_fault> planned) requires std::same_as<Chooser, planned_faults> {
    return state_of(Chooser(std::move(planned)));
  }

  fault_store(Inner inner, state faults, std::size_t client, simulated_environment* environment = nullptr)
      : inner_(std::move(inner)), faults_(std::move(faults)), client_(client), environment_(environment) {}

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    const met_call call = begin(store_operation::put, name);
    if (call.fails) return put_result::unknown(reason(call));
    if (call.met.kind == fault_kind::not_applied) {
      fire(call);
      return put_result::not_applied({call.met.argument == 1 ? errc::no_space : errc::io, "a fault: not applied"});
    }
    if (call.met.kind == fault_kind::late) {
      fire(call);
      send_later({store_operation::put, std::string(name), std::string(bytes)}, call.met.argument);
      return put_result::unknown(reason(call));
    }
    put_result put = inner_.put_if_absent(name, bytes);
    faults_->note_put(name, put);
    if (loses_answer(call)) return put_result::unknown(reason(call));
    if (call.met.kind == fault_kind::duplicate) {
      fire(call);
      send_later({store_operation::put, std::string(name), std::string(bytes)}, call.met.argument);
    }
    if (call.met.kind == fault_kind::exists_after && put.outcome() == put_outcome::created) {
      fire(call);
      return put_result::already_exists();
    }
    return put;
  }

  [[nodiscard]] result<handle> get(std::string_view name) {
    const met_call call = begin(store_operation::get, name);
    if (call.fails) return reason(call);
    if (call.met.kind == fault_kind::negative_cache &&
        faults_->changes().has_put(name, faults_->calls_ago(call.met.argument))) {
      fire(call);
      return error(errc::not_found, concat({"a fault: ", name, " is not found yet"}));
    }
    auto found = inner_.get(name);
    if (loses_answer(call)) return reason(call);
    if (!found) return found.error();
    std::string altered;
    if (alters(call, name, *found, altered)) {
      fire(call);
      return handle(std::string_view(altered));
    }
    return handle(*std::move(found));
  }

  template <class Visit>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visit&& visit) {
    const met_call call = begin(store_operation::list, prefix);
    if (call.fails) return reason(call);
    if (!changes_names(call.met.kind)) {
      const status listed = inner_.list(prefix, start_after, visit);
      if (loses_answer(call)) return reason(call);
      return listed;
    }
    std::vector<std::string> names;
    const auto collect = [&](std::string_view each) { names.emplace_back(each); };
    const status listed = call.met.kind == fault_kind::list_disorder
                              ? list_in_pages(prefix, start_after, 1 + call.met.argument_below(4), names)
                              : inner_.list(prefix, start_after, collect);
    if (!listed) return listed;
    if (change_names(call.met, prefix, start_after, names)) fire(call);
    for (const std::string& each : names) visit(std::string_view(each));
    return {};
  }

  [[nodiscard]] status remove(std::string_view name) requires removing_store<Inner> {
    const met_call call = begin(store_operation::remove, name);
    if (call.fails) return reason(call);
    if (call.met.kind == fault_kind::late) {
      fire(call);
      send_later({store_operation::remove, std::string(name), {}}, call.met.argument);
      return reason(call);
    }
    const result<bool> removed = remove_from(inner_, name);
    if (removed && *removed) faults_->note_remove(name);
    if (loses_answer(call)) return reason(call);
    return removed ? status() : status(removed.error());
  }

  [[nodiscard]] Inner& inner() noexcept { return inner_; }
  [[nodiscard]] const state& faults() const noexcept { return faults_; }
  [[nodiscard]] std::size_t client() const noexcept { return client_; }
  // Whether this client's process has ended.
  [[nodiscard]] bool has_crashed() const noexcept { return faults_->has_crashed(client_); }

 private:
  // A call and what it meets.
  struct met_call {
    client_call made;
    fault met;
    bool fails = false;  // without having done anything
  };

  [[nodiscard]] met_call begin(store_operation operation, std::string_view name) {
    met_call call{{operation, client_, 0, name}, {fault_kind::crash}, true};
    if (has_crashed()) return call;
    call.made.number = faults_->begin_call(client_);
    faults_->deliver_due(inner_);
    call.met = faults_->chooser().choose(call.made);
    if (!can_happen(call.met.kind, operation)) call.met = {};
    if (environment_ != nullptr) {
      environment_->pass(environment_->call_takes_ms);
      disturb_clock(call);
    }
    call.fails = call.met.kind == fault_kind::error_before || (call.met.kind == fault_kind::crash && !is_after(call));
    if (!call.fails) return call;
    fire(call);
    if (call.met.kind == fault_kind::crash) faults_->crash(client_);
    return call;
  }

  [[nodiscard]] static bool is_after(const met_call& call) noexcept { return call.met.argument != 0; }

  void fire(const met_call& call) { faults_->note_fired(call.made, call.met); }

  void disturb_clock(const met_call& call) {
    switch (call.met.kind) {
      case fault_kind::pause:
      case fault_kind::slow: environment_->pass(call.met.argument); break;
      case fault_kind::clock_step:
        if (call.met.argument == 0)
          environment_->clock_stands = true;
        else
          environment_->step(static_cast<std::int64_t>(call.met.argument));
        break;
      default: return;
    }
    fire(call);
  }

  // After the work of a call: whether nobody will hear of it.
  [[nodiscard]] bool loses_answer(const met_call& call) {
    if (call.met.kind != fault_kind::error_after && call.met.kind != fault_kind::crash) return false;
    fire(call);
    if (call.met.kind == fault_kind::crash) faults_->crash(client_);
    return true;
  }

  [[nodiscard]] static error reason(const met_call& call) {
    return {errc::io, concat({"a fault: ", name_of(call.met.kind)})};
  }

  void send_later(late_effect effect, std::uint64_t calls) {
    if constexpr (delivers_later<Inner>) {
      if (effect.operation == store_operation::put)
        inner_.put_later(effect.name, effect.bytes);
      else
        inner_.remove_later(effect.name);
    } else {
      faults_->deliver_later(std::move(effect), calls);
    }
  }

  // Whether other bytes are returned: `altered`.
  [[nodiscard]] bool alters(const met_call& call, std::string_view name, std::string_view bytes, std::string& altered) {
    if (bytes.empty()) return call.met.kind == fault_kind::misdirected && misdirect(call, name, bytes, altered);
    switch (call.met.kind) {
      case fault_kind::truncated: altered = bytes.substr(0, call.met.argument_below(bytes.size())); return true;
      case fault_kind::flipped_bit: {
        altered = bytes;
        char& flipped = altered[static_cast<std::size_t>(call.met.argument / 8 % bytes.size())];
        flipped = static_cast<char>(static_cast<unsigned char>(flipped) ^ (1U << (call.met.argument % 8)));
        return true;
      }
      case fault_kind::misdirected: return misdirect(call, name, bytes, altered);
      default: return false;
    }
  }

  [[nodiscard]] bool misdirect(const met_call& call, std::string_view name, std::string_view bytes,
                               std::string& altered) {
    std::vector<std::string> others;
    const status listed = inner_.list("", "", [&](std::string_view each) {
      if (each != name) others.emplace_back(each);
    });
    if (!listed || others.empty()) return false;
    const auto other = inner_.get(others[call.met.argument_below(others.size())]);
    if (!other || std::string_view(*other) == bytes) return false;
    altered = std::string_view(*other);
    return true;
  }

  [[nodiscard]] static bool changes_names(fault_kind kind) noexcept {
    return kind == fault_kind::stale_list || kind == fault_kind::list_omits || kind == fault_kind::ghost_name ||
           kind == fault_kind::list_disorder || kind == fault_kind::foreign_names;
  }

  [[nodiscard]] bool change_names(const fault& met, std::string_view prefix, std::string_view start_after,
                                  std::vector<std::string>& names) const {
    switch (met.kind) {
      case fault_kind::stale_list:
        return faults_->changes().undo(names, prefix, start_after, faults_->calls_ago(met.argument));
      case fault_kind::list_omits: return omit_names(names, met.argument);
      case fault_kind::ghost_name:
        return add_ghost(names, prefix, start_after, faults_->changes().removed(prefix, start_after), met.argument);
      case fault_kind::list_disorder: return disorder(names, met.argument);
      case fault_kind::foreign_names: return add_foreign_names(names, prefix);
      default: return false;
    }
  }

  // As a store lists that gives so many names at a time: each page is a call, and others have their turns in between.
  [[nodiscard]] status list_in_pages(std::string_view prefix, std::string_view start_after, std::size_t page_size,
                                     std::vector<std::string>& names) {
    std::string after(start_after);
    for (;;) {
      std::vector<std::string> rest;
      const status listed = inner_.list(prefix, after, [&](std::string_view each) { rest.emplace_back(each); });
      if (!listed || rest.empty()) return listed;
      std::sort(rest.begin(), rest.end());
      rest.resize(std::min(page_size, rest.size()));
      after = rest.back();
      names.insert(names.end(), rest.begin(), rest.end());
      faults_->pass_call();
      faults_->deliver_due(inner_);
    }
  }

  Inner inner_;
  state faults_;
  std::size_t client_;
  simulated_environment* environment_;
};

}  // namespace tarn::inline TARN_ABI::testing
