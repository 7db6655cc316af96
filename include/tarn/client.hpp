// The client: what a program holds to use a lake. There is no server and no background work: whatever happens, happens
// in the calls below, on the caller's thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "codec/codec.hpp"
#include "codec/json_codec.hpp"
#include "core/config.hpp"
#include "core/new_id.hpp"
#include "core/result.hpp"
#include "core/shared.hpp"
#include "core/strong_types.hpp"
#include "core/uuid.hpp"
#include "fwd.hpp"
#include "history.hpp"
#include "log/application.hpp"
#include "log/commit.hpp"
#include "log/inline_objects.hpp"
#include "log/log.hpp"
#include "log/open.hpp"
#include "log/truncation.hpp"
#include "merge/strategy.hpp"
#include "store/store.hpp"
#include "table/bag_compaction.hpp"
#include "table/client_core.hpp"
#include "table/commit_entry.hpp"
#include "table/compaction.hpp"
#include "table/conflict.hpp"
#include "table/lake_properties.hpp"
#include "table/pending_tables.hpp"
#include "table/restore.hpp"
#include "table/tagging.hpp"
#include "transaction.hpp"

namespace tarn::inline TARN_ABI {

// What became of a commit whose answer was lost.
enum class commit_state : unsigned char {
  committed,      // its slot holds it
  not_committed,  // its slot holds another entry: it never will be
  undecided,      // its slot is empty: it may still land; settle it, or ask again later
};

// What `find_commit` does about an empty slot.
enum class settle : bool {
  no,   // nothing
  yes,  // fill it with an entry that changes nothing, so that the commit in doubt cannot land any more
};

// A lake in a store. Any number of clients, in any number of processes, may use one lake at the same time; one client
// is used by one thread at a time. Copies are clients of their own. A client owns its store object; its transactions
// and scans keep it alive. A moved-from client may only be destroyed or assigned to.
template <class Store, class Codec, class Merge>
class client {
  static_assert(puts_if_absent<Store>,
                "the store needs: tarn::put_result put_if_absent(std::string_view name, std::string_view bytes);");
  static_assert(gets_objects<Store>,
                "the store needs: tarn::result<handle> get(std::string_view name); and a type `handle` that owns the "
                "bytes, is movable and converts to std::string_view (tarn::shared_bytes is one)");
  static_assert(
      lists_names<Store>,
      "the store needs: tarn::status list(std::string_view prefix, std::string_view start_after, auto visit); "
      "that calls visit(std::string_view name) for each name");
  static_assert(merge_strategy<Merge>,
                "the strategy needs: records_positions and positions_hold, as in "
                "tarn/merge/strategy.hpp");
  static_assert(row_codec<Codec>, "the codec needs: name, build and open, as in tarn/codec/codec.hpp");

 public:
  using transaction_type = transaction<Store, Codec, Merge>;

  explicit client(Store store, client_options options = {}, Codec codec = {})
      : core_(shared<client_core<Store, Codec>>::make(
            client_core<Store, Codec>{std::move(store), std::move(codec), options, {}, false, {}, {}})) {}
  client(const client& other) : core_(shared<client_core<Store, Codec>>::make(std::as_const(*other.core_))) {}
  client(client&&) noexcept = default;
  client& operator=(client other) noexcept {
    std::swap(core_, other.core_);
    return *this;
  }
  ~client() = default;

  // A transaction that reads the newest version. The first call reads the newest checkpoint and the log from there;
  // later ones cost one `get` that finds nothing (two where the store can remove), and one more for each commit of
  // others since. errc::corrupt and errc::unsupported name the version.
  [[nodiscard]] result<transaction_type> begin(isolation level = isolation::serializable) {
    if (const status updated = update(); !updated) return updated.error();
    return start(core_->latest, level);
  }

  // A transaction that reads version `at`. errc::not_found if there is no such version (yet), errc::snapshot_expired if
  // it was given up by a vacuum or a truncation. Reads the newest checkpoint before it, and the log from there: damage
  // elsewhere does not matter.
  [[nodiscard]] result<transaction_type> begin_at(version at) {
    const result<shared_snapshot> state = snapshot_at(at);
    if (!state) return state.error();
    return start(*state);
  }

  // A transaction that reads the newest version that was committed at `time` or before. The article's versions, which
  // have no time, count as committed with the one before. errc::not_found if the first that is there is later. Looks at
  // log n entries of n, and then costs what the version does.
  [[nodiscard]] result<transaction_type> begin_at(timestamp time) {
    const result<version> found = version_at(time);
    if (!found) return found.error();
    return begin_at(*found);
  }

  // Runs `work(transaction&)`, which returns a status or another result, in a transaction and commits it. After a
  // conflict all of it is done again on the newest version, after a wait, as long as commit_options::backoff allows;
  // then errc::conflict. What `work` fails with ends it, and nothing is committed. Each time, `work` must start from
  // what it reads then.
  template <class Work>
  [[nodiscard]] result<version> run(Work work, isolation level = isolation::serializable) {
    return run_as({}, work, level);
  }
  // The same for numbered work; see `transaction::commit`. `work` is not called if it was committed before.
  template <class Work>
  [[nodiscard]] result<version> run(const application_sequence& number, Work work,
                                    isolation level = isolation::serializable) {
    if (const status good = check_application_sequence(number); !good) return good.error();
    return run_as(number, work, level);
  }

  // The versions of the lake, oldest first: from the beginning or, if the log was truncated, after the first
  // checkpoint.
  [[nodiscard]] result<log_reader<Store, Codec>> log() {
    if (const status found = find_log(); !found) return found.error();
    if (const status listed = list_after(core_->extent.truncated); !listed) return listed.error();
    const result<shared_snapshot> first = find_first(core_->store, core_->extent, core_->options.bounds);
    if (!first) return first.error();
    return log_reader<Store, Codec>(core_, (*first)->at, (*first)->entry_checksum);
  }

  // Makes sure that the newest version has a checkpoint, reads it back, and returns which version that is. Clients
  // write checkpoints by themselves, every client_options::checkpoint_interval versions. One put and one `get`, or some
  // of each if the state is large.
  [[nodiscard]] result<version> checkpoint() {
    for (;;) {
      if (const status updated = update(); !updated) return updated.error();
      const status put = checkpoint_of(*core_->latest);
      if (put) {
        forget_inline_bytes(core_->latest);
        return core_->latest->at;
      }
      if (put.error().code() != errc::snapshot_expired) return put.error();  // else it is not the newest any more
    }
  }
  // The same for the state of any version. errc::snapshot_expired: a truncation has removed it again, as garbage.
  [[nodiscard]] status checkpoint_of(const snapshot& state) {
    const status safe = ensure_checkpoint(core_->store, state, core_->options.bounds, core_->options.commit.backoff,
                                          core_->options.surroundings);
    if (safe || safe.error().code() != errc::not_found) return safe;
    if (const status found = find_truncations(core_->store, core_->extent); !found) return found;
    if (state.at >= core_->extent.truncated) return safe;
    return error(errc::snapshot_expired,
                 concat({"version ", state.at.number, " is gone: the log was truncated to version ",
                         core_->extent.truncated.number, ": take a newer snapshot"}));
  }

  // What became of a commit that ended in errc::commit_unknown (error::in_doubt), in this process or another one. With
  // settle::yes the answer is not `undecided`, unless the store fails: then it is the error. One `get` for each
  // truncation that there was, beside those of reading on.
  [[nodiscard]] result<commit_state> find_commit(const uuid& transaction, version slot, settle undecided = settle::no) {
    const result<commit_state> found = look_up(transaction, slot);
    if (!found || *found != commit_state::undecided || undecided == settle::no) return found;
    const status filled = fill(slot);
    if (!filled &&
        filled.error().code() == errc::commit_unknown)  // of the filling; what was asked is as open as before
      return error(commit_in_doubt{transaction, slot},
                   concat({"version ", slot.number, " could not be settled: ask again; ", filled.error().message()}));
    if (!filled) return filled.error();
    return look_up(transaction, slot);
  }

  // Folds every bucket of a keyed table that has anything to fold; in a bag, puts neighbours together that are small or
  // have lost many rows (client_options::compaction). Each is a version of its own. Returns the newest version.
  // errc::conflict: another compaction was faster, or rows were deleted of what a bag's was about; errc::expired and
  // errc::snapshot_expired: a vacuum was. The work of this one is garbage then.
  [[nodiscard]] result<version> compact(std::string_view table) {
    result<sequence<compaction_plan>> plans = plan_compaction(table);
    if (!plans) return plans.error();
    for (compaction_plan& each : *plans)
      while (!each.objects.empty()) {
        // As of now, since each commit makes a version; that costs one `get`.
        if (const status updated = update(); !updated) return updated.error();
        if (!renew_plan(each, *core_->latest)) break;
        const result<compacted_objects> done = run_compaction(each);
        if (!done) return done.error();
        const result<version> committed = commit_compaction(*done);
        if (!committed) return committed.error();
        each.objects = sequence<uuid>(each.objects.begin() + done->plan.objects.size(), each.objects.end());
      }
    return core_->latest->at;
  }

  // The same in three steps, for whoever wants to compact elsewhere or later; see table/compaction.hpp. A plan is made
  // at the newest version and can be run and committed by any client of the lake; running one of an older version reads
  // a checkpoint before it, and the log from there.
  [[nodiscard]] result<sequence<compaction_plan>> plan_compaction(std::string_view table) {
    if (const status updated = update(); !updated) return updated.error();
    const table_state* const found = core_->latest->find_table(table);
    if (found == nullptr) return pending_tables<Store, Codec, Merge>(core_->latest).use(table).error();
    if (found->key.empty()) return plan_bag(*found, core_->latest->at, core_->options);
    sequence<compaction_plan> plans;
    for (std::uint32_t bucket = 0; bucket < found->buckets.size(); ++bucket)
      if (is_worth_folding(*found->buckets[bucket])) plans.push_back(plan_bucket(*found, bucket, core_->latest->at));
    return plans;
  }
  [[nodiscard]] result<compacted_objects> run_compaction(const compaction_plan& plan) {
    const result<shared_snapshot> state = snapshot_at(plan.at);
    if (!state) return state.error();
    const result<const table_state*> table = planned_table(**state, plan);
    if (!table) return table.error();
    if ((*table)->key.empty()) return bag_compactor<Store, Codec>(*core_, **table).run(plan, (*state)->time);
    const result<data_object> base = fold_bucket<Merge>(*core_, **table, plan, (*state)->time);
    if (!base) return base.error();
    return compacted_objects{plan, *base};
  }
  [[nodiscard]] result<version> commit_compaction(const compacted_objects& done) {
    const result<shared_snapshot> state = snapshot_at(done.plan.at);
    if (!state) return state.error();
    const result<const table_state*> planned = planned_table(**state, done.plan);
    if (!planned) return planned.error();
    entry mine;
    mine.operation = operation_name(action_kind::remove_object);
    mine.actions.find_or_insert(done.plan.table) = compaction_actions(**planned, done);
    footprint used;
    used.tables.find_or_insert(done.plan.table).compacted = done.plan.objects;
    const auto check = [&](const entry& theirs) {
      no_keys none;
      return check_conflict(used, theirs, none);
    };
    return commit_entry(*core_, *state, std::move(mine), check);
  }

  // Makes the tables what they were at version `at`, as a new version, which is returned; the newest, without an entry,
  // if they are the same. What was written, dropped, altered or compacted since is undone; what applications have
  // committed, tags and what vacuums have left stay as they are. errc::not_found, errc::snapshot_expired: there is no
  // such version, or no more. errc::conflict: another has changed something meanwhile. errc::limit_exceeded: the entry,
  // which names all objects of all tables that change, is too long. Costs `begin_at` and a commit; reads no rows.
  [[nodiscard]] result<version> restore(version at) {
    const result<shared_snapshot> now = newest_snapshot();
    if (!now) return now.error();
    if (const status kept = check_kept(**now, at); !kept) return kept.error();
    const result<shared_snapshot> then = snapshot_at(at);
    if (!then) return then.error();
    return restore_tables(*core_, *now, *then);
  }

  // Names a version, in the log, and keeps it: no vacuum takes away what it is made of. The version that says so is
  // returned. errc::invalid_name, errc::exists if the name is taken: a tag never moves. errc::not_found and
  // errc::snapshot_expired as by `restore`; errc::conflict: another has changed the same tag meanwhile.
  [[nodiscard]] result<version> tag(std::string_view name, version at) {
    const result<shared_snapshot> now = newest_snapshot();
    if (!now) return now.error();
    if (const status good = check_new_tag(**now, name, at); !good) return good.error();
    // With a checkpoint of its own it can be read even when the log around it is gone.
    const result<shared_snapshot> named = snapshot_at(at);
    if (!named) return named.error();
    if (const status safe = checkpoint_of(**named); !safe) return safe.error();
    return tag_version(*core_, *now, name, at);
  }
  // Takes a name away; errc::not_found if there is none. Its version is kept as long as any other then.
  [[nodiscard]] result<version> untag(std::string_view name) {
    const result<shared_snapshot> now = newest_snapshot();
    if (!now) return now.error();
    return untag_version(*core_, *now, name);
  }
  // All tags, by name: `begin_at(tag.at)` reads what one names.
  [[nodiscard]] result<sequence<version_tag>> tags() {
    const result<shared_snapshot> now = newest_snapshot();
    if (!now) return now.error();
    return *(*now)->tags;
  }

  // A transaction's objects travel in its entry, whoever commits it, as long as they have no more bytes than this
  // together: a commit of so few then is one put. 0: none, as in a lake that is shared with the article's program,
  // which does not know such entries; so before the first row has travelled. Transactions under way that carry more
  // fail with errc::conflict. A lake begins with commit_options::inline_bytes_max; one that the article's program has
  // founded, with 0. Costs a commit, which is returned; nothing, and the newest version, if it is so already.
  [[nodiscard]] result<version> set_inline_bytes_max(std::uint32_t bytes) {
    const result<shared_snapshot> now = newest_snapshot();
    if (!now) return now.error();
    if ((*now)->at != version() && (*now)->inline_bytes_max == bytes) return (*now)->at;
    return commit_inline_bytes_max(*core_, *now, bytes);
  }

  // What a version is made of: for tools, and for the headers that work on a client (vacuum.hpp, changes.hpp, ...).
  // The cost of `begin` and `begin_at`.
  [[nodiscard]] result<shared_snapshot> newest_snapshot() {
    if (const status updated = update(); !updated) return updated.error();
    return core_->latest;
  }
  [[nodiscard]] result<shared_snapshot> snapshot_at(version at) {
    if (at < version())
      return error(errc::invalid_argument, concat({"there is no version ", at.number, ": the first is 0"}));
    // To learn what has been given up. If the newest versions are damaged, older ones may be readable all the same.
    const status updated = update();
    if (!updated && updated.error().code() != errc::corrupt && updated.error().code() != errc::unsupported)
      return updated.error();
    if (at != version() && (updated || at <= core_->latest->at))
      if (const status kept = check_kept(*core_->latest, at); !kept) return kept.error();
    if (core_->opened && core_->latest->at == at) return core_->latest;
    result<shared_snapshot> state = find_start(core_->store, core_->extent, at, core_->options.bounds);
    if (!state) return state;
    const status read = read_on(core_->store, *state, core_->extent, at, core_->options.bounds);
    if (!read) return read.error();
    if ((*state)->at == at) return state;
    return error(errc::not_found, concat({"there is no version ", at.number, ": the newest is ", (*state)->at.number}));
  }

  // The newest version that was committed at `time` or before: reads on from a checkpoint until a later one comes.
  [[nodiscard]] result<version> version_at(timestamp time) {
    if (const status found = find_log(); !found) return found.error();
    if (const status listed = list_after(core_->extent.truncated); !listed) return listed.error();
    for (;;) {
      const version gone = core_->extent.truncated;
      result<shared_snapshot> state = find_start_before(core_->store, core_->extent, time, core_->options.bounds);
      if (!state) return state.error();
      bool passed = false;
      const auto until = [&](const entry& each) {
        passed = !each.of_article && each.time > time;
        return passed ? status(error(errc::not_found, "later")) : status();
      };
      const status read =
          read_forward(core_->store, *state, {.listed = core_->extent.listed}, core_->options.bounds, until);
      if (const status found = find_truncations(core_->store, core_->extent); !found) return found.error();
      if (core_->extent.truncated > gone) continue;  // perhaps it was garbage
      if (!read && !passed) return read.error();
      if ((*state)->at != version()) return (*state)->at;
      return error(errc::not_found, concat({"nothing was committed at ", time.ms, " ms since 1970 or before"}));
    }
  }

  [[nodiscard]] Store& store() noexcept { return core_->store; }
  // What this client shares with its transactions and scans.
  [[nodiscard]] const shared<client_core<Store, Codec>>& core() const noexcept { return core_; }

 private:
  [[nodiscard]] result<transaction_type> start(const shared_snapshot& state,
                                               isolation level = isolation::serializable) {
    const result<uuid> id = new_id(core_->options.surroundings, state->time);
    if (!id) return id.error();
    return transaction_type(core_, state, *id, level);
  }

  template <class Work>
  [[nodiscard]] result<version> run_as(const application_sequence& number, Work& work, isolation level) {
    static_assert(
        requires(transaction_type & tx) { error(work(tx).error()); },
        "run needs: tarn::status work(transaction& tx), or another result, as in "
        "[](auto& tx) { return tx.insert(...); }");
    const bool numbered = !number.application.empty();
    backoff retries(core_->options.commit.backoff, core_->options.surroundings);
    for (;;) {
      result<transaction_type> tx = begin(level);
      if (!tx) return tx.error();
      const committed_sequence* const last = core_->latest->applications->find(number.application);
      if (last == nullptr || !has_reached(last->work, number))
        if (const auto done = work(*tx); !done) return done.error();
      const result<version> committed = numbered ? tx->commit(number) : tx->commit();
      if (committed || !committed.error().retry_helps() || !retries.wait()) return committed;
    }
  }

  // Learns where the log begins.
  [[nodiscard]] status find_log() {
    if (const status good = check_options(core_->options, strengths_of<Store>()); !good) return good;
    return list_truncations(core_->store, core_->extent);
  }
  // Learns how far it reaches at least.
  [[nodiscard]] status list_after(version at) {
    const result<version> head = list_head(core_->store, at);
    if (!head) return head.error();
    if (*head > core_->extent.listed) core_->extent.listed = *head;
    return {};
  }

  // Brings `latest` to the head of the log; the first time, from the newest checkpoint.
  [[nodiscard]] status update() {
    if (core_->opened) return update_from(core_->latest);
    // Else the list that finds a checkpoint tells all this, too.
    constexpr bool lists_apart = !strengths_of<Store>().flat_list;
    if (const status found = lists_apart ? find_log() : check_options(core_->options, strengths_of<Store>()); !found)
      return found;
    const result<shared_snapshot> begin = find_start(core_->store, core_->extent, {INT64_MAX}, core_->options.bounds);
    if (!begin) return begin.error();
    if (const status listed = lists_apart ? list_after((*begin)->at) : status(); !listed) return listed;
    return update_from(*begin);
  }
  [[nodiscard]] status update_from(shared_snapshot state) {
    const status read = read_on(core_->store, state, core_->extent, {INT64_MAX}, core_->options.bounds);
    if (!read) return read;
    core_->latest = std::move(state);
    core_->opened = true;
    return {};
  }

  [[nodiscard]] result<commit_state> look_up(const uuid& transaction, version slot) {
    if (slot.number < 0) return error(errc::invalid_argument, "the slot of a commit is never negative");
    const result<logged_entry> found = get_entry(core_->store, slot, core_->options.bounds);
    // Only then: what is in a slot that a truncation has emptied, or is not, tells nothing. The transaction may have
    // been in an earlier one: who has committed it has then taken garbage for somebody else's entry there, and gone on.
    if (const status begun = find_log(); !begun) return begun.error();
    const bool is_emptied = slot <= core_->extent.truncated;
    if (!is_emptied && found && !found->content.of_article && found->content.transaction == transaction) {
      const status durable =
          make_durable(core_->store, core_->extent, slot, core_->options.commit.backoff, core_->options.surroundings);
      return durable ? result<commit_state>(commit_state::committed) : durable.error();
    }
    const result<version> emptied = find_emptied_slot(core_->store, core_->extent, transaction, {0});
    if (!emptied) return emptied.error();
    if (*emptied != version()) return commit_state::committed;
    if (is_emptied || found) return commit_state::not_committed;
    return found.error().code() == errc::not_found ? result<commit_state>(commit_state::undecided) : found.error();
  }

  // Fills an empty slot, which must be the one after the head, with an entry that changes nothing; success too if
  // another was faster.
  [[nodiscard]] status fill(version slot) {
    if (const status updated = update(); !updated) return updated.error();
    if (core_->latest->at >= slot) return {};
    if (core_->latest->at.next() != slot)
      return error(errc::invalid_argument,
                   concat({"version ", slot.number, " cannot be in doubt: the newest is ", core_->latest->at.number}));
    entry nothing;
    nothing.operation = "settle";
    const auto stop = [](const entry&) { return status(error(errc::conflict, "the slot is filled")); };
    const result<version> settled = commit_entry(*core_, core_->latest, std::move(nothing), stop);
    if (!settled && settled.error().code() != errc::conflict) return settled.error();
    return {};
  }

  shared<client_core<Store, Codec>> core_;
};

template <class Store>
client(Store) -> client<Store>;
template <class Store>
client(Store, client_options) -> client<Store>;

}  // namespace tarn::inline TARN_ABI
