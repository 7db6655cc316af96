// Two tellers add 10 to one account, each with its own client of one lake: in every order of their calls to the store
// that can matter, on the real code. The exploration finds the order in which an update is lost, and shows that none is
// lost when a teller reads and writes in one transaction.
#include <cstdint>
#include <cstdio>
#include <string>
#include <tarn/tarn.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <utility>

using lake_client = tarn::client<tarn::testing::explored_store>;

namespace {

std::int64_t balance(auto& tx) {
  const tarn::row found = tx.get("accounts", {"joint"}).value();
  return tarn::row_view(found)[1].as_integer();
}

// Wrong: between the two transactions the balance may have become another one.
bool in_two_transactions(lake_client& lake) {
  auto reading = lake.begin().value();
  const std::int64_t read = balance(reading);
  return lake.run([&](auto& tx) { return tx.upsert("accounts", {"joint", read + 10}); }).has_value();
}

// Right: if what it read is not true any more when it commits, `run` does all of it again.
bool in_one_transaction(lake_client& lake) {
  return lake.run([&](auto& tx) { return tx.upsert("accounts", {"joint", balance(tx) + 10}); }).has_value();
}

void explore(const char* how, bool (*deposit)(lake_client&), const tarn::memory_store& lake) {
  int deposits = 0;  // that tellers believe to have made
  const auto teller = [&](std::uint64_t seed) {
    return [&deposits, deposit, seed](tarn::testing::explored_store store) {
      tarn::testing::simulated_environment surroundings(seed);  // the same time and ids in each run
      lake_client client(std::move(store), {.surroundings = surroundings.get()});
      if (deposit(client)) ++deposits;
    };
  };
  tarn::testing::exploration_options options;
  options.initial = lake;
  options.begin = [&](const auto&) { deposits = 0; };
  options.check = [&](const auto& end) {
    lake_client client(end.store());
    auto tx = client.begin().value();
    if (balance(tx) == 100 + 10 * deposits) return std::string();
    return tarn::concat({deposits, " deposits of 10 to 100 have made ", balance(tx)});
  };
  const auto report = tarn::testing::explore({{"ada", teller(2)}, {"joey", teller(3)}}, options);
  std::printf("%s: %s\n", how, report.passed() && report.exhaustive ? "right in every order" : "wrong");
  for (const auto& each : report.failures)
    std::printf("  %s\n  schedule: %s\n", each.shrunk_message.c_str(), each.shrunk_schedule.c_str());
  if (report.passed())
    std::printf("  %llu runs stand for all %llu interleavings of up to %zu calls\n",
                static_cast<unsigned long long>(report.runs), static_cast<unsigned long long>(report.interleavings),
                report.longest_run);
}

}  // namespace

int main() {
  const tarn::memory_store lake;
  tarn::testing::simulated_environment surroundings;
  tarn::client bank(lake, {.surroundings = surroundings.get()});
  auto tx = bank.begin().value();
  tx.create_table("accounts", {{"name", tarn::column_type::string}, {"balance"}}, tarn::keyed{{"name"}}).value();
  tx.insert("accounts", {"joint", 100}).value();
  tx.commit().value();

  explore("read in one transaction, write in another", in_two_transactions, lake);
  explore("read and write in one transaction", in_one_transaction, lake);
}
