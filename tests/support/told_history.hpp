// Histories told in a line of text for each transaction, in the order of their ends:
//
//   begin a                     it begins here; without this line, just before its end
//   a si 1->2 x?1 x=11          name, level (ser, if none), snapshot and outcome, and what it did
//   b/7 1->r t*[x1 y2]          of session 7; only read
//
// An outcome is a version, `r` (nothing to write), `fail`, `?`, or `?3` (no version after 3). A level can also be
// `audit`, `house` or `restore`. Keys are letters, rows numbers. Tables t and u are keyed, o is ordered, b and c are
// bags, whose rows are their own keys; what names no table is of t.
//
//   x=1  o.x=1@5  +x=1  x:=1    upsert, also with an ordering; insert; update
//   -x  -o.x@5                  erase, also with an ordering
//   b+1  b-1  b~1               append, delete, replace
//   x?1  x?                     look up: found row 1, or none
//   t*[x1 y2]  t^[x60]          scan of all rows; of rows from 50 on. b*[1 2] of a bag
//   exists:x  late:o.x@3  absent:x      a refused insert or update
//   ?t  ?!t  tables[t u]        is there a table, which are there
//   create:t  drop:t  restore:1
//
// Two more lines: `log a b ?` says whose versions 0, 1, 2 are (by default, those of whoever was told so), and `keep 3`
// that all versions before 3 are given up here, `keep 3 v` that they are if v is in the log. Version 0, by "setup",
// creates the five tables; `gone a 1` is an audit that could not read version 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <tarn/testing/history.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

class told_history {
 public:
  explicit told_history(const std::string& text) {
    told_.tables = {"t", "u", "o", "b", "c", "n"};
    told_.predicates.emplace_back([](tarn::testing::row_token row) { return row >= 50; });
    read_line("setup -1->0 create:t create:u create:o create:b create:c");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line, '\n');) read_line(line);
    if (told_.log.empty()) told_.log = std::move(acknowledged_);
  }

  [[nodiscard]] const tarn::testing::history& get() const { return told_; }
  // What could not be understood; empty: nothing.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  [[nodiscard]] std::uint32_t place_of(const std::string& name) const { return places_.at(name); }

 private:
  using kind = tarn::testing::operation_kind;
  using record = tarn::testing::transaction_record;

  void read_line(const std::string& line) {
    std::istringstream words(line);
    std::string name, word;
    if (!(words >> name)) return;
    if (name == "begin") {
      words >> word;
      begins_[word] = ++events_;
    } else if (name == "log") {
      while (words >> word) told_.log.push_back(word == "?" ? tarn::uuid() : id_of(word));
    } else if (name == "keep") {
      std::int64_t oldest = 0;
      words >> oldest;
      const bool in_doubt = static_cast<bool>(words >> word);
      told_.given_up.push_back({++events_, {oldest}, in_doubt ? id_of(word) : tarn::uuid()});
    } else if (name == "gone") {
      std::int64_t at = 0;
      words >> word >> at;
      record made = begun(word);
      made.snapshot = {at};
      made.purpose = tarn::testing::purpose::audit;
      made.outcome = tarn::testing::commit_outcome::failed;
      made.given_up = true;
      add(word, made, {});
    } else {
      read_transaction(name, words);
    }
  }

  void read_transaction(std::string name, std::istringstream& words) {
    record made = begun(name);
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      made.session = static_cast<std::uint32_t>(std::stoul(name.substr(slash + 1)));
      name.resize(slash);
    }
    made.id = id_of(name);
    std::string word;
    while (words >> word && word.find("->") == std::string::npos) read_level(word, made);
    const std::size_t arrow = word.find("->");
    if (arrow == std::string::npos) return complain(word);
    made.snapshot = {std::stoll(word)};
    read_outcome(word.substr(arrow + 2), made);
    std::vector<tarn::testing::recorded_operation> done;
    while (words >> word) {
      if (word.find('[') != std::string::npos)
        for (std::string next; word.back() != ']' && words >> next;) word += " " + next;
      read_operation(word, made, done);
    }
    add(name, made, done);
  }

  void read_level(const std::string& word, record& made) {
    if (word == "si")
      made.level = tarn::isolation::snapshot;
    else if (word == "nb")
      made.level = tarn::isolation::non_blocking;
    else if (word == "audit")
      made.purpose = tarn::testing::purpose::audit;
    else if (word == "restore")
      made.purpose = tarn::testing::purpose::restore;
    else if (word == "house")
      made.purpose = tarn::testing::purpose::housekeeping, made.id = {};
    else if (word != "ser")
      complain(word);
  }

  void read_outcome(const std::string& word, record& made) {
    made.committed = tarn::testing::no_version;
    if (word == "fail") {
      made.outcome = tarn::testing::commit_outcome::failed;
    } else if (word.front() == '?') {
      made.outcome = tarn::testing::commit_outcome::unknown;
      if (word.size() > 1) made.committed = {std::stoll(word.substr(1))};
    } else if (word == "r") {
      made.committed = made.snapshot;
    } else {
      made.committed = {std::stoll(word)};
      const auto at = static_cast<std::size_t>(made.committed.number);
      if (at >= acknowledged_.size()) acknowledged_.resize(at + 1);
      acknowledged_[at] = made.id;
    }
  }

  void read_operation(std::string word, const record& by, std::vector<tarn::testing::recorded_operation>& done) {
    if (const std::size_t list = word.find('['); list != std::string::npos) return read_scan(word, list, done);
    if (take(word, "?!")) return done.push_back({kind::look_for_table, table_of(word)});
    if (take(word, "?")) return done.push_back({kind::look_for_table, table_of(word), 0, 0, 1});
    if (take(word, "create:")) {
      const auto shape = static_cast<std::uint64_t>(word == "o" ? tarn::testing::table_shape::by_ordering
                                                    : word == "b" || word == "c" ? tarn::testing::table_shape::bag
                                                                                 : tarn::testing::table_shape::latest);
      return done.push_back({kind::create_table, table_of(word), shape});
    }
    if (take(word, "drop:")) return done.push_back({kind::drop_table, table_of(word)});
    if (take(word, "restore:"))
      return done.push_back({kind::restore, 0, static_cast<std::uint64_t>(std::stoll(word)), 0, 0, by.snapshot.number});
    read_key_operation(word, done);
  }

  void read_key_operation(std::string word, std::vector<tarn::testing::recorded_operation>& done) {
    kind what = kind::upsert;
    if (take(word, "exists:"))
      what = kind::insert_exists;
    else if (take(word, "late:"))
      what = kind::insert_late;
    else if (take(word, "absent:"))
      what = kind::update_absent;
    else if (take(word, "+"))
      what = kind::insert;
    else if (take(word, "-"))
      what = kind::erase;
    tarn::testing::recorded_operation made{what};
    if (const std::size_t at = word.find('@'); at != std::string::npos) {
      made.ordering = std::stoll(word.substr(at + 1));
      if (what == kind::erase) made.kind = kind::ordered_erase;
      word.resize(at);
    }
    if (word.size() > 1 && word[1] == '.') {
      made.table = table_of(word.substr(0, 1));
      word.erase(0, 2);
    }
    if (word.size() > 1 && (word[0] == 'b' || word[0] == 'c')) {
      made.table = table_of(word.substr(0, 1));
      made.key = std::stoull(word.substr(2));
      made.kind = word[1] == '+' ? kind::append : word[1] == '-' ? kind::delete_row : kind::replace_row;
      if (word[1] == '+') made.row = made.key;
      return done.push_back(made);
    }
    made.key = key_of(word[0]);
    word.erase(0, 1);
    if (take(word, "?")) {
      made.kind = kind::look_up;
      made.seen = word.empty() ? 0 : std::stoull(word);
    } else if (take(word, ":=")) {
      made.kind = kind::update;
      made.row = std::stoull(word);
    } else if (take(word, "=")) {
      made.row = std::stoull(word);
    } else if (!word.empty()) {
      complain(word);
    }
    done.push_back(made);
  }

  void read_scan(const std::string& word, std::size_t list, std::vector<tarn::testing::recorded_operation>& done) {
    const std::string what = word.substr(0, list);
    std::istringstream found(word.substr(list + 1, word.size() - list - 2));
    const bool of_tables = what == "tables";
    if (of_tables)
      done.push_back({kind::list_tables});
    else
      done.push_back({kind::scan, table_of(what.substr(0, 1)), what.back() == '^' ? 1U : 0U});
    const std::uint32_t table = done.back().table;
    for (std::string each; found >> each;) {
      if (of_tables) {
        done.push_back({kind::found, table_of(each)});
        continue;
      }
      const bool of_bag = each[0] >= '0' && each[0] <= '9';
      const std::uint64_t row = std::stoull(each.substr(of_bag ? 0 : 1));
      done.push_back({kind::found, table, of_bag ? row : key_of(each[0]), 0, row});
    }
  }

  [[nodiscard]] record begun(const std::string& name) {
    record made;
    const auto found = begins_.find(name.substr(0, name.find('/')));
    made.begin = found == begins_.end() ? ++events_ : found->second;
    made.client = static_cast<std::uint32_t>(told_.transactions.size());
    made.session = 1000 + made.client;
    return made;
  }
  void add(const std::string& name, record made, const std::vector<tarn::testing::recorded_operation>& done) {
    made.end = ++events_;
    places_[name] = static_cast<std::uint32_t>(told_.transactions.size());
    told_.add(made, done);
  }

  [[nodiscard]] tarn::uuid id_of(const std::string& name) {
    return {1, ids_.emplace(name, ids_.size() + 1).first->second};
  }
  [[nodiscard]] std::uint32_t table_of(const std::string& name) {
    for (std::uint32_t number = 0; number < told_.tables.size(); ++number)
      if (told_.tables[number] == name) return number;
    complain(name);
    return 0;
  }
  [[nodiscard]] static std::uint64_t key_of(char letter) { return static_cast<std::uint64_t>(letter - 'a'); }
  [[nodiscard]] static bool take(std::string& word, std::string_view beginning) {
    if (!std::string_view(word).starts_with(beginning)) return false;
    word.erase(0, beginning.size());
    return true;
  }
  void complain(const std::string& word) { complaint_ += "what is '" + word + "'? "; }

  tarn::testing::history told_;
  std::vector<tarn::uuid> acknowledged_;
  std::map<std::string, std::uint64_t> begins_;
  std::map<std::string, std::uint64_t> ids_;
  std::map<std::string, std::uint32_t> places_;
  std::uint64_t events_ = 0;
  std::string complaint_;
};

}  // namespace tarn_test
