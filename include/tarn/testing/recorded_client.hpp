// A client that writes down what it does and what it is told, so that ordinary programs can be checked:
//
//   history_recorder into;
//   recorded_client lake(client(store), into);
//   ...                                            // programs of any number of such clients
//   store_reader read(store);
//   audit_store(read, into);                       // store_audit.hpp: whose each version is, and its rows
//   const history_report report = check_history(into.recorded());
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "../client.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/strong_types.hpp"
#include "../table/compaction.hpp"
#include "../table/conflict.hpp"
#include "../table/restore.hpp"
#include "../vacuum.hpp"
#include "history.hpp"
#include "history_recorder.hpp"
#include "recorded_transaction.hpp"

namespace tarn::inline TARN_ABI::testing {

// Like the client that it wraps; its transactions are one session. Used by one thread at a time.
template <class Store, class Codec = json_codec, class Merge = merge::by_position>
class recorded_client {
 public:
  using client_type = client<Store, Codec, Merge>;
  using transaction_type = recorded_transaction<typename client_type::transaction_type>;

  recorded_client(client_type inner, history_recorder& into)
      : inner_(std::move(inner)),
        into_(&into),
        number_(into.add_client()),
        tokens_(std::make_unique<std::uint64_t>(0)) {}

  // What is not recorded: reading the log, planning, ...
  [[nodiscard]] client_type& inner() noexcept { return inner_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

  [[nodiscard]] result<transaction_type> begin(isolation level = isolation::serializable) {
    transaction_record record = begun(purpose::work);
    record.level = level;
    auto inner = inner_.begin(level);
    if (!inner) return inner.error();
    return transaction_type(*std::move(inner), *into_, record, *tokens_);
  }

  // errc::snapshot_expired is recorded: somebody must have given the version up.
  [[nodiscard]] result<transaction_type> begin_at(version at) {
    transaction_record record = begun(purpose::audit);
    record.snapshot = at;
    auto inner = inner_.begin_at(at);
    if (inner) return transaction_type(*std::move(inner), *into_, record, *tokens_);
    record.outcome = commit_outcome::failed;
    record.given_up = true;
    if (inner.error().code() == errc::snapshot_expired) into_->add(record, {});
    return inner.error();
  }

  // As `client::run`, without waits: `work(transaction&)` and commit, at most `attempts` times.
  template <class Work>
  [[nodiscard]] result<version> run(Work work, isolation level = isolation::serializable, int attempts = 10) {
    for (;;) {
      result<transaction_type> tx = begin(level);
      if (!tx) return tx.error();
      if (const auto done = work(*tx); !done) return done.error();
      const result<version> committed = tx->commit();
      if (committed || !committed.error().retry_helps() || --attempts <= 0) return committed;
    }
  }

  // One compaction after the other, each a version, until there is nothing more worth it. The first error ends it.
  [[nodiscard]] status compact(std::string_view table) {
    for (;;) {
      const result<sequence<compaction_plan>> plans = inner_.plan_compaction(table);
      if (!plans) return plans.error();
      if (plans->empty()) return {};
      const result<compacted_objects> done = inner_.run_compaction(plans->front());
      if (!done) return done.error();
      const result<version> committed = commit_compaction(*done);
      if (!committed) return committed.error();
    }
  }
  // Of what `inner()` has planned and run, at whatever time.
  [[nodiscard]] result<version> commit_compaction(const compacted_objects& done) {
    transaction_record record = begun(purpose::housekeeping);
    record.snapshot = done.plan.at;
    return ended(record, inner_.commit_compaction(done));
  }

  [[nodiscard]] result<version> checkpoint() {
    transaction_record record = begun(purpose::housekeeping);
    const result<version> at = inner_.checkpoint();
    if (!at) return at;
    record.snapshot = *at;
    return ended(record, at);
  }

  [[nodiscard]] result<version> tag(std::string_view name, version at) {
    const transaction_record record = begun(purpose::housekeeping);
    return ended(record, inner_.tag(name, at));
  }
  [[nodiscard]] result<version> untag(std::string_view name) {
    const transaction_record record = begun(purpose::housekeeping);
    return ended(record, inner_.untag(name));
  }
  // Its answer is not recorded, but that it may have filled a slot.
  [[nodiscard]] result<commit_state> find_commit(const uuid& transaction, version slot, settle undecided = settle::no) {
    transaction_record record = begun(purpose::housekeeping);
    result<commit_state> found = inner_.find_commit(transaction, slot, undecided);
    record.outcome = commit_outcome::unknown;
    record.snapshot = {slot.number - 1};
    record.committed = slot;
    if (undecided == settle::yes) into_->add(record, {});
    return found;
  }

  [[nodiscard]] result<vacuum_report> vacuum(const vacuum_options& options = {}) {
    transaction_record record = begun(purpose::housekeeping);
    const version before = inner_.core()->latest->at;
    result<vacuum_report> done = tarn::vacuum(inner_, options);
    if (options.dry_run) return done;
    if (!done) return note_failed_vacuum(record, before, done.error()), done;
    into_->add_given_up({record.begin, done->kept.oldest, {}});
    record.committed = done->at;
    record.snapshot = {done->at.number - 1};
    if (done->at != version()) into_->add(record, {});
    return done;
  }

  // Nothing of it is recorded: what it removes, a vacuum has given up. Before it the log must be read, whose beginning
  // is gone afterwards.
  [[nodiscard]] result<version> truncate() { return tarn::truncate(inner_); }

  // The two steps of `client::restore`, so that it is known which version it has read, and whether it made an entry.
  [[nodiscard]] result<version> restore(version at) {
    transaction_record record = begun(purpose::restore);
    const result<shared_snapshot> now = inner_.newest_snapshot();
    if (!now) return now.error();
    if (const status kept = check_kept(**now, at); !kept) return kept.error();
    const result<shared_snapshot> then = inner_.snapshot_at(at);
    if (!then) return then.error();
    record.snapshot = (*now)->at;
    const result<version> restored = restore_tables(*inner_.core(), *now, *then);
    if (!restored && restored.error().code() != errc::commit_unknown) return restored;
    const recorded_operation done{operation_kind::restore, 0, static_cast<std::uint64_t>(at.number), 0, 0,
                                  record.snapshot.number};
    record.committed = restored ? *restored : no_version;
    record.outcome = restored ? commit_outcome::acknowledged : commit_outcome::unknown;
    if (!restored) record.id = restored.error().in_doubt().transaction;
    const bool wrote = !restored || *restored > record.snapshot;
    into_->add(record, {&done, wrote ? std::size_t{1} : std::size_t{0}});
    return restored;
  }

 private:
  [[nodiscard]] transaction_record begun(purpose why) {
    transaction_record record;
    record.begin = into_->next_event();
    record.client = record.session = number_;
    record.purpose = why;
    return record;
  }

  // It may be in the log all the same, and have given up versions: under the id that its client was told or, if it has
  // failed after its commit, as one of the versions that its client has come to know meanwhile.
  void note_failed_vacuum(transaction_record record, version before, const error& why) {
    const snapshot& latest = *inner_.core()->latest;
    record.purpose = purpose::audit;
    record.outcome = commit_outcome::unknown;
    if (why.code() == errc::commit_unknown) {
      record.id = why.in_doubt().transaction;
      into_->add_given_up({record.begin, {why.in_doubt().slot.number - 1}, record.id});
    } else if (latest.at > before) {
      record.snapshot = before;
      record.committed = latest.at;
      into_->add_given_up({record.begin, latest.kept.oldest, {}});
    } else {
      return;  // it did not get that far
    }
    into_->add(record, {});
  }

  // A housekeeping that says nothing of its snapshot has read the version before its own.
  [[nodiscard]] result<version> ended(transaction_record record, const result<version>& committed) {
    record.outcome = committed                                          ? commit_outcome::acknowledged
                     : committed.error().code() == errc::commit_unknown ? commit_outcome::unknown
                                                                        : commit_outcome::failed;
    if (committed) record.committed = *committed;
    if (committed && record.snapshot == version()) record.snapshot = {committed->number - 1};
    if (record.outcome == commit_outcome::unknown) record.id = committed.error().in_doubt().transaction;
    // One that failed has read nothing that it would speak of.
    if (!committed) record.purpose = purpose::audit;
    into_->add(record, {});
    return committed;
  }

  client_type inner_;
  history_recorder* into_;
  std::uint32_t number_;
  std::unique_ptr<std::uint64_t> tokens_;  // rows written so far
};

}  // namespace tarn::inline TARN_ABI::testing
