// usage: benchmark_long_history COMMITS
//
// What a lake costs after many commits of one row each, in calls to the store and in bytes: beginning, warm and cold,
// and the folder, before and after its bag was compacted, its old versions were given up and its log was truncated.
// Fails if a count is not the promised one, or an answer has changed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/vacuum.hpp>
#include <utility>

#include "lake.hpp"
#include "places.hpp"
#include "require.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

struct call_counts {
  std::uint64_t gets = 0;
  std::uint64_t puts = 0;
  std::uint64_t lists = 0;
};

// Counts the calls. Copies count together.
class counted_store {
 public:
  using handle = tarn::file_store<>::handle;

  explicit counted_store(tarn::file_store<> inner)
      : inner_(std::move(inner)), calls_(std::make_shared<call_counts>()) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    ++calls_->puts;
    return inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    ++calls_->gets;
    return inner_.get(name);
  }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    ++calls_->lists;
    return inner_.list(prefix, start_after, visit);
  }
  [[nodiscard]] tarn::status remove(std::string_view name) { return inner_.remove(name); }

  // The calls since the last time.
  [[nodiscard]] call_counts take_counts() { return std::exchange(*calls_, {}); }

 private:
  tarn::file_store<> inner_;
  std::shared_ptr<call_counts> calls_;
};

struct folder_size {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

folder_size size_of(counted_store& store, std::string_view prefix) {
  folder_size size;
  store
      .list(prefix, "",
            [&](std::string_view name) {
              ++size.files;
              size.bytes += std::string_view(store.get(name).value()).size();
            })
      .value();
  return size;
}

void tell(const char* when, counted_store& store, const totals& expected) {
  tarn::client cold{store};
  (void)store.take_counts();
  const tarn::version newest = cold.begin().value().read_version();
  const call_counts cold_calls = store.take_counts();
  (void)cold.begin().value();
  const call_counts warm_calls = store.take_counts();
  require(warm_calls.gets == 2 && warm_calls.lists == 0, "begin warm with two gets that find nothing");
  // Checkpoints are as far apart as the state was large: see `is_checkpoint_due`.
  require(cold_calls.gets <= 4 + std::max<std::uint64_t>(100, static_cast<std::uint64_t>(expected.rows) / 16),
          "begin cold with a checkpoint and at most an interval of entries");
  require(read_every_value(cold) == expected, "read the rows that were written");
  const folder_size log = size_of(store, tarn::log_prefix);
  const folder_size checkpoints = size_of(store, tarn::checkpoint_prefix);
  const folder_size all = size_of(store, "");
  const auto number = [](auto count) { return static_cast<unsigned long long>(count); };
  std::printf("%-18s version %llu: cold %llu gets, %llu lists; warm %llu gets;", when, number(newest.number),
              number(cold_calls.gets), number(cold_calls.lists), number(warm_calls.gets));
  std::printf(" log %llu files, %llu bytes; checkpoints %llu, %llu; all %llu, %llu\n", number(log.files),
              number(log.bytes), number(checkpoints.files), number(checkpoints.bytes), number(all.files),
              number(all.bytes));
}

// The clock of tomorrow: so many commits within one millisecond each have come into the future.
tarn::environment tomorrow() {
  tarn::environment surroundings = tarn::system_environment();
  surroundings.now = [](void* context) {
    return tarn::timestamp{tarn::system_environment().now(context).ms + 86'400'000};
  };
  return surroundings;
}

}  // namespace

int main(int argument_count, char** argument_values) {
  require(argument_count == 2, "understand the arguments: COMMITS");
  const std::int64_t commits = std::strtoll(argument_values[1], nullptr, 10);
  volatile_files place;
  counted_store store(place.store());
  tarn::client lake{store};
  create_table(lake);
  (void)store.take_counts();
  for (std::int64_t number = 0; number < commits; ++number) insert(lake, number, 1);
  const call_counts calls = store.take_counts();
  std::printf("%lld commits of one row: %.3f gets and %.3f puts each\n", static_cast<long long>(commits),
              static_cast<double>(calls.gets) / static_cast<double>(commits),
              static_cast<double>(calls.puts) / static_cast<double>(commits));
  const totals expected = totals_of_samples(commits);
  tell("after all commits", store, expected);
  (void)lake.compact("samples").value();
  tell("after a compaction", store, expected);
  tarn::client_options later;
  later.surroundings = tomorrow();
  tarn::client keeper(store, later);
  const tarn::vacuum_options everything{.keep_ms = 0, .keep_versions = 1, .grace_ms = 0};
  (void)tarn::vacuum(keeper, everything).value();
  tell("after a vacuum", store, expected);
  (void)tarn::truncate(keeper).value();
  tell("after a truncation", store, expected);
}
