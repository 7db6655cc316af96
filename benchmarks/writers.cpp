// usage: benchmark_writers COMMITS
// Writers at once in one folder, each in a thread with a store and a client of its own, COMMITS transactions each: how
// often each must try, as their number grows. A transaction is serializable and counts up one key in each of 4 tables;
// the keys are the writer's own, or one that all share. Prints a table.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "places.hpp"

namespace {

using namespace tarn_benchmark;

constexpr int tables = 4;
[[nodiscard]] std::string table_name(int table) { return "table_" + std::to_string(table); }

// What the writers' puts of entries came to: each is an attempt to commit.
std::atomic<std::uint64_t> attempts = 0;

// A file store that counts them.
class counting_store {
 public:
  using handle = tarn::file_store<>::handle;
  explicit counting_store(tarn::file_store<> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (name.starts_with("_log_")) ++attempts;
    return inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) { return inner_.get(name); }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return inner_.list(prefix, start_after, std::move(visit));
  }

 private:
  tarn::file_store<> inner_;
};

// Counts the key up in all tables.
template <class Transaction>
[[nodiscard]] tarn::status count_up(Transaction& tx, std::int64_t key) {
  for (int table = 0; table < tables; ++table) {
    const auto before = tx.get(table_name(table), {key});
    if (!before) return before.error();
    const std::int64_t count = tarn::value_view((*before)[1]).as_integer();
    if (const auto done = tx.update(table_name(table), {key}, {{"count", count + 1}}); !done) return done;
  }
  return {};
}

struct outcome {
  std::uint64_t commits = 0;
  std::uint64_t conflicts = 0;  // after which the transaction was run again
  std::uint64_t attempts = 0;
  double seconds = 0;
};

outcome race(int writers, int commits_each, bool share_a_key) {
  const volatile_files place;
  const auto key_of = [&](int writer) { return share_a_key ? 0 : writer; };
  tarn::client first{counting_store(place.store())};
  first
      .run([&](auto& tx) -> tarn::status {
        for (int table = 0; table < tables; ++table) {
          tx.create_table(table_name(table), {{"key", tarn::column_type::integer}, "count"}, tarn::keyed{{"key"}})
              .value();
          for (int writer = 0; writer < (share_a_key ? 1 : writers); ++writer)
            tx.insert(table_name(table), {key_of(writer), 0}).value();
        }
        return {};
      })
      .value();

  attempts = 0;
  std::atomic<std::uint64_t> conflicts = 0;
  std::barrier start(writers + 1);
  std::vector<std::thread> running;
  running.reserve(static_cast<std::size_t>(writers));
  for (int writer = 0; writer < writers; ++writer)
    running.emplace_back([&, writer] {
      tarn::client lake{counting_store(place.store())};
      start.arrive_and_wait();
      for (int done = 0; done < commits_each;) {
        auto tx = lake.begin().value();
        count_up(tx, key_of(writer)).value();
        const auto committed = tx.commit();
        if (!committed) require(committed.error().retry_helps(), committed.error().message().c_str());
        done += committed ? 1 : 0;
        conflicts += committed ? 0 : 1;
      }
    });
  const auto began = std::chrono::steady_clock::now();
  start.arrive_and_wait();
  for (std::thread& each : running) each.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;

  outcome all{static_cast<std::uint64_t>(writers) * static_cast<std::uint64_t>(commits_each), conflicts, attempts,
              took.count()};
  auto reading = first.begin().value();
  std::uint64_t counted = 0;
  for (const tarn::row_view row : reading.scan(table_name(0)).value())
    counted += static_cast<std::uint64_t>(row[1].as_integer());
  require(counted == all.commits, "find what was committed");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int commits_each = argc == 2 ? std::atoi(argv[1]) : 0;
  require(commits_each > 0, "be told how many commits: benchmark_writers COMMITS");
  std::puts("| writers | keys | commits | run again | attempts / commit | commits / s |");
  std::puts("| ---: | --- | ---: | ---: | ---: | ---: |");
  for (const bool share_a_key : {false, true})
    for (const int writers : {1, 2, 4, 8, 16}) {
      const outcome all = race(writers, commits_each, share_a_key);
      const auto commits = static_cast<double>(all.commits);
      std::printf("| %d | %s | %llu | %llu | %.2f | %.0f |\n", writers, share_a_key ? "one" : "disjoint",
                  static_cast<unsigned long long>(all.commits), static_cast<unsigned long long>(all.conflicts),
                  static_cast<double>(all.attempts) / commits, commits / all.seconds);
    }
}
