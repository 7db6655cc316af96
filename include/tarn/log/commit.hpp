// The commit protocol: how a transaction becomes an entry, exactly once or not at all.
//
//   read_version        others commit             head    slot
//        |--------|--------|--------|--------|------|.......|
//        snapshot    each is checked for conflict       put_if_absent(slot, entry)
//
//      +--> read forward to the head ------- an entry is ours ----------------> committed, once a put has said: durable
//      |        |  an entry is the same numbered work ------------------------> committed before, at that version
//      |        |  each entry of others: conflict? ---------------------------> conflict
//      |        v
//      |    is our last slot still empty? yes: the same bytes again; no: new bytes for the slot after the head
//      |        v
//      |    put_if_absent -- created -----------------------------------------> committed at the slot
//      |        |
//      +--------+  already exists: reading forward tells whose it is
//                  not applied, unknown: wait first; a slot that may still be filled with our bytes is never left
//
// Before anything is said: has a truncation emptied our slot, or any that was read? Then its marker decides.
//
// Only the content of a slot decides, never an answer of the store that may have been lost: "already exists" can be our
// own put that the store tried twice, and "absent" after an unknown put proves nothing, since that put may still land.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "../core/backoff.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/environment.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../store/put_object.hpp"
#include "../store/store.hpp"
#include "entry_writer.hpp"
#include "log.hpp"
#include "names.hpp"
#include "truncation.hpp"

namespace tarn::inline TARN_ABI {

// What a commit may use, wait for and give up after.
struct commit_options {
  std::uint64_t rebase_limit = 100'000;  // commits of others since read_version; 0: the article's rule
  backoff_options backoff = {};
  // Of a lake that a commit founds: a transaction's objects travel in its entry as long as they have no more bytes than
  // this together; then it is the lake's. 0: never, as a lake needs that is shared with the article's program. See
  // client::set_inline_bytes_max.
  std::uint32_t inline_bytes_max = 4'096;
};

// The time of the entry after `state`: history is monotone even if clocks are not.
template <class = void>
[[nodiscard]] timestamp time_after(const snapshot& state, const environment& surroundings) {
  const timestamp now = surroundings.now(surroundings.context);
  if (state.at == version() || now > state.time) return now;
  return {state.time.ms < INT64_MAX ? state.time.ms + 1 : INT64_MAX};
}

// Success once the entry in slot `at`, which is filled, is durable. To be seen is not enough for that: whoever put it
// may have died before the put was over. A `get`, and a put of the same bytes; what a truncation has removed was
// durable.
template <object_store Store>
[[nodiscard]] status make_durable(Store& store, log_extent& extent, version at, const backoff_options& options,
                                  const environment& surroundings) {
  const std::string name = entry_name(at);
  const auto bytes = store.get(name);
  if (!bytes) {
    if (const status found = find_truncations(store, extent); !found) return found;
    return at <= extent.truncated ? status() : bytes.error();
  }
  const status durable = put_object(store, name, *bytes, options, surroundings);
  if (!durable) return durable.error().within(concat({name, " is there, but may not be durable"}));
  return {};
}

// What numbered work comes to of which `reached`, the same or later work of its application, is in the log: its
// version, once that is durable, or errc::stale_sequence.
template <object_store Store>
[[nodiscard]] result<version> answer_for(Store& store, log_extent& extent, const application_sequence& work,
                                         const committed_sequence& reached, const backoff_options& options,
                                         const environment& surroundings) {
  if (reached.work.sequence > work.sequence) return stale_sequence(work, reached);
  const status durable = make_durable(store, extent, reached.at, options, surroundings);
  if (!durable) return durable.error();
  return reached.at;
}

// One commit of one entry. `Check` is `status(const entry& theirs)`: whether the transaction may follow that entry.
template <object_store Store, class Check>
class commit_attempt {
 public:
  // `state` is the snapshot that the transaction has read; `mine` lacks only what the slot decides. What is passed by
  // reference must outlive the attempt.
  commit_attempt(Store& store, shared_snapshot state, log_extent& extent, entry mine, Check check,
                 const commit_options& options, const environment& surroundings, const limits& bounds)
      : store_(store),
        state_(std::move(state)),
        extent_(extent),
        mine_(std::move(mine)),
        stated_(mine_.inline_bytes_max),
        check_(std::move(check)),
        options_(options),
        surroundings_(surroundings),
        bounds_(bounds),
        retries_(options.backoff, surroundings) {}

  // The version at which the entry is in the log, or, if it is numbered, another with the same number. Any error but
  // errc::commit_unknown means that it is not and never will be. Costs one `get` for each commit since the snapshot and
  // one more (two where the store can remove), and one `put_if_absent`, when nobody interferes.
  [[nodiscard]] result<version> run() {
    if (extent_.truncated > state_->at) return overtaken();
    for (;;) {
      const log_reach reach{.listed = extent_.listed};
      const status read = read_forward(store_, state_, reach, bounds_, [&](const entry& each) { return meet(each); });
      if (committed_ != version()) return confirm();
      if (!read && offered_) return in_doubt(read.error());
      if (!read || !refused_) return refuse(read ? refused_.error() : read.error());
      if (!offered_) {
        const status prepared = prepare();
        if (!prepared) return refuse(prepared.error());
      } else if (given_up_) {
        return in_doubt(last_failure_.error());
      }
      const put_result put = store_.put_if_absent(entry_name(mine_.at), bytes_);
      if (put.outcome() != put_outcome::not_applied) offer();
      if (put.outcome() == put_outcome::created) return settle(mine_.at);
      durable_ = put.outcome() == put_outcome::already_exists;
      given_up_ = !may_retry(put) || !retries_.wait();
      if (given_up_ && !offered_) return refuse(put.why());
      last_failure_ = put.outcome() == put_outcome::already_exists ? unreadable_slot() : put.why();
    }
  }

  // The state at the version that `run` has returned, if the entry there is ours; else that of the empty lake.
  [[nodiscard]] const shared_snapshot& after() const noexcept { return after_; }

 private:
  // The bytes may be in the slot from now on.
  void offer() noexcept {
    offered_ = true;
    if (first_offered_ == version()) first_offered_ = mine_.at;
  }

  [[nodiscard]] status meet(const entry& theirs) {
    if (!theirs.of_article && theirs.transaction == mine_.transaction) committed_ = theirs.at;
    if (committed_ != version()) return {};
    offered_ = false;  // if it was in that slot, the slot is theirs for good, also if they are a conflict
    if (has_reached(theirs.work, mine_.work)) {
      reached_ = {theirs.work, theirs.at};
      return stale_sequence(mine_.work, reached_);
    }
    if (!refused_) return {};
    const status follows = check_entry(theirs);
    if (follows || mine_.work.application.empty()) return follows;
    refused_ = follows;  // but the rest of the log may tell that the work was done
    return {};
  }

  [[nodiscard]] status check_entry(const entry& theirs) {
    if (const status young = check_horizon(theirs); !young) return young;
    if (const status fits = check_inline_bytes(theirs); !fits) return fits;
    if (passed_++ < options_.rebase_limit) return check_(theirs);
    return error(errc::conflict,
                 concat({"version ", theirs.at.number, ", by transaction ", to_text(theirs.transaction),
                         ", was committed since version ", mine_.read_version.number, " was read, and rebase_limit is ",
                         options_.rebase_limit, ": run the transaction again"}));
  }

  // What this entry adds must not be what that vacuum takes for garbage.
  [[nodiscard]] status check_horizon(const entry& theirs) const {
    if (!theirs.vacuums) return {};
    for (const auto& [table, actions] : mine_.actions)
      for (const action& each : actions)
        if (adds_object(each) && birth_of(each.object.id) <= theirs.kept.horizon)
          return error(errc::expired, concat({"version ", theirs.at.number, " is a vacuum, for which object ",
                                              object_name(table, each.object.id),
                                              " is old enough to be garbage: run the transaction again"}));
    return {};
  }

  // From that entry on, less may travel than this one carries.
  [[nodiscard]] status check_inline_bytes(const entry& theirs) const {
    if (theirs.inline_bytes_max == entry::unstated) return {};
    std::uint64_t bytes = 0;
    for (const auto& [table, actions] : mine_.actions)
      for (const action& each : actions)
        if (each.object.inline_bytes) bytes += each.object.inline_bytes->size();
    if (bytes <= static_cast<std::uint64_t>(theirs.inline_bytes_max)) return {};
    return error(errc::conflict,
                 concat({"version ", theirs.at.number, " has set inline_bytes_max to ", theirs.inline_bytes_max,
                         ", this entry carries ", bytes, " bytes of rows: run the transaction again"}));
  }

  // Makes the bytes for the slot after the head. An entry that could not be applied is found out here, not by the next
  // reader of a log that can no longer be read.
  [[nodiscard]] status prepare() {
    if (!state_->needed_to_write.empty())
      return error(errc::unsupported, concat({"the lake needs the feature '", state_->needed_to_write.front(),
                                              "' to be written, which this tarn does not have: use a newer tarn"}));
    const bool overtaken = mine_.at != version() && mine_.at != state_->at.next();
    if (overtaken && retries_.is_late())
      return error(errc::conflict,
                   concat({"others were faster with ", passed_, " commits since version ", mine_.read_version.number,
                           " was read, and the waits between have come to backoff_options::wait_total_us_max, ",
                           options_.backoff.wait_total_us_max, ": run the transaction again"}));
    if (mine_.at != state_->at.next()) retries_.restart();
    mine_.at = state_->at.next();
    // Of what this client would found a lake with, nothing holds in one that another has founded first.
    const bool founds = mine_.at.number == 0 && options_.inline_bytes_max > 0;
    mine_.inline_bytes_max = stated_ == entry::unstated && founds ? options_.inline_bytes_max : stated_;
    mine_.previous_checksum = state_->entry_checksum;
    mine_.time = time_after(*state_, surroundings_);
    // Whoever reads this version makes objects that are born at its time or later: none of them may be garbage.
    if (mine_.vacuums && mine_.kept.horizon >= mine_.time) mine_.kept.horizon = {mine_.time.ms - 1};
    bytes_ = write_entry(mine_);
    if (bytes_.size() > bounds_.entry_bytes_max)
      return error(errc::limit_exceeded,
                   concat({"the log entry has ", bytes_.size(), " bytes, limits::entry_bytes_max is ",
                           bounds_.entry_bytes_max, ": commit in smaller transactions, or raise it"}));
    given_up_ = false;
    after_ = state_;
    return apply_entry(after_.writable(), mine_, crc32c(bytes_));
  }

  // Our entry is in its slot. To be seen is not to be durable, though: that only a put can promise, so it is made again
  // if the last one did not.
  [[nodiscard]] result<version> confirm() {
    while (!durable_) {
      const put_result put = store_.put_if_absent(entry_name(committed_), bytes_);
      durable_ = put.outcome() == put_outcome::created || put.outcome() == put_outcome::already_exists;
      if (!durable_ && (!may_retry(put) || !retries_.wait())) return in_doubt(put.why());
    }
    return settle(committed_);
  }

  // Our entry is durable in this slot. It is in the log if the slot is, or was when it was emptied.
  [[nodiscard]] result<version> settle(version slot) {
    for (;;) {
      const status found = find_truncations(store_, extent_);
      if (found) return extent_.truncated < slot ? result<version>(slot) : overtaken();
      if (!retries_.wait()) return in_doubt(found.error());
    }
  }

  // What the log says instead of a version, unless what was read last is garbage, or what comes next: numbered work
  // that was done before, or `why` there can be no commit.
  [[nodiscard]] result<version> refuse(const error& why) {
    if (const status found = find_truncations(store_, extent_); !found)
      return first_offered_ == version() ? found.error() : in_doubt(found.error());
    const bool has_read = state_->at > mine_.read_version;
    if (extent_.truncated > state_->at || (has_read && extent_.truncated == state_->at)) return overtaken();
    if (reached_.at == version()) return why;
    after_ = shared_snapshot();  // our bytes may have been meant for the very slot that the other's are in
    return answer_for(store_, extent_, mine_.work, reached_, options_.backoff, surroundings_);
  }

  // What a truncation says of this commit that has come to slots after the snapshot: where it was before, or that it
  // can be nowhere. That another's entry was read where our bytes may have gone says nothing, if that slot was empty
  // again.
  [[nodiscard]] result<version> overtaken() {
    while (first_offered_ != version()) {
      const result<version> slot = find_emptied_slot(store_, extent_, mine_.transaction, first_offered_);
      if (slot && *slot == version()) break;
      if (slot && *slot != mine_.at) after_ = shared_snapshot();
      if (slot) return slot;
      if (!retries_.wait()) return in_doubt(slot.error());
    }
    return expired();
  }
  [[nodiscard]] error expired() const {
    return {errc::expired, concat({"the log was truncated to version ", extent_.truncated.number,
                                   ", so that what was committed since version ", mine_.read_version.number,
                                   ", which was read, is not known: run the transaction again, on a newer one"})};
  }

  [[nodiscard]] error unreadable_slot() const {
    return {errc::io, concat({"the store says that ", entry_name(mine_.at), " exists, but does not return it"})};
  }

  [[nodiscard]] error in_doubt(const error& why) const {
    return {commit_in_doubt{mine_.transaction, mine_.at},
            concat({"whether transaction ", to_text(mine_.transaction), " was committed as version ", mine_.at.number,
                    " is not known: ", why.message(), "; ask find_commit before running it again"})};
  }

  Store& store_;
  shared_snapshot state_;
  log_extent& extent_;
  entry mine_;
  const std::int64_t stated_;  // its inline_bytes_max, whichever slot it gets
  Check check_;
  const commit_options& options_;
  const environment& surroundings_;
  const limits& bounds_;
  backoff retries_;

  shared_snapshot after_;  // the state that `bytes_` in slot `mine_.at` lead to
  std::string bytes_;
  version committed_;           // where our entry was found
  committed_sequence reached_;  // in an entry of another: our numbered work, or later work of its application
  status refused_;              // why numbered work cannot be committed, unless it is found that it was
  std::uint64_t passed_ = 0;    // entries of others since the snapshot
  bool offered_ = false;   // `bytes_` were put into slot `mine_.at`, which is empty as far as is known: may still land
  version first_offered_;  // the first slot into which bytes of this commit were put; -1: none
  bool durable_ = false;   // the last put has promised that what is in the slot is durable
  bool given_up_ = false;  // only one more look at the slot can help
  status last_failure_;
};

}  // namespace tarn::inline TARN_ABI
