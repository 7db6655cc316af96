// LAW: whatever happens to a lake in its life - writers, changes of columns, deletes, compactions, checkpoints,
// restores, tags, vacuums and truncations, of several clients, in any order - the rows of each version that is retained
// are those that its commits say.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "../support/findings.hpp"
#include "../support/random_source.hpp"
#include "../support/run_histories.hpp"
#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
using tarn::errc;
using tarn::version;

// By column id; what is not there is null.
using model_row = std::map<std::uint32_t, std::int64_t>;

struct model_column {
  std::uint32_t id = 0;
  std::string name;
  bool widened = false;
};

enum class model_presence { none, live, tombstone };

struct model_record {
  model_presence presence = model_presence::none;
  model_row values;
};

// A table: of rows that are told apart by the number in their first column, the key, or only a number in a bag.
struct model_table {
  bool exists = false;
  std::vector<model_column> columns;
  std::map<std::int64_t, model_record> records;
};

struct model_state {
  model_table bag;
  model_table keyed;
};

constexpr std::uint32_t id_column = 1;
constexpr std::uint32_t order_column = 2;  // of the keyed table, its ordering

// What a history is made of.
struct lake_plan {
  std::uint64_t seed = 0;
  bool ordered = false;
  std::uint32_t buckets = 1;
  std::uint64_t rows_per_object = 1;
  std::uint32_t checkpoint_interval = 0;
  std::size_t steps = 0;
};

lake_plan make_plan(std::uint64_t seed) {
  random_source random(seed);
  lake_plan plan;
  plan.seed = seed;
  plan.ordered = random.chance(50);
  plan.buckets = random.chance(70) ? 1 : 3;
  plan.rows_per_object = random.chance(50) ? 2 : 100;
  plan.checkpoint_interval = static_cast<std::uint32_t>(random.below(5));
  plan.steps = 10 + random.below(40);
  return plan;
}

std::string describe(std::int64_t number, bool widened) { return std::to_string(number) + (widened ? ".0" : ""); }

// The rows as text, sorted, in the columns that the table has.
std::vector<std::string> describe(const model_table& table) {
  std::vector<std::string> rows;
  for (const auto& [key, record] : table.records) {
    if (record.presence != model_presence::live) continue;
    std::string text;
    for (const model_column& column : table.columns) {
      const auto found = record.values.find(column.id);
      text +=
          column.name + "=" + (found == record.values.end() ? "null" : describe(found->second, column.widened)) + " ";
    }
    rows.push_back(std::move(text));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string describe(const tarn::row_view& row, const tarn::schema& columns) {
  std::string text;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const tarn::value_view value = row[at];
    text += columns[at].name + "=";
    if (value.is_null()) text += "null ";
    if (value.kind() == tarn::kind::integer) text += describe(value.as_integer(), false) + " ";
    if (value.kind() == tarn::kind::real) text += describe(static_cast<std::int64_t>(value.as_double()), true) + " ";
  }
  return text;
}

// One history: the lake, and what its versions must hold.
template <class Codec>
class lake_history {
 public:
  lake_history(const lake_plan& plan, findings& found)
      : plan_(plan), found_(found), random_(plan.seed ^ 0x6c61'6b65U), hands_(plan.seed) {
    options_.surroundings = hands_.get();
    options_.bounds.rows_per_object = plan.rows_per_object;
    options_.commit.inline_bytes_max = some_inline_bytes(plan.seed >> 7);
    options_.checkpoint_interval = plan.checkpoint_interval;
    for (int number = 0; number < 2; ++number) clients_.emplace_back(store_, options_);
  }

  void run() {
    for (std::size_t step = 0; step < plan_.steps && found_.good(); ++step) {
      found_.enter({"step ", std::to_string(step), ": "});
      hands_.clock.ms += static_cast<std::int64_t>(random_.below(30)) - 5;  // clocks step back, too
      take_step();
    }
    found_.enter("at the end: ");
    if (found_.good()) check_all();
  }

 private:
  using client = tarn::client<tarn::memory_store, Codec>;
  using transaction = typename client::transaction_type;
  using change = std::function<void(model_state&)>;

  struct open_transaction {
    transaction work;
    std::vector<change> changes;
    model_state seen;       // by its own reads
    std::uint64_t vacuums;  // before it began
  };
  struct open_compaction {
    tarn::compacted_objects done;
  };

  void take_step() {
    const std::size_t choice = random_.below(100);
    if (choice < 12) return begin();
    if (choice < 50) return write();
    if (choice < 66) return commit();
    if (choice < 72) return compact();
    if (choice < 77) return plan_compaction();
    if (choice < 80) return commit_compaction();
    if (choice < 83) return checkpoint();
    if (choice < 87) return restore();
    if (choice < 90) return tag();
    if (choice < 94) return vacuum();
    if (choice < 96) return truncate();
    if (choice < 98) return reopen();
    check(version{static_cast<std::int64_t>(random_.below(states_.size() + 1)) - 1});
  }

  [[nodiscard]] client& some_client() { return clients_[random_.below(clients_.size())]; }

  void reopen() {
    found_.tell("a client is opened anew");
    some_client() = client(store_, options_);
  }

  // A new version with this state.
  void happened(version at, const model_state& state) {
    found_.expect(at.number == static_cast<std::int64_t>(states_.size()),
                  "version " + std::to_string(at.number) + " came after " + std::to_string(states_.size()));
    states_.push_back(state);
  }
  [[nodiscard]] model_state newest() const { return states_.empty() ? model_state() : states_.back(); }

  // What may happen to whoever is not alone.
  void lost(std::string_view what, const tarn::error& why, std::initializer_list<errc> allowed) {
    found_.count(std::string(what) + ": " + std::string(name_of(why.code())));
    found_.tell({what, " failed: ", why.message()});
    for (const errc each : allowed)
      if (why.code() == each) return;
    found_.fail(std::string(what) + " failed: " + why.message());
  }

  void begin() {
    if (open_.size() == 3) return;
    const auto level = static_cast<tarn::isolation>(random_.below(3));
    auto begun = some_client().begin(level);
    if (!begun) return found_.fail("begin: " + begun.error().message());
    const version at = begun->read_version();
    found_.expect(at.number + 1 == static_cast<std::int64_t>(states_.size()), "began at an old version");
    found_.tell({"begin at ", std::to_string(at.number), " as ", std::to_string(static_cast<int>(level))});
    open_.push_back({*std::move(begun), {}, newest(), vacuums_});
  }

  // What a transaction was told, which a vacuum since its begin may have robbed: it then has to be begun again.
  void failed(open_transaction& mine, const std::string& what, const tarn::error& why) {
    if (why.code() != errc::snapshot_expired || mine.vacuums == vacuums_)
      return found_.fail(what + ": " + why.message());
    found_.count("read: of an expired transaction");
    found_.tell({what, ": ", why.message()});
    open_.erase(open_.begin() + (&mine - open_.data()));
  }

  void note(open_transaction& of, change made) {
    made(of.seen);
    of.changes.push_back(std::move(made));
  }

  // A write of one of the open transactions.
  void write() {
    if (open_.empty()) return begin();
    open_transaction& mine = open_[random_.below(open_.size())];
    const bool of_bag = random_.chance(50);
    const model_table& table = of_bag ? mine.seen.bag : mine.seen.keyed;
    if (!table.exists) return create(mine, of_bag);
    const std::size_t choice = random_.below(100);
    if (choice < 8) return change_columns(mine, of_bag);
    if (choice < 10) return drop(mine, of_bag);
    if (choice < 15) return flush(mine);
    if (of_bag) return choice < 60 ? insert(mine) : choice < 80 ? erase_rows(mine) : update_rows(mine);
    return choice < 70 ? upsert(mine) : erase_key(mine);
  }

  void must(const tarn::status& done, std::string_view what) {
    if (!done) found_.fail(std::string(what) + ": " + done.error().message());
  }

  void create(open_transaction& mine, bool of_bag) {
    found_.tell(of_bag ? "create bag" : "create keyed");
    using tarn::column_type;
    if (of_bag) {
      must(mine.work.create_table("bag", {{"id", column_type::integer}, {"n", column_type::integer}}), "create");
    } else {
      const tarn::keyed key{{"id"}, plan_.buckets, plan_.ordered ? tarn::by_ordering("o") : tarn::latest()};
      must(mine.work.create_table("keyed", {{"id", column_type::integer}, {"o", column_type::integer}}, key), "create");
    }
    note(mine, [of_bag](model_state& state) {
      model_table made;
      made.exists = true;
      made.columns = {{id_column, "id"}, {order_column, of_bag ? "n" : "o"}};
      (of_bag ? state.bag : state.keyed) = made;
    });
  }
  void drop(open_transaction& mine, bool of_bag) {
    found_.tell(of_bag ? "drop bag" : "drop keyed");
    must(mine.work.drop_table(of_bag ? "bag" : "keyed"), "drop");
    note(mine, [of_bag](model_state& state) { (of_bag ? state.bag : state.keyed) = model_table(); });
  }
  void flush(open_transaction& mine) { must(mine.work.flush(), "flush"); }

  void change_columns(open_transaction& mine, bool of_bag) {
    const std::string_view name = of_bag ? "bag" : "keyed";
    const model_table& table = of_bag ? mine.seen.bag : mine.seen.keyed;
    const std::size_t at = random_.below(table.columns.size());
    const std::string chosen = table.columns[at].name;
    const std::size_t how = random_.below(4);
    const auto edit = [&](std::function<void(model_table&)> edited) {
      note(mine, [of_bag, edited](model_state& state) { edited(of_bag ? state.bag : state.keyed); });
    };
    const std::string fresh = "c" + std::to_string(++names_);
    if (how == 0) {
      must(mine.work.add_column(name, {fresh, tarn::column_type::integer}), "add column");
      const tarn::schema now = mine.work.columns(name).value();
      const std::uint32_t id = now[now.size() - 1].id.number;
      found_.tell({"add column ", fresh, " to ", name});
      return edit([=](model_table& to) { to.columns.push_back({id, fresh}); });
    }
    if (how == 1) {
      must(mine.work.rename_column(name, chosen, fresh), "rename column");
      found_.tell({"rename column ", chosen, " to ", fresh, " of ", name});
      return edit([=](model_table& of) { of.columns[at].name = fresh; });
    }
    if (at < 2) return;  // the rest is not for the columns that the model goes by
    if (how == 2) {
      must(mine.work.drop_column(name, chosen), "drop column");
      found_.tell({"drop column ", chosen, " of ", name});
      return edit([=](model_table& of) { of.columns.erase(of.columns.begin() + static_cast<std::ptrdiff_t>(at)); });
    }
    if (table.columns[at].widened) return;
    must(mine.work.widen_column(name, chosen), "widen column");
    found_.tell({"widen column ", chosen, " of ", name});
    edit([=](model_table& of) { of.columns[at].widened = true; });
  }

  // A row with this number in its first column, and its values in the columns that there are.
  [[nodiscard]] std::pair<model_row, tarn::row> make_row(const model_table& table, std::int64_t id) {
    model_row values{{id_column, id}, {order_column, static_cast<std::int64_t>(random_.below(6))}};
    tarn::row row;
    for (const model_column& column : table.columns) {
      if (column.id > order_column && random_.chance(70))
        values[column.id] = static_cast<std::int64_t>(random_.below(9));
      const auto found = values.find(column.id);
      if (found == values.end())
        row.emplace_back(nullptr);
      else if (column.widened)
        row.emplace_back(static_cast<double>(found->second));
      else
        row.emplace_back(found->second);
    }
    return {std::move(values), std::move(row)};
  }

  void insert(open_transaction& mine) {
    const std::int64_t id = ++rows_;
    auto [values, row] = make_row(mine.seen.bag, id);
    found_.tell({"insert ", std::to_string(id)});
    must(mine.work.insert("bag", row), "insert");
    note(mine, [id, of = values](model_state& state) { state.bag.records[id] = {model_presence::live, of}; });
  }

  // Some rows that the transaction sees.
  [[nodiscard]] std::pair<tarn::filter, std::vector<std::int64_t>> choose_rows(const model_table& bag) {
    const std::int64_t first = static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(rows_ + 1)));
    const std::int64_t last = first + static_cast<std::int64_t>(random_.below(3));
    const std::string& name = bag.columns[0].name;
    std::vector<std::int64_t> chosen;
    for (const auto& [id, record] : bag.records)
      if (id >= first && id <= last) chosen.push_back(id);
    return {tarn::filter{{name, tarn::at_least, first}, {name, tarn::at_most, last}}, std::move(chosen)};
  }
  void erase_rows(open_transaction& mine) {
    const auto [wanted, chosen] = choose_rows(mine.seen.bag);
    const auto erased = mine.work.erase_where("bag", wanted);
    if (!erased) return failed(mine, "erase_where", erased.error());
    found_.tell({"erase ", std::to_string(*erased), " rows of the bag"});
    found_.expect(*erased == chosen.size(), "erase_where found other rows");
    note(mine, [ids = chosen](model_state& state) {
      for (const std::int64_t id : ids) state.bag.records.erase(id);
    });
  }
  void update_rows(open_transaction& mine) {
    const auto [wanted, chosen] = choose_rows(mine.seen.bag);
    const auto number = static_cast<std::int64_t>(random_.below(1'000));
    const std::string name = mine.seen.bag.columns[1].name;
    const auto updated = mine.work.update_where("bag", wanted, {{name, number}});
    if (!updated) return failed(mine, "update_where", updated.error());
    found_.tell({"update ", std::to_string(*updated), " rows of the bag"});
    found_.expect(*updated == chosen.size(), "update_where found other rows");
    note(mine, [ids = chosen, number](model_state& state) {
      for (const std::int64_t id : ids) state.bag.records[id].values[order_column] = number;
    });
  }

  void fold(model_state& state, std::int64_t key, const model_record& written) const {
    model_record& now = state.keyed.records[key];
    const bool hidden = plan_.ordered && now.presence != model_presence::none &&
                        written.values.at(order_column) < now.values.at(order_column);
    if (!hidden) now = written;
  }
  void upsert(open_transaction& mine) {
    const auto key = static_cast<std::int64_t>(random_.below(8));
    auto [values, row] = make_row(mine.seen.keyed, key);
    found_.tell({"upsert ", std::to_string(key)});
    must(mine.work.upsert("keyed", row), "upsert");
    note(mine, [this, key, of = values](model_state& state) { fold(state, key, {model_presence::live, of}); });
  }
  void erase_key(open_transaction& mine) {
    const auto key = static_cast<std::int64_t>(random_.below(8));
    found_.tell({"erase key ", std::to_string(key)});
    if (plan_.ordered && random_.chance(50)) {
      const auto order = static_cast<std::int64_t>(random_.below(6));
      must(mine.work.erase("keyed", {key}, order), "erase");
      return note(mine, [this, key, order](model_state& state) {
        fold(state, key, {model_presence::tombstone, {{id_column, key}, {order_column, order}}});
      });
    }
    must(mine.work.erase("keyed", {key}), "erase");
    note(mine, [key](model_state& state) { state.keyed.records.erase(key); });
  }

  void commit() {
    if (open_.empty()) return;
    const std::size_t at = random_.below(open_.size());
    open_transaction mine = std::move(open_[at]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    if (random_.chance(20)) check_rows(mine.work, mine.seen, mine.vacuums != vacuums_);
    const version read = mine.work.read_version();
    const auto done = mine.work.commit();
    if (!done) return lost("commit", done.error(), {errc::conflict, errc::expired});
    if (*done == read) return;  // nothing to commit
    found_.count(done->number == read.number + 1 ? "commit: at once" : "commit: rebased");
    found_.tell({"commit as ", std::to_string(done->number)});
    model_state after = newest();
    for (const change& each : mine.changes) each(after);
    happened(*done, after);
  }

  void compact() {
    const bool of_bag = random_.chance(50);
    const model_state now = newest();
    if (!(of_bag ? now.bag : now.keyed).exists) return;
    const auto done = some_client().compact(of_bag ? "bag" : "keyed");
    if (!done) return lost("compact", done.error(), {});
    while (static_cast<std::int64_t>(states_.size()) <= done->number) {
      found_.count("compact: committed");
      happened({static_cast<std::int64_t>(states_.size())}, now);
    }
    found_.tell({"compact up to ", std::to_string(done->number)});
  }
  void plan_compaction() {
    const bool of_bag = random_.chance(50);
    const model_state now = newest();
    if (!(of_bag ? now.bag : now.keyed).exists) return;
    client& worker = some_client();
    const auto plans = worker.plan_compaction(of_bag ? "bag" : "keyed");
    if (!plans) return found_.fail("plan: " + plans.error().message());
    for (const tarn::compaction_plan& each : *plans) {
      const auto done = worker.run_compaction(each);
      if (!done) return found_.fail("run: " + done.error().message());
      compactions_.push_back({*done});
      found_.tell("a compaction has run");
    }
  }
  void commit_compaction() {
    if (compactions_.empty()) return;
    const std::size_t at = random_.below(compactions_.size());
    const open_compaction mine = compactions_[at];
    compactions_.erase(compactions_.begin() + static_cast<std::ptrdiff_t>(at));
    const auto done = some_client().commit_compaction(mine.done);
    if (!done) return lost("late compaction", done.error(), {errc::conflict, errc::expired, errc::snapshot_expired});
    found_.count("late compaction: committed");
    found_.tell({"late compaction as ", std::to_string(done->number)});
    happened(*done, newest());
  }

  void checkpoint() {
    const auto done = some_client().checkpoint();
    if (!done) return found_.fail("checkpoint: " + done.error().message());
    found_.tell({"checkpoint of ", std::to_string(done->number)});
  }

  [[nodiscard]] bool is_retained(version at) const {
    if (at >= oldest_) return true;
    return std::any_of(tags_.begin(), tags_.end(), [&](const auto& each) { return each.second == at; });
  }

  void restore() {
    if (states_.empty()) return;
    const version to{static_cast<std::int64_t>(random_.below(states_.size()))};
    const std::int64_t before = static_cast<std::int64_t>(states_.size());
    const auto done = some_client().restore(to);
    if (!is_retained(to)) {
      if (done) return found_.fail("restored a version that was given up");
      return lost("restore", done.error(), {errc::snapshot_expired});
    }
    if (!done) return lost("restore", done.error(), {});
    found_.tell({"restore ", std::to_string(to.number), " as ", std::to_string(done->number)});
    if (done->number < before) return;  // nothing to do
    found_.count("restore: committed");
    happened(*done, states_[static_cast<std::size_t>(to.number)]);
  }

  void tag() {
    if (states_.empty()) return;
    const std::string name = "t" + std::to_string(random_.below(3));
    if (tags_.contains(name)) {
      const auto done = some_client().untag(name);
      if (!done) return found_.fail("untag: " + done.error().message());
      tags_.erase(name);
      found_.tell({"untag ", name});
      return happened(*done, newest());
    }
    const version at{static_cast<std::int64_t>(random_.below(states_.size()))};
    const auto done = some_client().tag(name, at);
    if (!is_retained(at)) {
      if (done) return found_.fail("tagged a version that was given up");
      return lost("tag", done.error(), {errc::snapshot_expired});
    }
    if (!done) return found_.fail("tag: " + done.error().message());
    tags_[name] = at;
    found_.count("tag: committed");
    found_.tell({"tag ", std::to_string(at.number), " as ", name});
    happened(*done, newest());
  }

  void vacuum() {
    if (states_.empty()) return;
    tarn::vacuum_options wanted;
    wanted.keep_ms = random_.below(60);
    wanted.keep_versions = 1 + random_.below(4);
    wanted.grace_ms = random_.chance(50) ? 0 : random_.below(100);
    const auto done = tarn::vacuum(some_client(), wanted);
    if (!done) return found_.fail("vacuum: " + done.error().message());
    oldest_ = done->kept.oldest;
    ++vacuums_;
    found_.count("vacuum: removed objects", done->objects.size());
    found_.tell({"vacuum as ", std::to_string(done->at.number), ", oldest ", std::to_string(oldest_.number)});
    happened(done->at, newest());
  }
  void truncate() {
    const auto done = tarn::truncate(some_client());
    if (!done) return found_.fail("truncate: " + done.error().message());
    if (*done != version()) found_.count("truncate: to some version");
    found_.tell({"truncate to ", std::to_string(done->number)});
  }

  void check_rows(transaction& reading, const model_state& expected, bool may_have_expired = false) {
    for (const bool of_bag : {true, false}) {
      const std::string name = of_bag ? "bag" : "keyed";
      const model_table& table = of_bag ? expected.bag : expected.keyed;
      const auto there = reading.has_table(name);
      if (!there || *there != table.exists)
        return found_.fail(name + " should" + (table.exists ? "" : " not") + " exist");
      if (!table.exists) continue;
      auto scan = reading.scan(name);
      if (!scan) return found_.fail(name + ": " + scan.error().message());
      std::vector<std::string> rows;
      while (scan->next()) rows.push_back(describe(scan->row(), scan->columns()));
      if (!scan->status() && may_have_expired && scan->status().error().code() == errc::snapshot_expired) continue;
      if (!scan->status()) return found_.fail(name + ": " + scan->status().error().message());
      std::sort(rows.begin(), rows.end());
      if (rows != describe(table)) return found_.fail(name + " has other rows" + difference(rows, describe(table)));
    }
  }
  [[nodiscard]] static std::string difference(const std::vector<std::string>& rows,
                                              const std::vector<std::string>& expected) {
    std::string text = "\n    has:";
    for (const std::string& each : rows) text += "\n      " + each;
    text += "\n    should have:";
    for (const std::string& each : expected) text += "\n      " + each;
    return text;
  }

  void check(version at) {
    if (at == version()) return;
    const std::string name = "version " + std::to_string(at.number);
    auto reading = some_client().begin_at(at);
    if (!is_retained(at)) {
      found_.count("read: given up");
      found_.expect(!reading && reading.error().code() == errc::snapshot_expired, name + " was given up, yet is read");
      return;
    }
    if (!reading) return found_.fail(name + ": " + reading.error().message());
    found_.count("read: retained");
    check_rows(*reading, states_[static_cast<std::size_t>(at.number)]);
    if (!found_.good()) found_.tell({"wrong: ", name});
  }

  void check_all() {
    reopen();
    for (std::size_t at = 0; at < states_.size() && found_.good(); ++at) check({static_cast<std::int64_t>(at)});
  }

  lake_plan plan_;
  findings& found_;
  random_source random_;
  test_environment hands_;
  tarn::client_options options_;
  tarn::memory_store store_;
  std::vector<client> clients_;
  std::vector<open_transaction> open_;
  std::vector<open_compaction> compactions_;
  std::vector<model_state> states_;  // of each version
  std::map<std::string, version> tags_;
  version oldest_{0};
  std::uint64_t vacuums_ = 0;
  std::int64_t rows_ = 0;
  int names_ = 0;
};

// What is wrong with a history; empty if nothing is.
std::string failure_of(const lake_plan& plan, tally& happened, std::string* story = nullptr) {
  findings found(happened, story != nullptr);
  if (plan.seed % 2 == 0)
    lake_history<tarn::json_codec>(plan, found).run();
  else
    lake_history<tarn::columnar_codec>(plan, found).run();
  if (story != nullptr) *story = found.story();
  return found.failure();
}

// Tells of the shortest beginning of the history that fails.
void report(lake_plan plan) {
  tally ignored;
  std::string story;
  const std::size_t whole = plan.steps;
  for (plan.steps = 1; plan.steps < whole && failure_of(plan, ignored).empty();) ++plan.steps;
  const std::string failure = failure_of(plan, ignored, &story);
  FAIL_CHECK("run it alone with TARN_LAKE_HISTORY=", plan.seed, ": ", plan.buckets, " buckets, ", plan.rows_per_object,
             " rows per object, ", std::string(plan.ordered ? "by ordering" : "latest"), "\n", story, "  ", failure);
}

constexpr const char* must_happen[] = {"commit: at once",
                                       "commit: rebased",
                                       "commit: conflict",
                                       "commit: expired",
                                       "compact: committed",
                                       "late compaction: committed",
                                       "late compaction: conflict",
                                       "late compaction: expired",
                                       "restore: committed",
                                       "restore: snapshot_expired",
                                       "tag: committed",
                                       "tag: snapshot_expired",
                                       "vacuum: removed objects",
                                       "truncate: to some version",
                                       "read: given up",
                                       "read: of an expired transaction",
                                       "read: retained"};

}  // namespace

TEST_CASE("LAW: every history of a lake: whatever happens to it, retained versions keep their rows") {
  run_histories({"TARN_LAKE_HISTORY", 200, 20'000}, must_happen, [](std::uint64_t seed, tally& happened) {
    const lake_plan plan = make_plan(seed);
    if (failure_of(plan, happened).empty()) return true;
    report(plan);
    return false;
  });
}
