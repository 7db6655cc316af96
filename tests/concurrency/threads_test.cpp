// Clients in several threads of one process, over stores that they share.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tarn/client.hpp>
#include <thread>
#include <type_traits>
#include <vector>

#include "../support/append_work.hpp"
#include "../support/counting_store.hpp"
#include "../support/reading.hpp"
#include "../support/stores.hpp"

namespace {

using namespace tarn_test;

constexpr int threads_in_all = 8;

// Runs body(0) to body(count - 1), each in a thread of its own, and waits for all. Assertions are for afterwards.
template <class Body>
void run_in_threads(int count, Body body) {
  std::vector<std::thread> running;
  for (int number = 0; number < count; ++number) running.emplace_back([&body, number] { body(number); });
  for (std::thread& each : running) each.join();
}

// A client for each thread: copies, which share what they know of the log until one of them learns more.
template <class Client>
[[nodiscard]] std::vector<Client> copies_of(const Client& lake, int count) {
  return std::vector<Client>(static_cast<std::size_t>(count), lake);
}

// Rounds over files are fewer, as each takes longer.
template <class Stores>
[[nodiscard]] constexpr int fewer_over_files(int count) {
  return std::is_same_v<Stores, in_files> ? count / 4 : count;
}

template <class Client>
[[nodiscard]] tarn::version create(Client& lake, std::string_view table, tarn::schema columns) {
  auto transaction = lake.begin().value();
  transaction.create_table(table, std::move(columns)).value();
  return transaction.commit().value();
}

}  // namespace

TEST_CASE_TEMPLATE("C17: clients in 8 threads each commit 200 appends, and every attempt is accounted for [threads]",
                   Stores, TARN_EACH_STORE) {
  constexpr int appends_each = 200;
  for (const int writers : {1, 2, 4, threads_in_all}) {
    Stores stores;
    counting_store store(stores.open());
    tarn::client first{store};
    create_append_table(first);

    std::vector<append_report> reports(static_cast<std::size_t>(writers));
    auto clients = copies_of(first, writers);
    std::barrier start(writers);
    run_in_threads(writers, [&](int writer) {
      const auto mine = static_cast<std::size_t>(writer);
      start.arrive_and_wait();
      reports[mine] = append_rows(clients[mine], writer, appends_each);
    });

    tarn::client reader{stores.open()};
    check_appends(reader, reports, appends_each);
    const entry_put_counts& puts = store.entry_puts();
    const auto commits = static_cast<std::uint64_t>(writers * appends_each);
    MESSAGE(writers, " writers: ", commits, " commits, ", puts.attempts() - 1, " puts of log entries");
    CHECK(puts.created == commits + 1);
    CHECK(puts.unclear == 0);
    // A writer puts at most once into each slot, so that even the worst case grows linearly with the writers.
    CHECK(puts.lost <= commits * static_cast<std::uint64_t>(writers - 1));
  }
}

TEST_CASE_TEMPLATE("A16: serializable writers of different tables never conflict [threads]", Stores, TARN_EACH_STORE) {
  const int rounds = fewer_over_files<Stores>(40);
  Stores stores;
  tarn::client first{stores.open()};
  std::vector<std::vector<std::string>> failures(threads_in_all);
  auto clients = copies_of(first, threads_in_all);
  std::barrier start(threads_in_all);
  run_in_threads(threads_in_all, [&](int writer) {
    auto& mine = clients[static_cast<std::size_t>(writer)];
    const std::string table = "table_" + std::to_string(writer);
    const auto note = [&](const tarn::error& why) {
      failures[static_cast<std::size_t>(writer)].push_back(why.message());
    };
    start.arrive_and_wait();
    for (int round = 0; round < rounds; ++round) {
      auto transaction = mine.begin();
      if (!transaction) return note(transaction.error());
      if (round == 0)
        if (const auto created = transaction->create_table(table, {"round"}); !created) return note(created.error());
      auto scan = transaction->scan(table);
      if (!scan) return note(scan.error());
      int rows = 0;
      while (scan->next()) ++rows;
      if (!scan->status()) return note(scan->status().error());
      if (rows != round) failures[static_cast<std::size_t>(writer)].push_back("rows: " + std::to_string(rows));
      if (const auto inserted = transaction->insert(table, {round}); !inserted) return note(inserted.error());
      if (const auto committed = transaction->commit(); !committed) return note(committed.error());
    }
  });
  for (const auto& of_writer : failures)
    for (const std::string& failure : of_writer) FAIL_CHECK(failure);
  tarn::client reader{stores.open()};
  CHECK(versions_of(reader).size() == static_cast<std::size_t>(threads_in_all * rounds));
}

TEST_CASE_TEMPLATE("serializable writers of different keys of the same tables never conflict [threads]", Stores,
                   TARN_EACH_STORE) {
  constexpr int writers = 16;
  constexpr int tables = 4;
  const int rounds = fewer_over_files<Stores>(40);
  Stores stores;
  counting_store store(stores.open());
  tarn::client first{store};
  const auto name = [](int table) { return "table_" + std::to_string(table); };
  first
      .run([&](auto& tx) -> tarn::status {
        for (int table = 0; table < tables; ++table)
          tx.create_table(name(table), {{"key", tarn::column_type::integer}, "round"}, tarn::keyed{{"key"}}).value();
        return {};
      })
      .value();

  std::vector<std::vector<std::string>> failures(writers);
  auto clients = copies_of(first, writers);
  std::barrier start(writers);
  run_in_threads(writers, [&](int writer) {
    auto& mine = clients[static_cast<std::size_t>(writer)];
    const auto note = [&](const tarn::error& why) {
      failures[static_cast<std::size_t>(writer)].push_back(why.message());
    };
    start.arrive_and_wait();
    for (int round = 0; round < rounds; ++round) {
      auto transaction = mine.begin();
      if (!transaction) return note(transaction.error());
      for (int table = 0; table < tables; ++table) {
        const auto before = transaction->get(name(table), {writer});
        const bool is_first = !before && before.error().code() == tarn::errc::not_found;
        if (!before && (round > 0 || !is_first)) return note(before.error());
        if (before && tarn::value_view((*before)[1]).as_integer() != round - 1)
          failures[static_cast<std::size_t>(writer)].push_back("reads another round than its last");
        const tarn::status written = is_first ? transaction->insert(name(table), {writer, round})
                                              : transaction->update(name(table), {writer}, {{"round", round}});
        if (!written) return note(written.error());
      }
      if (const auto committed = transaction->commit(); !committed) return note(committed.error());
    }
  });
  for (const auto& of_writer : failures)
    for (const std::string& failure : of_writer) FAIL_CHECK(failure);

  tarn::client reader{stores.open()};
  const auto commits = static_cast<std::uint64_t>(writers * rounds);
  CHECK(versions_of(reader).size() == commits + 1);
  auto transaction = reader.begin().value();
  for (int table = 0; table < tables; ++table) {
    const std::vector<tarn::row> rows = rows_of(transaction, name(table));
    CHECK(rows.size() == writers);
    for (const tarn::row& each : rows) CHECK(each[1] == tarn::value(rounds - 1));
  }
  const entry_put_counts& puts = store.entry_puts();
  CHECK(puts.created == commits + 1);
  CHECK(puts.unclear == 0);
  CHECK(puts.lost <= commits * (writers - 1));
  MESSAGE(commits, " commits, ", puts.attempts() - 1, " puts of log entries");
}

TEST_CASE_TEMPLATE("lost update: whoever reads a counter and writes the next number never loses one [threads]", Stores,
                   TARN_EACH_STORE) {
  const int increments_each = fewer_over_files<Stores>(16);
  Stores stores;
  tarn::client first{counting_store(stores.open())};
  CHECK(create(first, "counter", {"number"}) == tarn::version{0});

  std::atomic<int> conflicts = 0;
  std::vector<std::vector<std::string>> failures(threads_in_all);
  auto clients = copies_of(first, threads_in_all);
  std::barrier start(threads_in_all);
  run_in_threads(threads_in_all, [&](int writer) {
    auto& mine = clients[static_cast<std::size_t>(writer)];
    start.arrive_and_wait();
    for (int done = 0; done < increments_each;) {
      auto transaction = mine.begin().value();
      std::int64_t latest = 0;
      for (const tarn::row_view row : transaction.scan("counter").value()) latest = row[0].as_integer();
      transaction.insert("counter", {latest + 1}).value();
      const auto committed = transaction.commit();
      if (committed) {
        ++done;
      } else if (committed.error().code() == tarn::errc::conflict && committed.error().retry_helps()) {
        ++conflicts;
      } else {
        failures[static_cast<std::size_t>(writer)].push_back(committed.error().message());
        return;
      }
    }
  });
  for (const auto& of_writer : failures)
    for (const std::string& failure : of_writer) FAIL_CHECK(failure);

  tarn::client reader{stores.open()};
  auto transaction = reader.begin().value();
  const std::vector<tarn::row> rows = rows_of(transaction, "counter");
  REQUIRE(rows.size() == static_cast<std::size_t>(threads_in_all * increments_each));
  for (std::size_t at = 0; at < rows.size(); ++at)
    REQUIRE(tarn::value_view(rows[at][0]).as_integer() == static_cast<std::int64_t>(at + 1));
  MESSAGE(rows.size(), " increments, ", conflicts.load(), " conflicts");
}

TEST_CASE_TEMPLATE("of 8 threads that create a table of one name, exactly one wins [threads]", Stores,
                   TARN_EACH_STORE) {
  const int rounds = fewer_over_files<Stores>(40);
  Stores stores;
  tarn::client first{counting_store(stores.open())};
  struct attempt {
    bool won = false;
    tarn::errc error = tarn::errc::io;
  };
  std::vector<std::vector<attempt>> attempts(static_cast<std::size_t>(rounds), std::vector<attempt>(threads_in_all));
  auto clients = copies_of(first, threads_in_all);
  std::barrier line(threads_in_all);
  run_in_threads(threads_in_all, [&](int writer) {
    auto& mine = clients[static_cast<std::size_t>(writer)];
    for (int round = 0; round < rounds; ++round) {
      // Half of them spell it in another case, which is the same name.
      const std::string table = (writer % 2 == 0 ? "race_" : "Race_") + std::to_string(round);
      attempt& mine_here = attempts[static_cast<std::size_t>(round)][static_cast<std::size_t>(writer)];
      line.arrive_and_wait();
      auto transaction = mine.begin().value();
      if (const auto created = transaction.create_table(table, {"winner"}); !created) {
        mine_here.error = created.error().code();
        continue;
      }
      transaction.insert(table, {writer}).value();
      const auto committed = transaction.commit();
      mine_here.won = committed.has_value();
      if (!committed) mine_here.error = committed.error().code();
    }
  });

  tarn::client reader{stores.open()};
  auto transaction = reader.begin().value();
  CHECK(transaction.tables().value().size() == static_cast<std::size_t>(rounds));
  for (int round = 0; round < rounds; ++round) {
    const std::vector<attempt>& of_round = attempts[static_cast<std::size_t>(round)];
    const auto winner = std::find_if(of_round.begin(), of_round.end(), [](const attempt& each) { return each.won; });
    REQUIRE(winner != of_round.end());
    CHECK(std::count_if(of_round.begin(), of_round.end(), [](const attempt& each) { return each.won; }) == 1);
    for (const attempt& each : of_round)
      if (!each.won) CHECK((each.error == tarn::errc::conflict || each.error == tarn::errc::table_exists));
    const auto number = winner - of_round.begin();
    const std::string table = (number % 2 == 0 ? "race_" : "Race_") + std::to_string(round);
    CHECK(rows_of(transaction, table) == std::vector<tarn::row>{{static_cast<std::int64_t>(number)}});
  }
}

TEST_CASE_TEMPLATE("C7: of a drop and an insert that have read the same version, exactly one commits [threads]", Stores,
                   TARN_EACH_STORE) {
  const int rounds = fewer_over_files<Stores>(100);
  Stores stores;
  tarn::client dropper{counting_store(stores.open())};
  tarn::client inserter{counting_store(stores.open())};
  int dropped = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string table = "round_" + std::to_string(round);
    (void)create(dropper, table, {"number"});
    auto dropping = dropper.begin().value();
    auto inserting = inserter.begin().value();
    dropping.drop_table(table).value();
    inserting.insert(table, {round}).value();

    std::barrier start(2);
    tarn::result<tarn::version> drop = tarn::version();
    tarn::result<tarn::version> insert = tarn::version();
    run_in_threads(2, [&](int number) {
      start.arrive_and_wait();
      if (number != round % 2) std::this_thread::yield();  // so that not always the same wins
      if (number == 0)
        drop = dropping.commit();
      else
        insert = inserting.commit();
    });

    REQUIRE(drop.has_value() != insert.has_value());
    CHECK((drop ? insert : drop).error().code() == tarn::errc::conflict);
    auto after = dropper.begin().value();
    CHECK(after.has_table(table).value() == insert.has_value());
    if (insert) CHECK(rows_of(after, table) == std::vector<tarn::row>{{round}});
    if (drop) ++dropped;
  }
  MESSAGE(rounds, " rounds, the drop won ", dropped);
}

TEST_CASE_TEMPLATE(
    "A21: a reader sees whole transactions only, and no version goes back, while others commit [threads]", Stores,
    TARN_EACH_STORE) {
  constexpr int writers = 4;
  const int commits_each = fewer_over_files<Stores>(60);
  Stores stores;
  tarn::client first{counting_store(stores.open())};
  (void)create(first, "left", {"transaction"});
  (void)create(first, "right", {"transaction"});

  std::atomic<int> writing = writers;
  std::vector<std::string> failures(writers);
  std::vector<std::string> seen_wrong;
  int reads = 0;
  auto clients = copies_of(first, writers);
  std::barrier start(writers + 1);
  const auto rows_in_each = [](int number) { return 1 + number % 3; };

  const auto write = [&](int writer) {
    auto& mine = clients[static_cast<std::size_t>(writer)];
    start.arrive_and_wait();
    for (int done = 0; done < commits_each; ++done) {
      const int number = done * writers + writer;
      auto transaction = mine.begin().value();
      for (int row = 0; row < rows_in_each(number); ++row) {
        transaction.insert("left", {number}).value();
        transaction.insert("right", {number}).value();
      }
      if (const auto committed = transaction.commit(); !committed)
        failures[static_cast<std::size_t>(writer)] = committed.error().message();
    }
    --writing;
  };

  const auto read = [&] {
    tarn::client warm{stores.open()};
    start.arrive_and_wait();
    tarn::version before;
    for (bool last = false; !last; ++reads) {
      last = writing == 0;
      tarn::client cold{stores.open()};
      for (auto* const lake : {&warm, &cold}) {  // the cold one lists the folder, the warm one does not
        auto transaction = lake->begin();
        if (!transaction) return seen_wrong.push_back(transaction.error().message());
        if (transaction->read_version() < before) seen_wrong.push_back("the version went back");
        before = transaction->read_version();
        std::map<std::int64_t, int> left;
        std::map<std::int64_t, int> right;
        for (const tarn::row_view row : transaction->scan("left").value()) ++left[row[0].as_integer()];
        for (const tarn::row_view row : transaction->scan("right").value()) ++right[row[0].as_integer()];
        if (left != right) seen_wrong.push_back("half a transaction across tables");
        for (const auto& [number, rows] : left)
          if (rows != rows_in_each(static_cast<int>(number))) seen_wrong.push_back("half a transaction in a table");
        if (static_cast<std::int64_t>(left.size()) != before.number - 1)
          seen_wrong.push_back("version " + std::to_string(before.number) + " has " + std::to_string(left.size()));
      }
    }
  };

  run_in_threads(writers + 1, [&](int number) {
    if (number < writers)
      write(number);
    else
      read();
  });
  for (const std::string& failure : failures) CHECK(failure == "");
  for (const std::string& failure : seen_wrong) FAIL_CHECK(failure);
  MESSAGE((writers * commits_each), " commits, read ", reads, " times");
}
