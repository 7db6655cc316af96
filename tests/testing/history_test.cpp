// The check of histories finds what is wrong with each of a corpus of bad ones, says nothing about their good twins,
// and each of its parts is needed.
#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>
#include <tarn/testing/history_check.hpp>
#include <vector>

#include "../support/history_corpus.hpp"
#include "../support/told_history.hpp"

namespace {

using namespace tarn_test;
using tarn::testing::anomaly;
using tarn::testing::history_report;
using tarn::testing::history_rule;
using tarn::testing::history_rules;

[[nodiscard]] told_history tell(const std::string& text) { return told_history(corpus_setup + text); }

[[nodiscard]] history_report report_of(const std::string& text, history_rules rules = history_rules::all()) {
  const told_history told = tell(text);
  REQUIRE(told.complaint() == "");
  return tarn::testing::check_history(told.get(), {rules});
}

[[nodiscard]] std::string text_of(const history_report& report) {
  std::string text;
  for (const auto& each : report.violations) text += std::string(name_of(each.found_by)) + ": " + each.message + "\n";
  return text;
}

TEST_CASE("every bad history is rejected, by the right check and for the right reason") {
  for (const bad_history& each : bad_histories) {
    CAPTURE(std::string(each.name));
    const history_report report = report_of(each.bad);
    INFO(text_of(report));
    CHECK_FALSE(report.good());
    CHECK(report.has(each.found_by, each.what));
  }
  CHECK(std::size(bad_histories) >= 40);
}

TEST_CASE("every good twin is accepted") {
  for (const bad_history& each : bad_histories) {
    CAPTURE(std::string(each.name));
    const history_report report = report_of(each.good);
    CHECK(text_of(report) == "");
    CHECK(report.good());
  }
}

TEST_CASE("every check, left out, lets a bad history through") {
  for (std::size_t number = 0; number < tarn::testing::history_rule_count; ++number) {
    const auto which = static_cast<history_rule>(number);
    CAPTURE(std::string(name_of(which)));
    // Cycles are a second opinion on what was read: they find most of what these two do.
    const bool doubled = which == history_rule::reads || which == history_rule::serial;
    const history_rules others = doubled ? history_rules::all().without(history_rule::cycles) : history_rules::all();
    // And they are needed where transactions may be ordered otherwise than their versions.
    const history_rules with = which == history_rule::cycles ? others.without(history_rule::serial) : others;
    std::size_t missed = 0;
    for (const bad_history& each : bad_histories)
      if (!report_of(each.bad, with).good() && report_of(each.bad, with.without(which)).good()) ++missed;
    CHECK(missed > 0);
  }
}

TEST_CASE("every anomaly that is named is in the corpus or is a kind of cycle") {
  std::set<anomaly> named;
  for (const bad_history& each : bad_histories) named.insert(each.what);
  for (auto number = static_cast<unsigned char>(anomaly::none) + 1; number < static_cast<int>(anomaly::write_cycle);
       ++number) {
    CAPTURE(std::string(name_of(static_cast<anomaly>(number))));
    CHECK(named.contains(static_cast<anomaly>(number)));
  }
}

// What cycles alone make of a history, in the order of their transactions.
[[nodiscard]] history_report cycles_of(const std::string& text) {
  return report_of(text, history_rules::none().with(history_rule::cycles));
}

TEST_CASE("cycles are found and named without a look at the model") {
  struct expected_cycle {
    anomaly what;
    const char* text;
  };
  for (const expected_cycle& each : {
           expected_cycle{anomaly::circular_information, "begin a\nbegin b\na si 1->2 x=11 y?12\nb si 1->3 y=12 x?11"},
           expected_cycle{anomaly::single_antidependency, "a 1->2 x=11 u.x=12\nb 2->r x?11 u.x?3"},
           expected_cycle{anomaly::single_antidependency, "a 1->2 z=11 c+12\nb 2->r t*[x1 y2 z11] c*[]"},
           expected_cycle{anomaly::single_antidependency, "begin b\na si 1->2 x?1 x=11\nb si 1->3 x?1 x=12"},
           expected_cycle{anomaly::item_antidependency, "begin a\nbegin b\na 1->2 x?1 y=11\nb 1->3 y?2 x=12"},
           expected_cycle{anomaly::item_antidependency, "begin a\nbegin b\na 1->2 z? w=11\nb 1->3 w? z=12"},
           expected_cycle{anomaly::antidependency, "begin a\nbegin b\na 1->2 b*[4 5] c+11\nb 1->3 c*[] b+12"},
           expected_cycle{anomaly::antidependency, "begin a\nbegin b\na 1->2 t^[] z=60\nb 1->3 t^[] w=70"},
           expected_cycle{anomaly::item_antidependency,
                          "begin a\nbegin b\nbegin c\na 1->2 x?1 y=11\nb 1->3 y?2 z=12\nc 1->4 z? x=13"},
       }) {
    CAPTURE(std::string(each.text));
    const history_report report = cycles_of(each.text);
    INFO(text_of(report));
    REQUIRE(report.violations.size() == 1);
    CHECK(name_of(report.violations[0].what) == name_of(each.what));
    CHECK(report.violations[0].transactions.size() >= 2);
  }
}

TEST_CASE("a cycle names its transactions, each of which depends on the one before") {
  const std::string text = "begin a\nbegin b\nbegin c\na 1->2 x?1 y=11\nb 1->3 y?2 z=12\nc 1->4 z? x=13";
  const told_history told = tell(text);
  const history_report report = cycles_of(text);
  REQUIRE(report.violations.size() == 1);
  // a reads x before c writes it, c reads z before b writes it, b reads y before a writes it.
  std::vector<std::uint32_t> expected{told.place_of("a"), told.place_of("c"), told.place_of("b")};
  CHECK(report.violations[0].transactions == expected);
}

TEST_CASE("write skew of transactions that did not ask to be serializable is shown, and permitted") {
  const history_report skewed = report_of("begin a\nbegin b\na si 1->2 x?1 y=11\nb si 1->3 y?2 x=12");
  CHECK(skewed.good());
  CHECK(skewed.permitted_cycles == 1);
  CHECK(report_of("begin a\nbegin b\na si 1->2 x?1 y=11\nb si 2->3 y?11 x=12").permitted_cycles == 0);
}

// Fekete, O'Neil, O'Neil 2004: without the reader, a could have come after b.
TEST_CASE("the anomaly of a transaction that only reads is shown") {
  const std::string writers = "begin a\nbegin b\na si 1->2 y=12\n";
  const std::string reader = "r si 2->r x?1 y?12\n";
  const std::string last = "b si 1->3 x?1 y?2 x=13";
  CHECK(report_of(writers + last).permitted_cycles == 0);
  CHECK(report_of(writers + reader + last).permitted_cycles == 1);
  CHECK(report_of(writers + reader + last).good());
}

TEST_CASE("of many violations all are counted and some are told") {
  std::string text;
  for (int at = 0; at < 50; ++at) text += "r" + std::to_string(at) + " 1->r x?77\n";
  const told_history told = tell(text);
  const history_report report = tarn::testing::check_history(told.get(), {history_rules::all(), 10});
  CHECK(report.count == 50);
  CHECK(report.violations.size() == 10);
}

TEST_CASE("an empty history is good") { CHECK(tarn::testing::check_history({}).good()); }

}  // namespace
