// Clients in several processes over one folder: at work, killed at any moment, and made by fork.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tarn/client.hpp>
#include <tarn/store/file_store.hpp>
#include <utility>
#include <vector>

#include "../support/append_work.hpp"
#include "../support/counting_store.hpp"
#include "../support/process.hpp"
#include "../support/random_source.hpp"
#include "../support/reading.hpp"
#include "../support/temporary_folder.hpp"

namespace {

using namespace tarn_test;

// A store of its own for whoever asks, as another process would have.
[[nodiscard]] tarn::file_store<> open_folder(const temporary_folder& folder, tarn::durability durability) {
  tarn::file_store_options options;
  options.durability = durability;
  return tarn::file_store<>(folder.path().string(), options);
}

// Whether a test that forks is to be left out, and says so.
[[nodiscard]] bool is_left_out() {
  if (!may_fork) MESSAGE("left out: thread sanitizer does not support fork");
  return !may_fork;
}

// --- processes that append ---------------------------------------------------------------------------------------

void append_and_tell(const temporary_folder& folder, tarn::durability durability, int writer, int count,
                     line_writer lines) {
  counting_store store(open_folder(folder, durability));
  tarn::client lake{store};
  const append_report report = append_rows(lake, writer, count);
  for (const tarn::version at : report.committed) lines.write("committed " + std::to_string(at.number));
  for (const std::string& failure : report.failures) lines.write("failed " + failure);
  const entry_put_counts& puts = store.entry_puts();
  lines.write("puts " + std::to_string(puts.created) + " " + std::to_string(puts.lost) + " " +
              std::to_string(puts.unclear));
}

void check_processes_that_append(tarn::durability durability, int writers, int appends_each) {
  const temporary_folder folder;
  tarn::client first{open_folder(folder, durability)};
  create_append_table(first);
  std::vector<process> running;
  for (int writer = 0; writer < writers; ++writer)
    running.emplace_back(
        [&, writer](line_writer lines) { append_and_tell(folder, durability, writer, appends_each, lines); });

  std::vector<append_report> reports;
  std::uint64_t created = 0;
  std::uint64_t lost = 0;
  std::uint64_t unclear = 0;
  for (process& each : running) {
    append_report& report = reports.emplace_back();
    for (const std::string& line : each.lines()) {
      std::istringstream words(line);
      std::string what;
      words >> what;
      if (what == "committed") {
        words >> report.committed.emplace_back().number;
      } else if (what == "puts") {
        std::array<std::uint64_t, 3> puts{};
        words >> puts[0] >> puts[1] >> puts[2];
        created += puts[0];
        lost += puts[1];
        unclear += puts[2];
      } else {
        report.failures.push_back(line);
      }
    }
    CHECK(each.succeeded());
  }

  tarn::client reader{open_folder(folder, durability)};
  check_appends(reader, reports, appends_each);
  const auto commits = static_cast<std::uint64_t>(writers * appends_each);
  CHECK(created == commits);
  CHECK(unclear == 0);
  CHECK(lost <= commits * static_cast<std::uint64_t>(writers - 1));
  MESSAGE(writers, " processes: ", commits, " commits, ", (created + lost), " puts of log entries");
}

// --- processes that are killed -----------------------------------------------------------------------------------

// Transaction `number` writes this many rows into `left`, and as many into `right`.
[[nodiscard]] std::int64_t rows_in(std::int64_t number) { return 1 + number * 7 % 5; }

[[nodiscard]] tarn::client_options two_rows_per_object() {
  tarn::client_options options;
  options.bounds.rows_per_object = 2;  // so that a transaction is several objects and the entry that names them
  return options;
}

using folder_client = tarn::client<tarn::file_store<>>;

[[nodiscard]] tarn::result<tarn::version> commit_numbered(folder_client& lake, std::int64_t number,
                                                          const line_writer* lines) {
  auto transaction = lake.begin();
  if (!transaction) return transaction.error();
  if (lines != nullptr) lines->write("started " + std::to_string(number) + " " + to_text(transaction->id()));
  for (std::int64_t row = 0; row < rows_in(number); ++row)
    for (const char* const table : {"left", "right"})
      if (const auto inserted = transaction->insert(table, {number, row}); !inserted) return inserted.error();
  return transaction->commit();
}

// Commits one transaction after the other until it is killed.
void commit_for_ever(const temporary_folder& folder, tarn::durability durability, std::int64_t first_number,
                     line_writer lines) {
  folder_client lake{open_folder(folder, durability), two_rows_per_object()};
  for (std::int64_t number = first_number;; ++number) {
    const auto committed = commit_numbered(lake, number, &lines);
    if (committed)
      lines.write("committed " + std::to_string(number) + " " + std::to_string(committed->number));
    else
      lines.write("failed " + committed.error().message());
  }
}

// What all workers have told, and whether the folder agrees.
class kill_account {
 public:
  kill_account(const temporary_folder& folder, tarn::durability durability) : folder_(folder), durability_(durability) {
    folder_client lake{open_folder(folder_, durability_)};
    auto transaction = lake.begin().value();
    for (const char* const table : {"left", "right"}) transaction.create_table(table, {"transaction", "row"}).value();
    REQUIRE(transaction.commit().value() == tarn::version{0});
  }

  [[nodiscard]] process start_worker() {
    const std::int64_t first_number = 1'000'000 * ++workers_;
    return process(
        [&, first_number](line_writer lines) { commit_for_ever(folder_, durability_, first_number, lines); });
  }

  void kill(process& worker) {
    worker.kill();
    ++kills_;
    for (const std::string& line : worker.lines()) note(line);
  }

  void check() {
    folder_client lake{open_folder(folder_, durability_)};
    const std::vector<tarn::commit_summary> log = versions_of(lake);
    auto transaction = lake.begin().value();
    REQUIRE(transaction.read_version() == log.back().at);
    const std::map<std::int64_t, std::int64_t> left = read(transaction, "left");
    const std::map<std::int64_t, std::int64_t> right = read(transaction, "right");
    CHECK(left == right);
    for (const auto& [number, rows] : left) CHECK(rows == rows_in(number));
    check_log(log, left);
    check_names(lake.store());
    // And it goes on from here.
    folder_client next{open_folder(folder_, durability_), two_rows_per_object()};
    const std::int64_t number = ++own_number_;
    const auto committed = commit_numbered(next, number, nullptr);
    REQUIRE_MESSAGE(committed.has_value(), (committed ? std::string() : committed.error().message()));
    REQUIRE(*committed == log.back().at.next());
    committed_[number] = *committed;
  }

  void tell() const {
    MESSAGE(kills_, " kills; ", started_.size(), " transactions started, ", committed_.size(), " acknowledged, ",
            (visible_ - committed_.size() + 1), " committed though nobody was told; at most ", leftovers_max_,
            " temporary files left");
  }

 private:
  void note(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    std::int64_t number = 0;
    words >> what >> number;
    if (what == "started") {
      words >> started_[number];
    } else if (what == "committed") {
      words >> committed_[number].number;
    } else {
      FAIL_CHECK(line);
    }
  }

  // How many rows each transaction has in a table, after a check that they are its rows, in order.
  [[nodiscard]] static std::map<std::int64_t, std::int64_t> read(folder_client::transaction_type& transaction,
                                                                 std::string_view table) {
    std::map<std::int64_t, std::int64_t> counts;
    std::size_t misplaced = 0;
    for (const tarn::row& row : rows_of(transaction, table)) {
      std::int64_t& count = counts[tarn::value_view(row[0]).as_integer()];
      if (tarn::value_view(row[1]).as_integer() != count++) ++misplaced;
    }
    CHECK(misplaced == 0);
    return counts;
  }

  // Every version after the first is one of the visible transactions, in its own name, and where it said it was.
  void check_log(const std::vector<tarn::commit_summary>& log, const std::map<std::int64_t, std::int64_t>& visible) {
    visible_ = visible.size();
    CHECK(log.size() == visible.size() + 1);
    std::map<std::string, tarn::version> versions;
    for (const tarn::commit_summary& each : log) versions[to_text(each.transaction)] = each.at;
    CHECK(versions.size() == log.size());
    for (const auto& each : committed_) CHECK_MESSAGE(visible.contains(each.first), "lost: transaction ", each.first);
    for (const auto& each : visible) {
      const std::int64_t number = each.first;
      const auto started = started_.find(number);
      if (started == started_.end()) {
        CHECK(number <= own_number_);
        continue;
      }
      REQUIRE_MESSAGE(versions.contains(started->second), "not in the log: transaction ", number);
      const auto committed = committed_.find(number);
      if (committed != committed_.end()) CHECK(versions[started->second] == committed->second);
    }
  }

  void check_names(tarn::file_store<>& store) {
    std::size_t hidden = 0;
    REQUIRE(store.list("", "", [&](std::string_view name) { hidden += name.starts_with("_tmp_"); }).has_value());
    CHECK(hidden == 0);
    std::size_t leftovers = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
      leftovers += file.path().filename().string().starts_with("_tmp_");
    leftovers_max_ = std::max(leftovers_max_, leftovers);
  }

  const temporary_folder& folder_;
  tarn::durability durability_;
  std::int64_t workers_ = 0;
  std::int64_t own_number_ = 0;
  int kills_ = 0;
  std::map<std::int64_t, std::string> started_;      // and its id
  std::map<std::int64_t, tarn::version> committed_;  // as acknowledged
  std::size_t visible_ = 0;
  std::size_t leftovers_max_ = 0;
};

void kill_workers(tarn::durability durability, int batches, unsigned wait_us_max) {
  constexpr std::size_t workers = 4;
  constexpr int replaced_per_batch = 6;
  const std::uint64_t seed = seed_of_this_run();
  INFO("TARN_TEST_SEED=", seed);
  random_source random(seed);
  const temporary_folder folder;
  kill_account account(folder, durability);
  for (int batch = 0; batch < batches; ++batch) {
    std::vector<process> running;
    for (std::size_t worker = 0; worker < workers; ++worker) running.push_back(account.start_worker());
    for (int replaced = 0; replaced < replaced_per_batch; ++replaced) {
      ::usleep(static_cast<useconds_t>(random.below(wait_us_max)));
      process& unlucky = running[random.below(workers)];
      account.kill(unlucky);
      unlucky = account.start_worker();
    }
    ::usleep(static_cast<useconds_t>(random.below(wait_us_max)));
    for (process& each : running) account.kill(each);
    account.check();
  }
  account.tell();
}

// --- processes that die in the middle of a commit ----------------------------------------------------------------

enum class moment { before_put, after_put };

// Puts log entries until its death.
class dying_store {
 public:
  using handle = tarn::file_store<>::handle;
  dying_store(tarn::file_store<> inner, moment death) : inner_(std::move(inner)), death_(death) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!name.starts_with("_log_")) return inner_.put_if_absent(name, bytes);
    if (death_ == moment::before_put) ::_exit(0);
    (void)inner_.put_if_absent(name, bytes);
    ::_exit(0);
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) { return inner_.get(name); }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return inner_.list(prefix, start_after, visit);
  }

 private:
  tarn::file_store<> inner_;
  moment death_;
};

// The id of a transaction that a process, dead now, was about to commit as version 1.
[[nodiscard]] tarn::uuid commit_and_die(const temporary_folder& folder, moment death) {
  process doomed([&](line_writer lines) {
    tarn::client lake{dying_store(open_folder(folder, tarn::durability::none), death)};
    auto transaction = lake.begin().value();
    transaction.insert(append_table, {1, 1}).value();
    lines.write(to_text(transaction.id()));
    (void)transaction.commit();
  });
  const std::vector<std::string> lines = doomed.lines();
  CHECK(doomed.succeeded());
  tarn::uuid id;
  REQUIRE(lines.size() == 1);
  REQUIRE(parse_uuid(lines[0], id));
  return id;
}

}  // namespace

TEST_CASE("C17: 8 processes each commit 200 appends to one folder, and every attempt is accounted for") {
  if (is_left_out()) return;
  check_processes_that_append(tarn::durability::full, 8, 200);
}

TEST_CASE("C17: the same without fsync, where they meet more often") {
  if (is_left_out()) return;
  check_processes_that_append(tarn::durability::none, 8, 200);
}

TEST_CASE("whatever is killed and whenever: acknowledged transactions stay, others are there in whole or not at all") {
  if (is_left_out()) return;
  kill_workers(tarn::durability::none, 12, 6'000);
}

TEST_CASE("the same with full durability") {
  if (is_left_out()) return;
  kill_workers(tarn::durability::full, 3, 20'000);
}

TEST_CASE("C1: what became of the commit of a process that died is answered to another process") {
  if (is_left_out()) return;
  const temporary_folder folder;
  tarn::client survivor{open_folder(folder, tarn::durability::none)};
  create_append_table(survivor);
  SUBCASE("after its put took effect: committed") {
    const tarn::uuid id = commit_and_die(folder, moment::after_put);
    CHECK(survivor.find_commit(id, {1}).value() == tarn::commit_state::committed);
    CHECK(survivor.find_commit(id, {1}, tarn::settle::yes).value() == tarn::commit_state::committed);
    auto transaction = survivor.begin().value();
    CHECK(rows_of(transaction, append_table).size() == 1);
  }
  SUBCASE("before its put: undecided, until it is settled; then it can never be committed") {
    const tarn::uuid id = commit_and_die(folder, moment::before_put);
    CHECK(survivor.find_commit(id, {1}).value() == tarn::commit_state::undecided);
    CHECK(survivor.find_commit(id, {1}, tarn::settle::yes).value() == tarn::commit_state::not_committed);
    CHECK(versions_of(survivor).size() == 2);
    auto transaction = survivor.begin().value();
    CHECK(transaction.read_version() == tarn::version{1});
    CHECK(rows_of(transaction, append_table).empty());
    transaction.insert(append_table, {2, 2}).value();
    CHECK(transaction.commit().value() == tarn::version{2});
  }
}

TEST_CASE("a fork and a copied client never make the same id, whatever the clock does") {
  if (is_left_out()) return;
  constexpr int ids_each = 1'000;
  static std::int64_t clock =  // functions of an environment capture nothing
      1'700'000'000'000;
  tarn::client_options options;
  SUBCASE("the clock of the system") {}
  SUBCASE("a clock that stands still") {
    options.surroundings.now = [](void*) { return tarn::timestamp{clock}; };
  }
  SUBCASE("a clock that steps back") {
    options.surroundings.now = [](void*) { return tarn::timestamp{--clock}; };
  }

  const temporary_folder folder;
  folder_client parent{open_folder(folder, tarn::durability::none), options};
  create_append_table(parent);
  const auto make_ids = [&](folder_client& lake) {
    std::vector<std::string> ids;
    for (int made = 0; made < ids_each; ++made) {
      auto transaction = lake.begin().value();
      ids.push_back(to_text(transaction.id()));
      if (made % 100 != 0) continue;
      transaction.insert(append_table, {0, made}).value();  // its object has an id as well, which is its name
      (void)transaction.commit().value();
    }
    return ids;
  };
  folder_client copy = parent;
  std::vector<process> children;
  for (folder_client* const forked : {&parent, &copy})
    children.emplace_back([&, forked](line_writer lines) {
      for (const std::string& id : make_ids(*forked)) lines.write(id);
    });

  std::set<std::string> different;
  for (folder_client* const lake : {&parent, &copy})
    for (std::string& id : make_ids(*lake)) different.insert(std::move(id));
  for (process& child : children) {
    for (std::string& id : child.lines()) different.insert(std::move(id));
    CHECK(child.succeeded());
  }
  CHECK(different.size() == 4 * ids_each);
  tarn::client reader{open_folder(folder, tarn::durability::none)};
  CHECK(versions_of(reader).size() == 1 + 4 * ids_each / 100);
  auto transaction = reader.begin().value();
  CHECK(rows_of(transaction, append_table).size() == 4 * ids_each / 100);
}
