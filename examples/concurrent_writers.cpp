// Two writers, one table: the first scenario of the article that tarn descends from, and what tarn adds to it.
#include <cstdio>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>

namespace {

// What became of a commit, in a few words.
std::string outcome(const tarn::result<tarn::version>& committed) {
  if (committed) return tarn::concat({"committed as version ", committed->number});
  return tarn::concat({"not committed: ", tarn::name_of(committed.error().code()),
                       committed.error().retry_helps() ? ", running it again can help" : ""});
}

// Both create table x; only one can have created it.
void both_create(const tarn::memory_store& store) {
  std::puts("Ada and Joey both begin, and both create table x.");
  tarn::client ada{store};
  tarn::client joey{store};
  auto adas = ada.begin().value();
  auto joeys = joey.begin().value();
  adas.create_table("x", {"a", "b"}).value();
  joeys.create_table("x", {"a", "b"}).value();
  std::printf("  Ada:  %s\n", outcome(adas.commit()).c_str());
  std::printf("  Joey: %s\n", outcome(joeys.commit()).c_str());
}

// Both append a row to table x.
void both_append(const tarn::memory_store& store, std::string_view when, const tarn::client_options& options) {
  tarn::client ada{store, options};
  tarn::client joey{store, options};
  auto adas = ada.begin().value();
  auto joeys = joey.begin().value();
  adas.insert("x", {"Ada", when}).value();
  joeys.insert("x", {"Joey", when}).value();
  std::printf("  Ada:  %s\n", outcome(adas.commit()).c_str());
  std::printf("  Joey: %s\n", outcome(joeys.commit()).c_str());

  std::string rows;
  auto reading = ada.begin().value();
  for (const tarn::row_view row : reading.scan("x").value())
    rows += tarn::concat({rows.empty() ? "" : ", ", row["a"].as_string(), " (", row["b"].as_string(), ")"});
  std::printf("  x has %s\n", rows.c_str());
}

}  // namespace

int main() {
  const tarn::memory_store store;  // copies are the same store
  both_create(store);

  std::puts("Both append to x. By the article's rule, rebase_limit = 0, any commit since one's begin is a conflict.");
  tarn::client_options articles_rule;
  articles_rule.commit.rebase_limit = 0;
  both_append(store, "first", articles_rule);

  std::puts("Both append once more. By default the loser of the race follows the winner: neither has read the other.");
  both_append(store, "then", {});
}
