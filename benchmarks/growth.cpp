// usage: benchmark_growth [--smoke]
//
// How each operation's cost grows with what it may depend on, in memory: the median time for several sizes, and the
// exponent of the power of the size that fits them best. And how many calls of the store each takes one after the
// other, which is what it costs where a call takes as long as an object store's. Prints two tables.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "require.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

// Counts all calls. Copies count together.
class counted_store {
 public:
  using handle = tarn::memory_store::handle;

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    ++*calls_;
    return inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    ++*calls_;
    return inner_.get(name);
  }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    ++*calls_;
    return inner_.list(prefix, start_after, std::move(visit));
  }
  [[nodiscard]] tarn::status remove(std::string_view name) {
    ++*calls_;
    return inner_.remove(name);
  }
  [[nodiscard]] std::uint64_t take_calls() { return std::exchange(*calls_, 0); }

 private:
  tarn::memory_store inner_;
  std::shared_ptr<std::uint64_t> calls_ = std::make_shared<std::uint64_t>(0);
};

using lake = tarn::client<counted_store>;

void create(lake& in, std::int64_t columns = 3) {
  tarn::sequence<tarn::column> all{{"key", tarn::column_type::integer}};
  while (static_cast<std::int64_t>(all.size()) < columns)
    all.emplace_back(tarn::concat({"c", all.size()}), tarn::column_type::integer);
  in.run([&](auto& tx) -> tarn::status {
      if (auto made = tx.create_table("bag", tarn::schema(all)); !made) return made;
      return tx.create_table("keys", tarn::schema(all), tarn::keyed{{"key"}});
    }).value();
}

tarn::row row_of(std::int64_t key, std::int64_t columns = 3) {
  tarn::row made{key};
  while (static_cast<std::int64_t>(made.size()) < columns)
    made.emplace_back(static_cast<std::int64_t>(scatter(static_cast<std::uint64_t>(key)) >> 40));
  return made;
}

// Rows `first` to `last` of both tables, in one transaction.
void write(lake& in, std::int64_t first, std::int64_t last, std::int64_t columns = 3) {
  in.run([&](auto& tx) -> tarn::status {
      for (std::int64_t key = first; key < last; ++key) {
        if (auto done = tx.insert("bag", row_of(key, columns)); !done) return done;
        if (auto done = tx.upsert("keys", row_of(key, columns)); !done) return done;
      }
      return {};
    }).value();
}

void commit_one(lake& in, std::int64_t key) {
  in.run([&](auto& tx) { return tx.insert("bag", row_of(key)); }).value();
}

void scan_all(lake& in, std::string_view table) {
  std::int64_t sum = 0;
  for (const tarn::row_view row : in.begin().value().scan(table).value()) sum += row[0].as_integer();
  require(sum >= 0, "scan");
}

// What is measured at one size: made anew, then run a few times.
struct measured {
  const char* grows;
  const char* operation;
  std::vector<std::int64_t> sizes;
  // Makes a lake of this size, and gives what is to be done with it, which leaves the size about as it is.
  std::function<std::function<void()>(std::int64_t)> prepare;
  int runs = 9;
};

double median_us(const measured& what, std::int64_t size) {
  const std::function<void()> work = what.prepare(size);
  std::vector<double> times;
  for (int run = 0; run < what.runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The slope of the line that fits the logarithms best.
double exponent_of(const std::vector<std::int64_t>& sizes, const std::vector<double>& times) {
  const auto count = static_cast<double>(sizes.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    const double size = std::log(static_cast<double>(sizes[at]));
    const double time = std::log(times[at]);
    x += size;
    y += time;
    xx += size * size;
    xy += size * time;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

template <class Fill>
auto with_lake(Fill fill, std::function<void(lake&, std::int64_t)> work) {
  return [fill, work](std::int64_t size) -> std::function<void()> {
    auto made = std::make_shared<lake>(counted_store());
    fill(*made, size);
    auto run = std::make_shared<std::int64_t>(0);
    return [made, work, run] { work(*made, (*run)++); };
  };
}

void of_commits(lake& in, std::int64_t commits) {
  create(in);
  for (std::int64_t number = 0; number < commits; ++number) commit_one(in, number);
}
void of_rows(lake& in, std::int64_t rows) {
  create(in);
  write(in, 0, rows);
}
// So many deltas of ten keys each over a base of 10,000 rows.
void of_deltas(lake& in, std::int64_t deltas) {
  create(in);
  write(in, 0, 10'000);
  for (std::int64_t delta = 0; delta < deltas; ++delta)
    in.run([&](auto& tx) -> tarn::status {
        for (std::int64_t key = 0; key < 10; ++key)
          if (auto done = tx.upsert("keys", row_of((delta * 997 + key * 31) % 10'000)); !done) return done;
        return {};
      }).value();
}

std::vector<measured> all_measured(bool smoke) {
  const auto sizes = [&](std::initializer_list<std::int64_t> of) {
    std::vector<std::int64_t> all(of);
    if (smoke)
      for (std::int64_t& each : all) each /= 100;
    return all;
  };
  const std::vector<std::int64_t> commits = sizes({300, 1'000, 3'000, 10'000});
  const std::vector<std::int64_t> rows = sizes({10'000, 30'000, 100'000, 300'000});
  const std::vector<std::int64_t> deltas = sizes({100, 300, 1'000});
  const std::vector<std::int64_t> columns = {4, 16, 64, 256};
  const auto upsert_100 = [](lake& in, std::int64_t run) {
    in.run([&](auto& tx) -> tarn::status {
        for (std::int64_t key = 0; key < 100; ++key)
          if (auto done = tx.upsert("keys", row_of(run * 100 + key)); !done) return done;
        return {};
      }).value();
  };
  return {
      {"commits", "begin", commits, with_lake(of_commits, [](lake& in, std::int64_t) { (void)in.begin().value(); })},
      {"commits", "commit a row", commits, with_lake(of_commits, commit_one)},
      {"commits", "open, checkpoints as usual", commits,
       with_lake(of_commits, [](lake& in, std::int64_t) { (void)lake(in.store()).begin().value(); })},
      {"commits", "scan, a row to a commit", commits,
       with_lake(of_commits, [](lake& in, std::int64_t) { scan_all(in, "bag"); })},
      {"rows", "commit a row", rows, with_lake(of_rows, commit_one)},
      {"rows", "scan a bag", rows, with_lake(of_rows, [](lake& in, std::int64_t) { scan_all(in, "bag"); }), 5},
      {"rows", "scan a keyed table", rows, with_lake(of_rows, [](lake& in, std::int64_t) { scan_all(in, "keys"); }), 5},
      {"rows", "upsert 100 keys", rows, with_lake(of_rows, upsert_100)},
      {"rows", "get by key, keys remembered", rows,
       with_lake(of_rows, [](lake& in, std::int64_t run) { (void)in.begin().value().get("keys", {run}).value(); })},
      {"deltas", "scan a keyed table", deltas,
       with_lake(of_deltas, [](lake& in, std::int64_t) { scan_all(in, "keys"); }), 5},
      {"deltas", "compact", deltas,
       with_lake(of_deltas, [](lake& in, std::int64_t) { (void)in.compact("keys").value(); }), 1},
      {"objects", "vacuum and truncate", commits,
       with_lake(
           [](lake& in, std::int64_t objects) {
             of_commits(in, objects);
             (void)in.checkpoint().value();
             (void)in.compact("bag").value();
           },
           [](lake& in, std::int64_t) {
             tarn::vacuum_options everything;
             everything.keep_ms = everything.grace_ms = 0;
             (void)tarn::vacuum(in, everything).value();
             (void)tarn::truncate(in).value();
           }),
       1},
      {"columns", "insert and scan 1,000 rows", columns,
       [](std::int64_t wide) -> std::function<void()> {
         return [wide] {
           lake made{counted_store()};
           create(made, wide);
           write(made, 0, 1'000, wide);
           scan_all(made, "bag");
         };
       },
       5},
  };
}

std::string time_text(double us) {
  char text[32];
  if (us >= 1e6)
    std::snprintf(text, sizeof text, "%.3g s", us / 1e6);
  else if (us >= 1e3)
    std::snprintf(text, sizeof text, "%.3g ms", us / 1e3);
  else
    std::snprintf(text, sizeof text, "%.3g us", us);
  return text;
}

void print_growth(bool smoke) {
  std::puts("| grows with | operation | sizes: time | exponent |\n| --- | --- | --- | ---: |");
  for (const measured& each : all_measured(smoke)) {
    std::string cells;
    std::vector<double> times;
    for (const std::int64_t size : each.sizes) {
      times.push_back(median_us(each, size));
      cells += tarn::concat({cells.empty() ? "" : ", ", size, ": ", time_text(times.back())});
    }
    std::printf("| %s | %s | %s | %.2f |\n", each.grows, each.operation, cells.c_str(), exponent_of(each.sizes, times));
    std::fflush(stdout);
  }
}

void print_calls() {
  std::puts("\n| operation | calls | 5 ms each | 50 ms | 200 ms |\n| --- | ---: | ---: | ---: | ---: |");
  counted_store store;
  lake in{store};
  create(in);
  write(in, 0, 200'000);  // four objects of each table
  for (std::int64_t number = 0; number < 95; ++number) commit_one(in, number);
  const auto tell = [&](const char* what, const std::function<void()>& work) {
    (void)store.take_calls();
    work();
    const auto calls = static_cast<double>(store.take_calls());
    std::printf("| %s | %.0f | %s | %s | %s |\n", what, calls, time_text(calls * 5e3).c_str(),
                time_text(calls * 50e3).c_str(), time_text(calls * 200e3).c_str());
  };
  std::unique_ptr<lake> cold;
  tell("open, 97 entries after no checkpoint", [&] {
    cold = std::make_unique<lake>(store);
    (void)cold->begin().value();
  });
  tell("write a checkpoint", [&] { (void)in.checkpoint().value(); });
  tell("open, with a checkpoint", [&] {
    cold = std::make_unique<lake>(store);
    (void)cold->begin().value();
  });
  tell("begin", [&] { (void)in.begin().value(); });
  tell("begin and commit a row, which travels in the entry", [&] { commit_one(in, 1); });
  tell("begin and commit 10,000 rows to two tables", [&] { write(in, 0, 10'000); });
  tell("scan a bag of 5 objects", [&] { scan_all(*cold, "bag"); });
  tell("scan a bucket: a base and 4 deltas", [&] { scan_all(*cold, "keys"); });
  tell("compact the bucket", [&] { (void)in.compact("keys").value(); });
  tell("restore the version before", [&] { (void)in.restore({in.newest_snapshot().value()->at.number - 1}).value(); });
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::string_view(argv[1]) == "--smoke";
  print_growth(smoke);
  print_calls();
}
